use std::collections::HashSet;
use std::io;

use indicatif::ProgressBar;
use open_ttt_lib::rules::{Side, Symmetry, Tactics};
use open_ttt_search::{Budget, Prover, Score, StopFlag};

use crate::proved_positions::ProvedPositions;

/// Proves the openings of a game.
pub(crate) struct OpeningProver<G> {
    prover: Prover<G>,
    pub(crate) proved: ProvedPositions,
    bar: ProgressBar,
}

impl<G: Tactics + Symmetry + Sync> OpeningProver<G> {
    pub(crate) fn new(prover: Prover<G>, proved: ProvedPositions, bar: ProgressBar) -> Self {
        Self {
            prover,
            proved,
            bar,
        }
    }

    /// Proves the positions of the first `plies` plies in which `seat` is to move, if
    /// it plays one best move each time and the opponent plays anything, and the
    /// positions after those best moves.
    pub(crate) fn prove_repertoire(&mut self, start: &G, seat: Side, plies: u32) -> io::Result<()> {
        let mut layer = vec![start.clone()];
        for ply in 0..plies {
            self.start_bar(format!("{seat:?} player, after {ply} plies"), layer.len());
            let mut next = Layer::default();
            for game in layer {
                if game.to_move() == seat {
                    if let Some(after) = self.prove_best_move(&game)? {
                        next.add(&after);
                    }
                } else {
                    next.add_successors(&game);
                }
                self.bar.inc(1);
            }
            layer = next.positions;
        }
        Ok(())
    }

    /// Proves all positions of the first `plies` plies. Only the last ones need a
    /// search.
    pub(crate) fn prove_all(&mut self, start: &G, plies: u32) -> io::Result<()> {
        let mut layers = vec![vec![start.clone()]];
        for ply in 0..plies as usize {
            let mut next = Layer::default();
            for game in &layers[ply] {
                next.add_successors(game);
            }
            layers.push(next.positions);
        }
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

    fn start_bar(&self, message: String, positions: usize) {
        self.bar.set_message(message);
        self.bar.set_length(positions as u64);
        self.bar.set_position(0);
    }

    /// Proves a position and the one after a best move, which it returns; `None` if
    /// the game is won at once, which needs no book.
    fn prove_best_move(&mut self, game: &G) -> io::Result<Option<G>> {
        if game.wins_at_once() {
            return Ok(None);
        }
        let Some(score) = self.score(game) else {
            return Ok(None);
        };
        self.proved.insert(game, score)?;
        let reply = score_after_best_move(score);
        let known = game
            .moves()
            .map(|m| game.after(m))
            .find(|after| self.proved.get(after) == Some(reply));
        if known.is_some() {
            return Ok(known);
        }
        let best = self
            .prover
            .best_move(game, &Budget::UNLIMITED, &StopFlag::new());
        let Some((m, _)) = best else {
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
    fn score(&mut self, game: &G) -> Option<Score> {
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
    fn score_from_successors(&self, game: &G) -> Option<Score> {
        let known = |after: G| {
            if after.wins_at_once() {
                return Some(Score::win_in(1));
            }
            self.proved.get(&after)
        };
        let replies = game
            .moves()
            .map(|m| known(game.after(m)))
            .collect::<Option<Vec<_>>>()?;
        // The opponent's lowest score is this side's highest.
        let lowest = replies.into_iter().min()?;
        Some(match lowest.plies() {
            None => Score::DRAW,
            Some(plies) if lowest > Score::DRAW => Score::loss_in(plies + 1),
            Some(plies) => Score::win_in(plies + 1),
        })
    }
}

/// The opponent's score after a best move of a position with this score.
fn score_after_best_move(score: Score) -> Score {
    match score.plies() {
        None => Score::DRAW,
        Some(plies) if score > Score::DRAW => Score::loss_in(plies.saturating_sub(1)),
        Some(plies) => Score::win_in(plies.saturating_sub(1)),
    }
}

/// The positions of a ply without symmetric duplicates, in the order in which they
/// were added.
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
    fn add_successors(&mut self, game: &G) {
        for m in game.moves() {
            self.add(&game.after(m));
        }
    }

    /// Adds a position, unless it is finished.
    fn add(&mut self, game: &G) {
        let canonical = game.canonical();
        if canonical.outcome().is_none() && self.keys.insert(canonical.key()) {
            self.positions.push(canonical);
        }
    }
}
