use std::collections::HashMap;

use open_ttt_lib::rules::{Heuristic, LineGame, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, HeuristicEvaluator, ProvedOutcome, StopFlag, forced_win};

use crate::remaining::Remaining;
use crate::{GameValue, Judge, MoveValue, PositionValues, SearchJudge, SolvedValue};

/// Judges a game of lines: wins and losses by threats, and alpha-beta search for the rest.
///
/// ```
/// use open_ttt_coach::{GameValue, Judge, LineJudge};
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::{Notation, play_text};
/// use open_ttt_players::Turn;
/// use open_ttt_search::Budget;
///
/// // An open three: there are few ways not to lose.
/// let mut game = Mnk::default();
/// play_text(&mut game, "f8 a1 g8 c1 h8")?;
/// let values = LineJudge::new(10.0).judge(&Turn::new(&game), &Budget::nodes(500_000), &mut |_| ());
/// let lost = values.moves.iter().filter(|value| value.solved.result == GameValue::Loss);
/// assert!(lost.count() > 200);
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LineJudge<G: TwoPlayerGame> {
    search: SearchJudge<G, HeuristicEvaluator>,
    /// Who wins, where the game knows it.
    known: fn(&G, &StopFlag) -> Option<ProvedOutcome<G::Move>>,
}

/// The positions visited to find a win by threats, and one after each of the moves.
const ATTACK: u64 = 100_000;
const DEFENCE: u64 = 2_000;

/// Moves judged between two reports.
const MOVES_PER_REPORT: usize = 16;

/// Values found by threats.
type Threats<M> = HashMap<M, SolvedValue>;

impl<G: LineGame + Heuristic> LineJudge<G> {
    /// A judge; the scale is that of a [`SearchJudge`].
    pub fn new(scale: f64) -> Self {
        Self {
            search: SearchJudge::new(HeuristicEvaluator, scale),
            known: |_, _| None,
        }
    }

    /// The same judge with what the game knows of who wins.
    pub fn with_known(self, known: fn(&G, &StopFlag) -> Option<ProvedOutcome<G::Move>>) -> Self {
        Self { known, ..self }
    }
}

impl<G: LineGame + Heuristic> Judge<G> for LineJudge<G> {
    fn judge(
        &mut self,
        turn: &Turn<'_, G>,
        budget: &Budget,
        report: &mut dyn FnMut(&PositionValues<G::Move>),
    ) -> PositionValues<G::Move> {
        let (game, stop) = (turn.game, &turn.stop);
        let remaining = Remaining::new(budget);
        // Who can win at once or must stop it shows after two plies.
        let first = self.search.judge(turn, &Budget::depth(2), report);
        let mut nodes = first.nodes;
        let mut found = Threats::new();
        let mut line = None;
        let win = SolvedValue::only(GameValue::Win);
        let known = (self.known)(game, stop);
        if let Some(m) = known.as_ref().and_then(|known| known.winning_move) {
            found.insert(m, win);
        } else if let Some(attack) = remaining.slice(nodes, ATTACK) {
            let forced = forced_win(game, &attack, stop);
            nodes += forced.nodes;
            if let Some(moves) = forced.line {
                found.extend(moves.first().map(|&m| (m, win)));
                line = Some(moves);
            }
        }
        let mut values = with_threats(first.clone(), &found, line.as_ref(), nodes);
        report(&values);
        let open = values.moves.iter().filter(|value| !value.is_proved());
        let open: Vec<_> = open.map(|value| value.m).collect();
        for (count, &m) in (1..).zip(&open) {
            let Some(defence) = remaining.slice(nodes, DEFENCE) else {
                break;
            };
            if stop.is_raised() {
                break;
            }
            let reply = forced_win(&game.after(m), &defence, stop);
            nodes += reply.nodes;
            if reply.line.is_some() {
                found.insert(m, SolvedValue::only(GameValue::Loss));
            }
            if count == open.len() || count % MOVES_PER_REPORT == 0 {
                values = with_threats(first.clone(), &found, line.as_ref(), nodes);
                report(&values);
            }
        }
        if !values.is_proved()
            && let Some(left) = remaining.after(nodes)
        {
            let threats = nodes - first.nodes;
            let mut merged = |values: &PositionValues<G::Move>| {
                let nodes = values.nodes + threats;
                report(&with_threats(values.clone(), &found, line.as_ref(), nodes));
            };
            let last = self.search.judge(turn, &left, &mut merged);
            let nodes = last.nodes + threats;
            values = with_threats(last, &found, line.as_ref(), nodes);
        }
        values
    }
}

/// The values with what threats have shown, where the search has no proof of its own.
fn with_threats<M: Copy + Eq + core::hash::Hash>(
    mut values: PositionValues<M>,
    found: &Threats<M>,
    line: Option<&Vec<M>>,
    nodes: u64,
) -> PositionValues<M> {
    for value in &mut values.moves {
        if let Some(&solved) = found.get(&value.m)
            && !value.is_proved()
        {
            *value = MoveValue::proved(value.m, solved);
        }
    }
    let mut values = PositionValues::new(values.moves, values.line, nodes);
    let best = values.best().map(|best| best.m);
    let starts_well = |line: &Vec<M>| line.first().copied() == best;
    if let Some(line) = line.filter(|line| starts_well(line)) {
        values.line.clone_from(line);
    } else if !starts_well(&values.line) {
        values.line = best.into_iter().collect();
    }
    values
}
