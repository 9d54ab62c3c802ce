//! A move worth playing, and why.

mod claim;
mod tactics;

use open_ttt_lib::rules::{Drawing, Notation};

pub use claim::Claim;
use tactics::Tactics;

use crate::{GameValue, MoveValue, PositionValues};

/// A good move, why it is good, and the moves that show it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hint<M> {
    /// The move.
    pub m: M,
    /// Why, the most telling first; at least one.
    pub claims: Vec<Claim<M>>,
    /// The moves of both sides from here on that seem best, beginning with this one.
    pub line: Vec<M>,
}

/// The best move of a position with reasons that hold: each [`Claim`] says exactly what it
/// means, and can be checked by playing moves. `None` if the game is over.
///
/// Among moves that are equally good it is the one of which most can be said.
///
/// ```
/// use open_ttt_coach::{Judge, SolvedJudge, hint};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::play_text;
/// use open_ttt_players::Turn;
/// use open_ttt_search::{Budget, WinLoss};
///
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "a1 b2 a2")?;
/// let mut judge = SolvedJudge::new(WinLoss, 1.0);
/// let values = judge.judge(&Turn::new(&game), &Budget::UNLIMITED, &mut |_| ());
/// let hint = hint(&game, &values).expect("the game isn't over");
/// assert_eq!(
///     hint.sentence(&game),
///     "a3 stops X from winning there, threatens to win with c1 and is the only move that \
///      doesn't lose.",
/// );
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn hint<G: Notation + Drawing>(
    game: &G,
    values: &PositionValues<G::Move>,
) -> Option<Hint<G::Move>> {
    /// Equally good moves that are looked at.
    const MAX_CANDIDATES: usize = 12;
    /// About how many positions are looked at for them, the work of less than a second.
    const MAX_POSITIONS: usize = 500_000;
    let for_each = 2 * values.moves.len().pow(2);
    let candidates = MAX_POSITIONS / for_each.max(1);
    let candidates = values
        .best_moves()
        .take(candidates.clamp(1, MAX_CANDIDATES));
    let hints = candidates.map(|value| {
        let claims = claims(game, values, value.m);
        let line = match values.line.first() {
            Some(&first) if first == value.m => values.line.clone(),
            _ => vec![value.m],
        };
        Hint {
            m: value.m,
            claims,
            line,
        }
    });
    // Of the best ones the first.
    let rank = |hint: &Hint<_>| hint.claims.iter().map(Claim::weight).sum::<u32>();
    hints.reduce(|best, next| {
        if rank(&next) > rank(&best) {
            next
        } else {
            best
        }
    })
}

/// What can be said for a move, in the order of a sentence.
fn claims<G: Notation + Drawing>(
    game: &G,
    values: &PositionValues<G::Move>,
    m: G::Move,
) -> Vec<Claim<G::Move>> {
    let side = game.to_move();
    let after = game.after(m);
    if let Some(outcome) = after.outcome()
        && GameValue::of_outcome(outcome, side) == GameValue::Win
        && after.picture().points.is_none()
    {
        return vec![Claim::WinsAtOnce];
    }
    let mut claims = Vec::new();
    let tactics = Tactics::new(game, m);
    claims.extend(tactics.stops());
    claims.extend(tactics.threatens());
    let points = |position: &G| position.picture().points.map(|points| points[side.index()]);
    if let (Some(before), Some(after)) = (points(game), points(&after))
        && let Some(gained @ 1..) = after.checked_sub(before)
    {
        claims.push(Claim::Scores(gained));
    }
    claims.extend(result(values, m));
    claims
}

/// What is known of how the game ends after the move.
fn result<M: Copy + Eq>(values: &PositionValues<M>, m: M) -> Option<Claim<M>> {
    let value = values.get(m)?;
    let others = || values.moves.iter().filter(|other| other.m != m);
    let solved = value.solved;
    if values.moves.len() == 1 {
        return Some(Claim::OnlyMove);
    }
    let all = |wanted: GameValue| others().all(|other| other.solved.result == wanted);
    // What isn't proved of another move may be better.
    let all_proved = others().all(MoveValue::is_proved);
    Some(match solved.result {
        GameValue::Win => match solved.margin {
            Some(margin) if all_proved => Claim::WinsBy { margin },
            _ => Claim::Wins {
                plies: solved.plies,
                only: all_proved && others().all(|other| other.solved.result != GameValue::Win),
            },
        },
        GameValue::Draw if all(GameValue::Loss) => Claim::OnlyMoveToDraw,
        GameValue::Draw if all(GameValue::Draw) => Claim::AllDraw,
        GameValue::Draw if all_proved => Claim::Draws,
        GameValue::Draw => Claim::AtLeastDraws,
        GameValue::Loss => match solved.margin {
            Some(margin) => Claim::LosesBy { margin: -margin },
            None => Claim::Loses {
                plies: solved.plies,
            },
        },
        GameValue::Unknown => Claim::Promises {
            expected: value.expected,
        },
    })
}

impl<M: Copy + Eq> Hint<M> {
    /// The hint as one sentence, with the move that is best in this position.
    pub fn sentence<G: Notation<Move = M>>(&self, game: &G) -> String {
        let clause = |claim: &Claim<M>| claim.clause(game, self.m);
        let text = match self.claims.as_slice() {
            [] => "seems best".to_owned(),
            [one] => clause(one),
            [all @ .., last] => {
                let all: Vec<_> = all.iter().map(clause).collect();
                let (all, conjunction) = (all.join(", "), last.conjunction());
                format!("{all} {conjunction} {}", clause(last))
            }
        };
        format!("{} {text}.", game.move_text(self.m))
    }
}
