use core::num::NonZero;
use std::io;
use std::iter;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::rules::Tactics;
use open_ttt_search::{Budget, Prover, Score, StopFlag};

use crate::positions::{layers, successors};
use crate::progress_bar;
use crate::proved_positions::ProvedPositions;

/// How many neighbours one prover takes at a time: enough to share what they have in
/// common, and few enough that all threads end together.
const NEIGHBOURS: usize = 64;

/// Proves the last positions of the book that aren't proved yet, on so many threads, each
/// with a prover whose table takes at most `memory` bytes. Those before them need no
/// search.
pub(crate) fn prove(
    proved: &mut ProvedPositions,
    memory: usize,
    threads: NonZero<usize>,
) -> io::Result<()> {
    let last = layers().pop().unwrap_or_default();
    let bar = progress_bar("{wide_bar} {pos}/{len} positions, {eta} left");
    bar.set_length(last.len() as u64);
    let mut open: Vec<_> = last.into_iter().map(|(game, _)| game).collect();
    open.retain(|game| proved.get(game).is_none());
    bar.set_position(bar.length().unwrap_or(0) - open.len() as u64);
    bar.reset_eta();

    let groups = Mutex::new(open.chunks(NEIGHBOURS));
    let next_group = || groups.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (sender, proofs) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.get() {
            let sender = sender.clone();
            scope.spawn(move || {
                // Neighbours have much in common that the table keeps.
                let mut prover = Prover::new(memory);
                for game in iter::from_fn(next_group).flatten() {
                    let (budget, stop) = (Budget::UNLIMITED, StopFlag::new());
                    let Some((score, _)) = prover.score(game, &budget, &stop) else {
                        return;
                    };
                    if sender.send((game, score)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (game, score) in proofs {
            proved.append(game, score)?;
            bar.inc(1);
        }
        bar.finish();
        Ok(())
    })
}

/// Adds the positions whose score follows from those of their successors.
pub(crate) fn complete(proved: &mut ProvedPositions) {
    for (game, _) in layers().iter().rev().flatten() {
        if proved.get(game).is_none()
            && let Some(score) = score_from_successors(proved, game)
        {
            proved.insert(game, score);
        }
    }
}

/// The score of a position, if all its successors are known.
fn score_from_successors(proved: &ProvedPositions, game: &ConnectFour) -> Option<Score> {
    let known = |after: ConnectFour| {
        let win = after.wins_at_once().then(|| Score::win_in(1));
        win.or_else(|| proved.get(&after))
    };
    let replies = successors(game).map(known).collect::<Option<Vec<_>>>()?;
    // The opponent's lowest score is this side's highest.
    let lowest = replies.into_iter().min()?;
    Some(match lowest.plies() {
        None => Score::DRAW,
        Some(plies) if lowest > Score::DRAW => Score::loss_in(plies + 1),
        Some(plies) => Score::win_in(plies + 1),
    })
}
