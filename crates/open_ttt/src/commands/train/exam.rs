use std::num::NonZero;

use open_ttt_catalog::CatalogGame;
use open_ttt_learn::Exam;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, TwoPlayerGame};
use open_ttt_search::{Budget, Grade, Score, StopFlag};

/// How many questions there are in it.
const QUESTIONS: usize = 200;
/// So many positions are looked at for them.
const POSITIONS: usize = 400;
/// A position that takes more than so many nodes for a move is left out.
const NODES: u64 = 200_000;

/// Questions about a game whose positions can be proved: positions of random
/// games, and which moves keep what each is worth. Always the same ones.
pub(super) fn prepare<G>(start: &G, threads: NonZero<usize>, stop: &StopFlag) -> Exam<G>
where
    G: CatalogGame + Encode,
{
    let mut exam = Exam::new();
    if !start.can_be_proved() {
        return exam;
    }
    let mut rng = Rng::new(1);
    for _ in 0..POSITIONS {
        if exam.len() >= QUESTIONS || stop.is_raised() {
            break;
        }
        let position = random_position(start, &mut rng);
        if let Some(best) = best_moves(&position, threads, stop) {
            exam.ask(&position, &best);
        }
    }
    exam
}

/// A position of a random game: one of those that are not over, each as likely.
fn random_position<G: TwoPlayerGame>(start: &G, rng: &mut Rng) -> G {
    let mut line = vec![start.clone()];
    while let Some(last) = line.last()
        && let Some(m) = rng.pick(last.moves())
    {
        line.push(last.after(m));
    }
    line.pop();
    rng.pick(line).unwrap_or_else(|| start.clone())
}

/// The moves that keep what the position is worth; none if that is not known.
fn best_moves<G: CatalogGame>(
    position: &G,
    threads: NonZero<usize>,
    stop: &StopFlag,
) -> Option<Vec<G::Move>> {
    let mut worths = Vec::new();
    for m in position.moves() {
        let next = position.after(m);
        let worth = if let Some(outcome) = next.outcome() {
            match outcome.winner() {
                Some(side) if side == position.to_move() => 1,
                Some(_) => -1,
                None => 0,
            }
        } else {
            let answer = next.analyze(threads, &Budget::nodes(NODES), stop);
            if !answer.proved {
                return None;
            }
            -sign(answer.score)
        };
        worths.push((m, worth));
    }
    let best = worths.iter().map(|&(_, worth)| worth).max()?;
    let keeps = worths.into_iter().filter(|&(_, worth)| worth == best);
    Some(keeps.map(|(m, _)| m).collect())
}

/// 1 for a win, -1 for a loss.
const fn sign(score: Score) -> i32 {
    match score.grade() {
        Grade::Win => 1,
        Grade::Loss => -1,
        Grade::Evaluation(points) => points.signum(),
    }
}
