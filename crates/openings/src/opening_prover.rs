use core::num::NonZero;
use std::collections::HashSet;
use std::io;
use std::sync::mpsc;
use std::thread;

use indicatif::ProgressBar;
use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::rules::{CompactKey, Side, Symmetry, Tactics, TwoPlayerGame};
use open_ttt_search::{Budget, Prover, Score, StopFlag};

use crate::proved_positions::ProvedPositions;

/// Proves the openings.
pub(crate) struct OpeningProver {
    pub(crate) prover: Prover<ConnectFour>,
    pub(crate) proved: ProvedPositions,
    pub(crate) bar: ProgressBar,
}

impl OpeningProver {
    /// Proves the positions of the first `plies` plies in which `seat` is to move, if
    /// it plays one best move each time and the opponent plays anything, and the
    /// positions after those best moves.
    pub(crate) fn prove_repertoire(&mut self, seat: Side, plies: u32) -> io::Result<()> {
        let mut layer = vec![ConnectFour::new()];
        for ply in 0..plies {
            self.start_bar(format!("{seat:?} player, after {ply} plies"), layer.len());
            let mut next = Vec::new();
            for game in layer {
                if game.to_move() == seat {
                    next.extend(self.prove_best_move(&game)?);
                } else {
                    next.extend(successors(&game));
                }
                self.bar.inc(1);
            }
            layer = distinct(next);
        }
        Ok(())
    }

    /// Proves all positions of the first `plies` plies. Only the last ones need a
    /// search, each on one of so many threads, which have a prover each.
    pub(crate) fn prove_all(
        &mut self,
        plies: u32,
        memory: usize,
        threads: NonZero<usize>,
    ) -> io::Result<()> {
        let mut layers = vec![vec![ConnectFour::new()]];
        for ply in 0..plies as usize {
            layers.push(distinct(layers[ply].iter().flat_map(successors)));
        }
        let last = layers.pop().unwrap_or_default();
        self.start_bar(format!("all positions after {plies} plies"), last.len());
        let is_open = |game: &ConnectFour| !game.wins_at_once() && self.proved.get(game).is_none();
        let open: Vec<_> = last.into_iter().filter(is_open).collect();
        self.bar
            .set_position(self.bar.length().unwrap_or(0) - open.len() as u64);
        self.bar.reset_eta();
        self.prove_each(&open, memory / threads, threads)?;
        for (ply, layer) in layers.iter().enumerate().rev() {
            self.start_bar(format!("all positions after {ply} plies"), layer.len());
            for game in layer {
                if !game.wins_at_once()
                    && let Some(score) = self.score(game)
                {
                    self.proved.insert(game, score)?;
                }
                self.bar.inc(1);
            }
        }
        Ok(())
    }

    /// Proves these positions, neighbours by the same prover: it knows much of what
    /// follows from the next one already.
    fn prove_each(
        &mut self,
        positions: &[ConnectFour],
        memory: usize,
        threads: NonZero<usize>,
    ) -> io::Result<()> {
        let share = positions.len().div_ceil(threads.get()).max(1);
        let (sender, proofs) = mpsc::channel();
        thread::scope(|scope| {
            for positions in positions.chunks(share) {
                let sender = sender.clone();
                scope.spawn(move || {
                    let mut prover = Prover::new(memory);
                    for game in positions {
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
                self.proved.insert(game, score)?;
                self.bar.inc(1);
            }
            Ok(())
        })
    }

    fn start_bar(&self, message: String, positions: usize) {
        self.bar.set_message(message);
        self.bar.set_length(positions as u64);
        self.bar.set_position(0);
    }

    /// Proves a position and the one after a best move, which it returns; `None` if
    /// the game is won at once, which needs no book.
    fn prove_best_move(&mut self, game: &ConnectFour) -> io::Result<Option<ConnectFour>> {
        if game.wins_at_once() {
            return Ok(None);
        }
        let Some(score) = self.score(game) else {
            return Ok(None);
        };
        self.proved.insert(game, score)?;
        let reply = for_opponent(score, |plies| plies.saturating_sub(1));
        let known = successors(game).find(|after| self.proved.get(after) == Some(reply));
        if known.is_some() {
            return Ok(known);
        }
        let (budget, stop) = (Budget::UNLIMITED, StopFlag::new());
        let Some((m, _)) = self.prover.best_move(game, &budget, &stop) else {
            return Ok(None);
        };
        let after = game.after(m);
        if after.outcome().is_none() {
            self.proved.insert(&after, reply)?;
        }
        Ok(Some(after))
    }

    /// The score of a position: proved before, implied by its successors, or proved
    /// now.
    fn score(&mut self, game: &ConnectFour) -> Option<Score> {
        self.proved
            .get(game)
            .or_else(|| self.score_from_successors(game))
            .or_else(|| {
                let budget = Budget::UNLIMITED;
                let proof = self.prover.score(game, &budget, &StopFlag::new());
                proof.map(|(score, _)| score)
            })
    }

    /// The score of a position, if all its successors are known.
    fn score_from_successors(&self, game: &ConnectFour) -> Option<Score> {
        let known = |after: ConnectFour| {
            let win = after.wins_at_once().then(|| Score::win_in(1));
            win.or_else(|| self.proved.get(&after))
        };
        let replies = successors(game).map(known).collect::<Option<Vec<_>>>()?;
        // The opponent's lowest score is this side's highest.
        let lowest = replies.into_iter().min()?;
        Some(for_opponent(lowest, |plies| plies + 1))
    }
}

/// The score for the other side, at another number of plies from the end.
fn for_opponent(score: Score, plies: impl Fn(u32) -> u32) -> Score {
    match score.plies() {
        None => Score::DRAW,
        Some(left) if score > Score::DRAW => Score::loss_in(plies(left)),
        Some(left) => Score::win_in(plies(left)),
    }
}

fn successors(game: &ConnectFour) -> impl Iterator<Item = ConnectFour> {
    game.moves().map(|m| game.after(m))
}

/// The unfinished positions without symmetric duplicates, in order.
fn distinct(positions: impl IntoIterator<Item = ConnectFour>) -> Vec<ConnectFour> {
    let mut keys = HashSet::new();
    let positions = positions.into_iter().map(|game| game.canonical());
    positions
        .filter(|game| game.outcome().is_none() && keys.insert(game.key()))
        .collect()
}
