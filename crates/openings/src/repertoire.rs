use std::collections::HashSet;
use std::io;

use indicatif::ProgressBar;
use open_ttt_lib::rules::{Side, Symmetry, Tactics};
use open_ttt_search::{Budget, Prover, Score, StopFlag};

use crate::proved::Proved;

/// Proves the positions in which `seat` has to move within the first `plies`
/// moves, if it plays one best move each time and the opponent anything, and
/// with each the position after that move.
pub(crate) fn prove<G>(
    start: &G,
    seat: Side,
    plies: u32,
    prover: &mut Prover<G>,
    proved: &mut Proved,
    bar: &ProgressBar,
) -> io::Result<()>
where
    G: Tactics + Symmetry + Sync,
{
    let mut layer = vec![start.clone()];
    for ply in 0..plies {
        bar.set_message(format!("{seat:?} player, after {ply} plies"));
        bar.set_length(layer.len() as u64);
        bar.set_position(0);
        let mut next = Layer::default();
        for game in layer {
            if game.to_move() == seat {
                if let Some(after) = prove_position(&game, prover, proved)? {
                    next.add(&after);
                }
            } else {
                for m in game.moves() {
                    next.add(&game.after(m));
                }
            }
            bar.inc(1);
        }
        layer = next.positions;
    }
    Ok(())
}

/// Proves every position of the first `plies` moves, whatever both sides play.
///
/// The last ones are proved; those before follow from them.
pub(crate) fn prove_all<G>(
    start: &G,
    plies: u32,
    prover: &mut Prover<G>,
    proved: &mut Proved,
    bar: &ProgressBar,
) -> io::Result<()>
where
    G: Tactics + Symmetry + Sync,
{
    let mut layers = vec![vec![start.clone()]];
    for ply in 0..plies as usize {
        let mut next = Layer::default();
        for game in &layers[ply] {
            for m in game.moves() {
                next.add(&game.after(m));
            }
        }
        layers.push(next.positions);
    }
    for (ply, layer) in layers.iter().enumerate().rev() {
        bar.set_message(format!("every position after {ply} plies"));
        bar.set_length(layer.len() as u64);
        bar.set_position(0);
        for game in layer {
            if !game.wins_at_once()
                && let Some(score) = worth(game, prover, proved)
            {
                proved.put(game, score)?;
            }
            bar.inc(1);
        }
    }
    Ok(())
}

/// Proves a position and the one after a best move, and gives that one; none
/// where the game is won at once, which is seen without a book.
fn prove_position<G>(game: &G, prover: &mut Prover<G>, proved: &mut Proved) -> io::Result<Option<G>>
where
    G: Tactics + Symmetry + Sync,
{
    if game.wins_at_once() {
        return Ok(None);
    }
    let Some(score) = worth(game, prover, proved) else {
        return Ok(None);
    };
    proved.put(game, score)?;
    let reply = reply_to_best(score);
    let known = game
        .moves()
        .map(|m| game.after(m))
        .find(|after| proved.get(after) == Some(reply));
    if known.is_some() {
        return Ok(known);
    }
    let Some((m, _)) = prover.best_move(game, &Budget::UNLIMITED, &StopFlag::new()) else {
        return Ok(None);
    };
    let after = game.after(m);
    if after.outcome().is_none() {
        proved.put(&after, reply)?;
    }
    Ok(Some(after))
}

/// What a position is worth: as proved before, as follows from the positions
/// after it, or as proved now.
fn worth<G>(game: &G, prover: &mut Prover<G>, proved: &Proved) -> Option<Score>
where
    G: Tactics + Symmetry + Sync,
{
    proved
        .get(game)
        .or_else(|| best_of_known(game, proved))
        .or_else(|| {
            let proof = prover.score(game, &Budget::UNLIMITED, &StopFlag::new());
            proof.map(|(score, _)| score)
        })
}

/// What a position is worth, if all positions after it are known.
fn best_of_known<G: Tactics + Symmetry>(game: &G, proved: &Proved) -> Option<Score> {
    let known = |after: G| {
        if after.wins_at_once() {
            return Some(Score::win_in(1));
        }
        proved.get(&after)
    };
    let replies = game
        .moves()
        .map(|m| known(game.after(m)))
        .collect::<Option<Vec<_>>>()?;
    // The worst for the opponent is the best for the side to move.
    let worst = replies.into_iter().min()?;
    Some(match worst.plies() {
        None => Score::DRAW,
        Some(plies) if worst > Score::DRAW => Score::loss_in(plies + 1),
        Some(plies) => Score::win_in(plies + 1),
    })
}

/// What a position is worth to the opponent after a best move.
fn reply_to_best(score: Score) -> Score {
    match score.plies() {
        None => Score::DRAW,
        Some(plies) if score > Score::DRAW => Score::loss_in(plies.saturating_sub(1)),
        Some(plies) => Score::win_in(plies.saturating_sub(1)),
    }
}

/// Positions, one for all its images, in the order they were found in.
#[derive(Debug)]
struct Layer<G> {
    positions: Vec<G>,
    keys: HashSet<u64>,
}

impl<G> Default for Layer<G> {
    fn default() -> Self {
        Self {
            positions: Vec::new(),
            keys: HashSet::new(),
        }
    }
}

impl<G: Tactics + Symmetry> Layer<G> {
    fn add(&mut self, game: &G) {
        let canonical = game.canonical();
        if canonical.outcome().is_none() && self.keys.insert(canonical.key()) {
            self.positions.push(canonical);
        }
    }
}
