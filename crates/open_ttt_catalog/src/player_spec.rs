use core::fmt;
use core::num::NonZero;
use core::ops::RangeInclusive;
use core::str::FromStr;
use core::time::Duration;
use std::sync::Arc;

use super::NetworkSource;
use open_ttt_lib::random::Probability;
use open_ttt_lib::rules::{Spec, SpecError, quoted};
use open_ttt_nn::Network;

/// Who shall play, as written: `human`, `perfect(mistakes=0.2)`, `mcts(ms=50)`.
///
/// | name | who | parameters |
/// |---|---|---|
/// | `human` | a person | |
/// | `perfect` | one who cannot be beaten; small games, pegs and Connect Four | `threads`, `mistakes`, `seed` |
/// | `negamax` | alpha-beta search | `ms`, `depth`, `nodes`, `threads`, `mistakes`, `seed`; a second if nothing is said |
/// | `mcts` | Monte-Carlo tree search | `ms`, `iterations`, `threads`, `mistakes`, `seed`; 10,000 iterations if nothing is said |
/// | `random` | any move | `seed` |
/// | `net:FILE` | one that has learned the game, by the network in this file | `simulations`, `ms`, `mistakes`, `seed`; 128 simulations if nothing is said, and with 0 it does not look ahead |
/// | `net:pretrained` | the same, by the network that comes with the game | as `net:FILE` |
///
/// `threads` is how many threads a player uses at most, 1 to 64: `perfect` where
/// it searches at all, `negamax` but where it plays by threats.
///
/// The name of a file is read as it is, up to the last parenthesis that opens if
/// the name ends with one that closes: a file called `net(1)` is
/// `net:net(1)()`. The library opens none: what plays by a file has to be given
/// [its network](Self::with_network).
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
    /// How the player chooses its moves.
    pub kind: PlayerKind,
    /// How many threads it uses at most for a move, if that was said; one
    /// otherwise.
    pub threads: Option<NonZero<usize>>,
    /// The probability of a mistake on each move.
    pub mistakes: Probability,
    /// What makes its chances reproducible, if anything.
    pub seed: Option<u64>,
    network: Option<Arc<Network>>,
    written: String,
}

/// How a player chooses its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayerKind {
    /// A person is asked.
    Human,
    /// The game is solved.
    Perfect,
    /// By alpha-beta search.
    Negamax(SearchLimits),
    /// By Monte-Carlo tree search; the nodes are iterations.
    MonteCarlo(SearchLimits),
    /// By chance.
    Random,
    /// By what a network has learned.
    Network {
        /// Where the network comes from.
        source: NetworkSource,
        /// How many lines of play it tries out for a move, as
        /// [`GumbelPlayer`](open_ttt_players::GumbelPlayer) does; at most, where there is a
        /// time.
        simulations: u32,
        /// How long it thinks.
        time: Option<Duration>,
    },
}

/// How much a searching player spends on a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// How long it thinks.
    pub time: Option<Duration>,
    /// How many plies it looks ahead.
    pub depth: Option<u32>,
    /// How many positions or iterations it looks at.
    pub nodes: Option<u64>,
}

/// The longest a player may be told to think about a move.
const MOST_MILLISECONDS: u64 = 3_600_000;

/// How many simulations a learned player makes for a move if nothing is said,
/// and at most.
const USUAL_SIMULATIONS: u64 = 128;
const MAX_SIMULATIONS: u64 = 65_536;

/// What a learned player's name begins with.
const NET: &str = "net:";

impl PlayerSpec {
    /// The names of the players there are.
    pub const NAMES: &'static [&'static str] =
        &["human", "perfect", "negamax", "mcts", "random", "net:FILE"];

    /// The most threads a player may be given for a move.
    pub const MAX_THREADS: usize = 64;

    /// Whether a person plays.
    pub fn is_human(&self) -> bool {
        self.kind == PlayerKind::Human
    }

    /// The name of the file with the player's network, if it is in a file.
    pub fn network_file(&self) -> Option<&str> {
        match &self.kind {
            PlayerKind::Network {
                source: NetworkSource::File(name),
                ..
            } => Some(name),
            _ => None,
        }
    }

    /// The network it was given, if any.
    pub const fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// The same player, given the network by which it plays. To others than
    /// [learned players](PlayerKind::Network) it makes no difference.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use open_ttt_catalog::PlayerSpec;
    /// use open_ttt_lib::games::TicTacToe;
    /// use open_ttt_nn::{Architecture, Network};
    /// use open_ttt_search::Clock;
    ///
    /// let spec: PlayerSpec = "net:best.safetensors(simulations=64)".parse()?;
    /// assert_eq!(spec.network_file(), Some("best.safetensors"));
    ///
    /// // This would be Network::from_bytes(&std::fs::read(file)?)?.
    /// let architecture = Architecture::Perceptron { hidden: vec![16] };
    /// let untaught = Network::new(&TicTacToe::new(), architecture, 1)?;
    /// let spec = spec.with_network(Arc::new(untaught));
    /// let clock = Clock::new(|| std::time::Duration::ZERO);
    /// assert!(open_ttt_catalog::game("ttt")?.player(&spec, clock.clone()).is_ok());
    /// assert!(open_ttt_catalog::game("connect4")?.player(&spec, clock).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_network(self, network: Arc<Network>) -> Self {
        Self {
            network: Some(network),
            ..self
        }
    }

    /// Reads a learned player: what stands behind `net:`.
    fn learned(text: &str) -> Result<Self, SpecError> {
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
        let usual = match time {
            Some(_) => MAX_SIMULATIONS,
            None => USUAL_SIMULATIONS,
        };
        let simulations = number(&spec, "simulations", 0..=MAX_SIMULATIONS)?;
        let mut list = spec.to_string().split_off(spec.name.len());
        let name = source.to_string();
        if list.is_empty() && name.ends_with(')') {
            // Lest the end of the name be read as parameters.
            list.push_str("()");
        }
        let kind = PlayerKind::Network {
            source,
            simulations: simulations.unwrap_or(usual) as u32,
            time,
        };
        Self::of(kind, &spec, format!("{NET}{name}{list}"))
    }

    /// A player of this kind, with what all kinds have in common.
    fn of(kind: PlayerKind, spec: &Spec, written: String) -> Result<Self, SpecError> {
        let mistakes = match spec.value("mistakes") {
            None => Probability::NEVER,
            Some(text) => text
                .parse()
                .ok()
                .and_then(|value| Probability::new(value).ok())
                .ok_or_else(|| spec.bad_value("mistakes", "a number from 0 to 1"))?,
        };
        Ok(Self {
            kind,
            threads: number(spec, "threads", 1..=Self::MAX_THREADS as u64)?
                .and_then(|threads| NonZero::new(threads as usize)),
            mistakes,
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
        if let Some((name, rest)) = trimmed.split_at_checked(NET.len())
            && name.eq_ignore_ascii_case(NET)
        {
            return Self::learned(rest);
        }
        let spec: Spec = text.parse()?;
        let known: &[&str] = match spec.name.as_str() {
            "human" => &[],
            "perfect" => &["threads", "mistakes", "seed"],
            "negamax" => &["ms", "depth", "nodes", "threads", "mistakes", "seed"],
            "mcts" => &["ms", "iterations", "threads", "mistakes", "seed"],
            "random" => &["seed"],
            _ => {
                return Err(SpecError::UnknownName {
                    name: format!("player {}", quoted(&spec.name)),
                    allowed: Self::NAMES.iter().map(|&name| name.to_owned()).collect(),
                });
            }
        };
        spec.check_arguments(known)?;
        let effort = SearchLimits {
            time: milliseconds(&spec)?,
            depth: number(&spec, "depth", 1..=1_000)?.map(|depth| depth as u32),
            nodes: number(&spec, "nodes", 1..=u64::MAX)?.or(number(
                &spec,
                "iterations",
                1..=1_000_000_000,
            )?),
        };
        let said = effort != SearchLimits::default();
        let kind = match spec.name.as_str() {
            "human" => PlayerKind::Human,
            "perfect" => PlayerKind::Perfect,
            "negamax" if said => PlayerKind::Negamax(effort),
            "negamax" => PlayerKind::Negamax(SearchLimits {
                time: Some(Duration::from_secs(1)),
                ..effort
            }),
            "mcts" if said => PlayerKind::MonteCarlo(effort),
            "mcts" => PlayerKind::MonteCarlo(SearchLimits {
                nodes: Some(open_ttt_players::MONTE_CARLO_ITERATIONS),
                ..effort
            }),
            _ => PlayerKind::Random,
        };
        let written = spec.to_string();
        Self::of(kind, &spec, written)
    }
}

/// How long a player shall think about a move, if that is given.
fn milliseconds(spec: &Spec) -> Result<Option<Duration>, SpecError> {
    let given = number(spec, "ms", 1..=MOST_MILLISECONDS)?;
    Ok(given.map(Duration::from_millis))
}

/// The value of a whole-number argument, if it is given.
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
