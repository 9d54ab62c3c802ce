use core::fmt;
use core::num::NonZero;
use core::ops::RangeInclusive;
use core::str::FromStr;
use core::time::Duration;

use crate::random::Probability;
use crate::rules::{Spec, SpecError, quoted};

/// Who shall play, as written: `human`, `perfect(mistakes=0.2)`, `mcts(ms=50)`.
///
/// | name | who | parameters |
/// |---|---|---|
/// | `human` | a person | |
/// | `perfect` | one who cannot be beaten; small games, pegs and Connect Four | `threads`, `mistakes`, `seed` |
/// | `negamax` | alpha-beta search | `ms`, `depth`, `nodes`, `threads`, `mistakes`, `seed`; a second if nothing is said |
/// | `mcts` | Monte-Carlo tree search | `ms`, `iterations`, `threads`, `mistakes`, `seed`; 10,000 iterations if nothing is said |
/// | `random` | any move | `seed` |
///
/// `threads` is how many threads a player uses at most, 1 to 64: `perfect` where
/// it searches at all, `negamax` but where it plays by threats.
///
/// ```
/// use open_ttt_lib::catalog::PlayerSpec;
///
/// let spec: PlayerSpec = "Perfect( mistakes = 0.2 )".parse()?;
/// assert_eq!(spec.to_string(), "perfect(mistakes=0.2)");
/// let error = "perfect(mistakes=7.0)".parse::<PlayerSpec>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"perfect has no mistakes="7.0": mistakes may be a number from 0 to 1"#,
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
    written: String,
}

/// How a player chooses its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayerKind {
    /// A person is asked.
    Human,
    /// The game is solved.
    Perfect,
    /// By alpha-beta search.
    Negamax(Effort),
    /// By Monte-Carlo tree search; the nodes are iterations.
    MonteCarlo(Effort),
    /// By chance.
    Random,
}

/// How much a searching player spends on a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// How long it thinks.
    pub time: Option<Duration>,
    /// How many plies it looks ahead.
    pub depth: Option<u32>,
    /// How many positions or iterations it looks at.
    pub nodes: Option<u64>,
}

/// The longest a player may be told to think about a move.
const MOST_MILLISECONDS: u64 = 3_600_000;

impl PlayerSpec {
    /// The names of the players there are.
    pub const NAMES: &'static [&'static str] = &["human", "perfect", "negamax", "mcts", "random"];

    /// The most threads a player may be given for a move.
    pub const MOST_THREADS: usize = 64;

    /// Whether a person plays.
    pub fn is_human(&self) -> bool {
        self.kind == PlayerKind::Human
    }
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
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
        spec.only_knows(known)?;
        let effort = Effort {
            time: number(&spec, "ms", 1..=MOST_MILLISECONDS)?.map(Duration::from_millis),
            depth: number(&spec, "depth", 1..=1_000)?.map(|depth| depth as u32),
            nodes: number(&spec, "nodes", 1..=u64::MAX)?.or(number(
                &spec,
                "iterations",
                1..=1_000_000_000,
            )?),
        };
        let said = effort != Effort::default();
        let kind = match spec.name.as_str() {
            "human" => PlayerKind::Human,
            "perfect" => PlayerKind::Perfect,
            "negamax" if said => PlayerKind::Negamax(effort),
            "negamax" => PlayerKind::Negamax(Effort {
                time: Some(Duration::from_secs(1)),
                ..effort
            }),
            "mcts" if said => PlayerKind::MonteCarlo(effort),
            "mcts" => PlayerKind::MonteCarlo(Effort {
                nodes: Some(crate::players::MONTE_CARLO_ITERATIONS),
                ..effort
            }),
            _ => PlayerKind::Random,
        };
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
            threads: number(&spec, "threads", 1..=Self::MOST_THREADS as u64)?
                .and_then(|threads| NonZero::new(threads as usize)),
            mistakes,
            seed: number(&spec, "seed", 0..=u64::MAX)?,
            written: spec.to_string(),
        })
    }
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
