use std::collections::HashMap;

use open_ttt_lib::rules::{Heuristic, LineGame, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{
    Budget, HeuristicEvaluator, LineWins, ProvedOutcome, StopFlag, fastest_line_wins, forced_win,
    line_defences,
};

use crate::remaining::Remaining;
use crate::{FastestWin, GameValue, Judge, MoveValue, PositionValues, SearchJudge, SolvedValue};

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
    /// The last position in which every fast win was found, with these.
    fastest: Option<(G, LineWins<G::Move>)>,
}

/// The positions visited to find a win by threats, and one after each of the moves.
const ATTACK: u64 = 100_000;
const DEFENCE: u64 = 2_000;

/// The plies within which every win is found, and those within which every move that loses
/// is: one more is too much for a board of 225 cells.
const WIN_PLIES: u32 = 7;
const LOSS_PLIES: u32 = WIN_PLIES - 1;

/// The most moves in a position that alpha-beta search may well decide.
const FEW_MOVES: usize = 20;

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
            fastest: None,
        }
    }

    /// The same judge with what the game knows of who wins.
    pub fn with_known(self, known: fn(&G, &StopFlag) -> Option<ProvedOutcome<G::Move>>) -> Self {
        Self { known, ..self }
    }

    /// Every win within some plies that is as fast as any.
    fn fastest_wins(&mut self, game: &G, budget: &Budget, stop: &StopFlag) -> LineWins<G::Move> {
        if let Some((position, wins)) = &self.fastest
            && position == game
        {
            return LineWins::clone(wins);
        }
        let wins = fastest_line_wins(game, &within(WIN_PLIES, budget), stop);
        // What was interrupted may be found later.
        let is_whole = !wins.moves.is_empty() || wins.plies >= WIN_PLIES;
        self.fastest = is_whole.then(|| (game.clone(), wins.clone()));
        wins
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
        let plies = budget.depth.map_or(2, |depth| depth.min(2));
        let first = self.search.judge(turn, &Budget::depth(plies), report);
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
        nodes += add_losses(game, &remaining, nodes, stop, &mut found);
        values = with_threats(first.clone(), &found, line.as_ref(), nodes);
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

    /// By threats alone, unless so few moves are left that a search may prove them all.
    fn prove(&mut self, turn: &Turn<'_, G>, budget: &Budget) -> PositionValues<G::Move> {
        let (game, stop) = (turn.game, &turn.stop);
        if game.moves().count() <= FEW_MOVES {
            return self.judge(turn, budget, &mut |_| ());
        }
        let remaining = Remaining::new(budget);
        let first = self.search.judge(turn, &Budget::depth(1), &mut |_| ());
        let mut nodes = first.nodes;
        let mut found = Threats::new();
        if let Some(left) = remaining.after(nodes) {
            let wins = self.fastest_wins(game, &left, stop);
            nodes += wins.nodes;
            let win = SolvedValue::only(GameValue::Win).with_plies(Some(wins.plies));
            found.extend(wins.moves.into_iter().map(|m| (m, win)));
        }
        if found.is_empty() {
            nodes += add_losses(game, &remaining, nodes, stop, &mut found);
            let open = game.moves().filter(|m| !found.contains_key(m));
            let open: Vec<_> = open.collect();
            // Where nothing is threatened, hardly any move loses.
            let few = if open.len() <= FEW_MOVES { &*open } else { &[] };
            for &m in few {
                let Some(defence) = remaining.slice(nodes, DEFENCE) else {
                    break;
                };
                let reply = forced_win(&game.after(m), &defence, stop);
                nodes += reply.nodes;
                if reply.line.is_some() {
                    found.insert(m, SolvedValue::only(GameValue::Loss));
                }
            }
        }
        with_threats(first, &found, None, nodes)
    }

    /// Every win within seven plies.
    fn fastest_win(&mut self, turn: &Turn<'_, G>, budget: &Budget) -> Option<FastestWin<G::Move>> {
        let wins = self.fastest_wins(turn.game, budget, &turn.stop);
        match wins.moves[..] {
            [m] if turn.game.moves().nth(1).is_some() => {
                let plies = wins.plies;
                Some(FastestWin { m, plies })
            }
            _ => None,
        }
    }

    fn longest_defence(
        &mut self,
        turn: &Turn<'_, G>,
        plies: u32,
        budget: &Budget,
    ) -> Option<G::Move> {
        let sooner = plies.saturating_sub(2);
        let defences = line_defences(turn.game, &within(sooner, budget), &turn.stop);
        let is_whole = defences.plies >= sooner;
        defences.moves.first().copied().filter(|_| is_whole)
    }
}

/// The budget with a depth of at most so many plies.
fn within(plies: u32, budget: &Budget) -> Budget {
    Budget {
        depth: Some(budget.depth.map_or(plies, |depth| depth.min(plies))),
        ..*budget
    }
}

/// Adds the moves that lose within a few plies, if something else doesn't; returns the
/// number of positions visited.
fn add_losses<G: LineGame>(
    game: &G,
    remaining: &Remaining,
    nodes: u64,
    stop: &StopFlag,
    found: &mut Threats<G::Move>,
) -> u64 {
    let mut visited = 0;
    // What loses within more plies, but not within fewer, loses in just so many.
    for plies in (2..=LOSS_PLIES).step_by(2) {
        let Some(left) = remaining.after(nodes + visited) else {
            break;
        };
        let defences = line_defences(game, &within(plies, &left), stop);
        visited += defences.nodes;
        if defences.plies < plies {
            break;
        }
        let loss = SolvedValue::only(GameValue::Loss).with_plies(Some(plies));
        for m in game.moves().filter(|m| !defences.moves.contains(m)) {
            found.entry(m).or_insert(loss);
        }
    }
    visited
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
