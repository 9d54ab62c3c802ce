use core::fmt;
use core::num::NonZero;
use core::ops::RangeInclusive;
use core::str::FromStr;
use core::time::Duration;
use std::sync::Arc;

use super::NetworkSource;
use open_ttt_lib::random::Probability;
use open_ttt_lib::rules::{Spec, SpecError, parse_decimal, quoted};
use open_ttt_nn::Network;
use open_ttt_players::{Level, Skill, Strength};

/// A player by name: `human`, `perfect(mistakes=0.2)`, `mcts(ms=50)`.
///
/// | name | player | parameters |
/// |---|---|---|
/// | `human` | a person | |
/// | `beginner`, `easy`, `medium`, `hard`, `expert` | errs as people do, less with each [`Level`] | `seed` |
/// | `master` | the strongest player of the game for interactive play | `threads`, `seed` |
/// | `level` | between the levels | `strength` from 1 (a beginner) to 6 (a master), `seed`; default: 3 |
/// | `fallible` | errs as people do, the same for every game | `skill` from 0 to 1, `seed`; default: 0.5 |
/// | `perfect` | unbeatable; small games, pegs, Connect Four, and qubic as the first player | `threads`, `mistakes`, `seed` |
/// | `negamax` | alpha-beta search | `ms`, `depth`, `nodes`, `threads`, `mistakes`, `seed`; default: one second |
/// | `mcts` | Monte-Carlo tree search | `ms`, `iterations`, `threads`, `mistakes`, `seed`; default: 10,000 iterations |
/// | `random` | random moves | `seed` |
/// | `net:FILE` | tree search with the network in this file | `simulations`, `ms`, `mistakes`, `seed`; default: 128 simulations; with 0 the policy alone |
/// | `net:pretrained` | the same with the network that comes with the game (feature `pretrained`) | as `net:FILE` |
/// | `engine:COMMAND` | a program of its own, started by whoever makes the player | |
///
/// `threads` is the maximum number of threads, 1 to 64. `perfect` uses them if it
/// searches, `negamax` unless it is the player of line games.
///
/// A file name is taken literally. If the text ends with `)`, its parameters start
/// at the last `(`: a file called `net(1)` is `net:net(1)()`. The library doesn't
/// open files: the caller [adds the network](Self::with_network). Nor does it start
/// programs: games have no player for an [`Engine`](PlayerKind::Engine).
///
/// ```
/// use open_ttt_catalog::PlayerSpec;
///
/// let spec: PlayerSpec = "Perfect( mistakes = 0.2 )".parse()?;
/// assert_eq!(spec.to_string(), "perfect(mistakes=0.2)");
/// let error = "perfect(mistakes=7.0)".parse::<PlayerSpec>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"perfect: mistakes must be a number from 0 to 1, not "7.0""#,
/// );
/// # Ok::<(), open_ttt_lib::rules::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayerSpec {
    /// The kind of player.
    pub kind: PlayerKind,
    /// The maximum number of threads; `None` means one.
    pub threads: Option<NonZero<usize>>,
    /// The probability of a mistake on each move.
    pub mistakes: Probability,
    /// The seed of its random numbers, if it is fixed.
    pub seed: Option<u64>,
    network: Option<Arc<Network>>,
    written: String,
}

/// A kind of player.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlayerKind {
    /// A person.
    Human,
    /// Perfect play.
    Perfect,
    /// Alpha-beta search.
    Negamax(SearchLimits),
    /// Monte-Carlo tree search; nodes are iterations.
    MonteCarlo(SearchLimits),
    /// Random moves.
    Random,
    /// A computer of this strength, which errs as people do.
    Level(Strength),
    /// A [`FalliblePlayer`](open_ttt_players::FalliblePlayer) of this skill.
    Fallible(Skill),
    /// A program that chooses the moves, by its command line.
    Engine(String),
    /// Tree search with a network.
    Network {
        /// The source of the network.
        source: NetworkSource,
        /// The simulations per move of
        /// [`GumbelPlayer`](open_ttt_players::GumbelPlayer); a maximum if there is
        /// a time limit.
        simulations: u32,
        /// The time limit per move.
        time: Option<Duration>,
    },
}

/// The limits of a search for one move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// The time limit.
    pub time: Option<Duration>,
    /// The maximum depth in plies.
    pub depth: Option<u32>,
    /// The maximum number of nodes or iterations.
    pub nodes: Option<u64>,
}

/// The longest time limit for a move.
const MAX_MILLISECONDS: u64 = 3_600_000;

/// The default and maximum number of simulations of a network player.
const DEFAULT_SIMULATIONS: u64 = 128;
const MAX_SIMULATIONS: u64 = 65_536;

/// The prefix of network players.
const NET: &str = "net:";

/// What the command line of a program follows.
const ENGINE: &str = "engine:";

impl PlayerSpec {
    /// The names of all players.
    pub const NAMES: &'static [&'static str] = &[
        "human",
        "beginner",
        "easy",
        "medium",
        "hard",
        "expert",
        "master",
        "level",
        "fallible",
        "perfect",
        "negamax",
        "mcts",
        "random",
        "net:FILE",
        "engine:COMMAND",
    ];

    /// The maximum of the parameter `threads`.
    pub const MAX_THREADS: usize = 64;

    /// The computer of a level.
    ///
    /// ```
    /// use open_ttt_catalog::PlayerSpec;
    /// use open_ttt_players::Level;
    ///
    /// assert_eq!(PlayerSpec::of_level(Level::Easy).to_string(), "easy");
    /// ```
    pub fn of_level(level: Level) -> Self {
        Self::plain(
            PlayerKind::Level(Strength::of(level)),
            level.name().to_owned(),
        )
    }

    /// A computer of this strength.
    pub fn of_strength(strength: Strength) -> Self {
        Self::plain(
            PlayerKind::Level(strength),
            format!("level(strength={strength})"),
        )
    }

    /// The computer after some games against the same player: a `level`, which is given by its
    /// strength, is a third of a level stronger for each game that the player has won more
    /// than lost, and as much weaker for each lost more than won. Any other stays the same.
    ///
    /// ```
    /// use open_ttt_catalog::PlayerSpec;
    ///
    /// let adaptive: PlayerSpec = "level(strength=2)".parse()?;
    /// assert_eq!(adaptive.after_results(3, 1).to_string(), "level(strength=2.66)");
    /// let easy: PlayerSpec = "easy".parse()?;
    /// assert_eq!(easy.after_results(3, 1), easy);
    /// # Ok::<(), open_ttt_lib::rules::SpecError>(())
    /// ```
    #[must_use]
    pub fn after_results(&self, won: u32, lost: u32) -> Self {
        /// More games make no difference between the weakest and the strongest.
        const MOST: u32 = 20;
        let PlayerKind::Level(mut strength) = self.kind else {
            return self.clone();
        };
        if Level::ALL
            .iter()
            .any(|level| self.written.starts_with(level.name()))
        {
            return self.clone();
        }
        for _ in 0..won.abs_diff(lost).min(MOST) {
            strength = strength.after(won.cmp(&lost));
        }
        let written = match self.seed {
            None => format!("level(strength={strength})"),
            Some(seed) => format!("level(strength={strength},seed={seed})"),
        };
        let kind = PlayerKind::Level(strength);
        Self {
            kind,
            written,
            ..self.clone()
        }
    }

    /// A player without parameters.
    const fn plain(kind: PlayerKind, written: String) -> Self {
        Self {
            kind,
            threads: None,
            mistakes: Probability::NEVER,
            seed: None,
            network: None,
            written,
        }
    }

    /// Whether the player is a person.
    pub fn is_human(&self) -> bool {
        self.kind == PlayerKind::Human
    }

    /// The name of the network's file, if it is in a file.
    pub fn network_file(&self) -> Option<&str> {
        match &self.kind {
            PlayerKind::Network {
                source: NetworkSource::File(name),
                ..
            } => Some(name),
            _ => None,
        }
    }

    /// The network added with [`with_network`](Self::with_network).
    pub const fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// Adds the network of a [network player](PlayerKind::Network); it has no effect
    /// on other players.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use open_ttt_catalog::{Catalog, PlayerSpec};
    /// use open_ttt_lib::games::TicTacToe;
    /// use open_ttt_nn::{Architecture, Network};
    /// use open_ttt_search::Clock;
    ///
    /// let spec: PlayerSpec = "net:best.safetensors(simulations=64)".parse()?;
    /// assert_eq!(spec.network_file(), Some("best.safetensors"));
    ///
    /// // This would be Network::from_bytes(&std::fs::read(file)?)?.
    /// let architecture = Architecture::Perceptron { hidden: vec![16] };
    /// let untrained = Network::new(&TicTacToe::new(), architecture, 1)?;
    /// let spec = spec.with_network(Arc::new(untrained));
    /// let clock = Clock::new(|| std::time::Duration::ZERO);
    /// assert!(Catalog::bundled().game("ttt")?.player(&spec, clock.clone()).is_ok());
    /// assert!(Catalog::bundled().game("connect4")?.player(&spec, clock).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_network(mut self, network: Arc<Network>) -> Self {
        self.network = Some(network);
        self
    }

    /// Parses what follows `engine:`.
    fn parse_engine(command: &str) -> Result<Self, SpecError> {
        let command = command.trim();
        // Records of games have it on one line.
        if command.is_empty() || command.chars().any(char::is_control) {
            return Err(SpecError::Malformed {
                text: quoted(&format!("{ENGINE}{command}")),
            });
        }
        Ok(Self {
            kind: PlayerKind::Engine(command.to_owned()),
            threads: None,
            mistakes: Probability::NEVER,
            seed: None,
            network: None,
            written: format!("{ENGINE}{command}"),
        })
    }

    /// Parses what follows `net:`.
    fn parse_network(text: &str) -> Result<Self, SpecError> {
        let parted = text
            .strip_suffix(')')
            .and_then(|text| text.rsplit_once('('));
        let (source, list) = parted.unwrap_or((text, ""));
        let source = NetworkSource::read(source)?;
        let spec: Spec = format!("net({list})")
            .parse()
            .map_err(|_| SpecError::Malformed {
                text: quoted(&format!("{NET}{text}")),
            })?;
        spec.check_arguments(&["simulations", "ms", "mistakes", "seed"])?;
        let time = milliseconds(&spec)?;
        let default = match time {
            Some(_) => MAX_SIMULATIONS,
            None => DEFAULT_SIMULATIONS,
        };
        let simulations = number(&spec, "simulations", 0..=MAX_SIMULATIONS)?;
        let mut list = spec.to_string().split_off(spec.name.len());
        let name = source.to_string();
        if list.is_empty() && name.ends_with(')') {
            // Otherwise the end of the name would parse as parameters.
            list.push_str("()");
        }
        let kind = PlayerKind::Network {
            source,
            simulations: simulations.unwrap_or(default) as u32,
            time,
        };
        Self::of(kind, &spec, format!("{NET}{name}{list}"))
    }

    /// The player of this specification, which has the seed and the threads of this one.
    pub(super) fn strongest(&self, specification: &str) -> Result<Self, SpecError> {
        let strongest = specification.parse::<Self>()?;
        Ok(Self {
            threads: self.threads,
            seed: self.seed,
            ..strongest
        })
    }

    /// The value of a probability, if given.
    fn probability(spec: &Spec, argument: &str) -> Result<Option<Probability>, SpecError> {
        let Some(text) = spec.value(argument) else {
            return Ok(None);
        };
        let probability = parse_decimal(text).and_then(|value| Probability::new(value).ok());
        let bad = || spec.bad_value(argument, "a number from 0 to 1");
        probability.map(Some).ok_or_else(bad)
    }

    /// A player of this kind with the parameters that all kinds share.
    fn of(kind: PlayerKind, spec: &Spec, written: String) -> Result<Self, SpecError> {
        let mistakes = Self::probability(spec, "mistakes")?;
        Ok(Self {
            kind,
            threads: number(spec, "threads", 1..=Self::MAX_THREADS as u64)?
                .and_then(|threads| NonZero::new(threads as usize)),
            mistakes: mistakes.unwrap_or(Probability::NEVER),
            seed: number(spec, "seed", 0..=u64::MAX)?,
            network: None,
            written,
        })
    }
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let trimmed = text.trim();
        let after = |prefix: &str| {
            let (name, rest) = trimmed.split_at_checked(prefix.len())?;
            name.eq_ignore_ascii_case(prefix).then_some(rest)
        };
        if let Some(source) = after(NET) {
            return Self::parse_network(source);
        }
        if let Some(command) = after(ENGINE) {
            return Self::parse_engine(command);
        }
        let spec: Spec = text.parse()?;
        if let Some(level) = Level::named(&spec.name) {
            let known: &[&str] = match level {
                Level::Master => &["threads", "seed"],
                _ => &["seed"],
            };
            spec.check_arguments(known)?;
            let kind = PlayerKind::Level(Strength::of(level));
            return Self::of(kind, &spec, spec.to_string());
        }
        // The limits of a search that is given none.
        let mut limits = SearchLimits::default();
        let (known, kind): (&[&str], fn(SearchLimits) -> PlayerKind) = match spec.name.as_str() {
            "human" => (&[], |_| PlayerKind::Human),
            "perfect" => (&["threads", "mistakes", "seed"], |_| PlayerKind::Perfect),
            "negamax" => {
                limits.time = Some(Duration::from_secs(1));
                let known = &["ms", "depth", "nodes", "threads", "mistakes", "seed"];
                (known, PlayerKind::Negamax)
            }
            "mcts" => {
                limits.nodes = Some(open_ttt_players::MONTE_CARLO_ITERATIONS);
                let known = &["ms", "iterations", "threads", "mistakes", "seed"];
                (known, PlayerKind::MonteCarlo)
            }
            "random" => (&["seed"], |_| PlayerKind::Random),
            "level" => {
                spec.check_arguments(&["strength", "seed"])?;
                let strength = match spec.value("strength") {
                    None => Strength::of(Level::Medium),
                    Some(text) => text
                        .parse()
                        .map_err(|_| spec.bad_value("strength", "a number from 1 to 6"))?,
                };
                return Self::of(PlayerKind::Level(strength), &spec, spec.to_string());
            }
            "fallible" => {
                spec.check_arguments(&["skill", "seed"])?;
                let skill = Self::probability(&spec, "skill")?;
                let skill = skill.map_or(0.5, Probability::get);
                let kind = PlayerKind::Fallible(Skill::clamped(skill));
                return Self::of(kind, &spec, spec.to_string());
            }
            _ => {
                return Err(SpecError::UnknownName {
                    name: format!("player {}", quoted(&spec.name)),
                    allowed: Self::NAMES.iter().map(|&name| name.to_owned()).collect(),
                });
            }
        };
        spec.check_arguments(known)?;
        let given = SearchLimits {
            time: milliseconds(&spec)?,
            depth: number(&spec, "depth", 1..=1_000)?.map(|depth| depth as u32),
            nodes: number(&spec, "nodes", 1..=u64::MAX)?.or(number(
                &spec,
                "iterations",
                1..=1_000_000_000,
            )?),
        };
        if given != SearchLimits::default() {
            limits = given;
        }
        Self::of(kind(limits), &spec, spec.to_string())
    }
}

/// The time limit, if given.
fn milliseconds(spec: &Spec) -> Result<Option<Duration>, SpecError> {
    let given = number(spec, "ms", 1..=MAX_MILLISECONDS)?;
    Ok(given.map(Duration::from_millis))
}

/// The value of a whole-number argument, if given.
fn number(
    spec: &Spec,
    argument: &str,
    allowed: RangeInclusive<u64>,
) -> Result<Option<u64>, SpecError> {
    let Some(text) = spec.value(argument) else {
        return Ok(None);
    };
    match text.parse() {
        Ok(value) if allowed.contains(&value) => Ok(Some(value)),
        _ => {
            let allowed = format!("{} to {}", allowed.start(), allowed.end());
            Err(spec.bad_value(argument, &allowed))
        }
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}
