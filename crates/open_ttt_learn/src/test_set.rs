//! How well a network plays positions with known best moves.

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, Outcome, Side};
use open_ttt_nn::Network;
use open_ttt_players::NetworkModel;
use open_ttt_search::{GumbelOptions, GumbelSearch, LockStep, LockStepOptions, StopFlag};
use serde::{Deserialize, Serialize};

use crate::Interrupted;

/// Positions with their best moves.
#[derive(Clone, Debug)]
pub struct TestSet<G> {
    /// The positions, and whether each move is a best one, in the order of the game's moves.
    positions: Vec<(G, Vec<bool>)>,
}

/// How many test positions a network answered with a best move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Correct answers.
    #[serde(rename = "right")]
    pub correct: u32,
    /// All positions.
    #[serde(rename = "all")]
    pub total: u32,
    /// Correct answers in critical positions: those where some move isn't a best one.
    #[serde(rename = "critical_right")]
    pub critical_correct: u32,
    /// All critical positions.
    #[serde(rename = "critical")]
    pub critical_total: u32,
}

/// In how many lines of play a network lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesLost {
    /// The number of lines, with the network on either side.
    pub lines: u64,
    /// How many of them the network lost.
    pub lost: u64,
}

/// How many positions are searched in lock-step.
const CHUNK: usize = 256;

impl<G: Encode + 'static> TestSet<G> {
    /// An empty set.
    pub const fn new() -> Self {
        Self {
            positions: Vec::new(),
        }
    }

    /// Adds a position and its best moves, unless none of these is legal.
    pub fn add(&mut self, game: &G, best: &[G::Move]) {
        let is_best: Vec<_> = game.moves().map(|m| best.contains(&m)).collect();
        if is_best.contains(&true) {
            self.positions.push((game.clone(), is_best));
        }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Tests a network with this many simulations per move; 0 tests the policy alone.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised or the network's output isn't finite.
    pub fn evaluate(
        &self,
        network: &Network,
        simulations: u32,
        stop: &StopFlag,
    ) -> Result<Accuracy, Interrupted> {
        let mut chooser = MoveChooser::new(network, simulations);
        let mut accuracy = Accuracy::default();
        for positions in self.positions.chunks(CHUNK) {
            if stop.is_raised() {
                return Err(Interrupted::Stopped);
            }
            let chosen = chooser.choose(positions.iter().map(|(game, _)| game))?;
            for ((game, is_best), chosen) in positions.iter().zip(chosen) {
                let index = game.moves().position(|m| Some(m) == chosen);
                let correct = u32::from(index.is_some_and(|index| is_best[index]));
                let critical = u32::from(is_best.contains(&false));
                accuracy.total += 1;
                accuracy.correct += correct;
                accuracy.critical_total += critical;
                accuracy.critical_correct += critical * correct;
            }
        }
        Ok(accuracy)
    }
}

impl<G: Encode + 'static> Default for TestSet<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl Accuracy {
    /// The share of correct answers; `None` without positions.
    pub fn share(&self) -> Option<f64> {
        share(self.correct, self.total)
    }

    /// The share of correct answers in critical positions; `None` without any.
    pub fn critical_share(&self) -> Option<f64> {
        share(self.critical_correct, self.critical_total)
    }
}

fn share(correct: u32, total: u32) -> Option<f64> {
    (total > 0).then(|| f64::from(correct) / f64::from(total))
}

/// Plays a network against every line of play of its opponent, once on each side.
/// `None` if there are more than `max_lines`.
///
/// # Errors
///
/// [`Interrupted`] if the flag is raised or the network's output isn't finite.
pub fn lines_lost<G: Encode + 'static>(
    start: &G,
    network: &Network,
    simulations: u32,
    max_lines: u64,
    stop: &StopFlag,
) -> Result<Option<LinesLost>, Interrupted> {
    let mut chooser = MoveChooser::new(network, simulations);
    let mut found = LinesLost::default();
    for side in [Side::First, Side::Second] {
        let mut open = vec![start.clone()];
        // Breadth first, so that the network's positions are evaluated in batches.
        while !open.is_empty() {
            if stop.is_raised() {
                return Err(Interrupted::Stopped);
            }
            let (own, others): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|game| game.to_move() == side);
            open = Vec::new();
            for game in &others {
                open.extend(game.moves().map(|m| game.after(m)));
            }
            for (game, chosen) in own.iter().zip(chooser.choose(own.iter())?) {
                open.extend(chosen.map(|m| game.after(m)));
            }
            open.retain(|game| match game.outcome() {
                None => true,
                Some(outcome) => {
                    found.lines += 1;
                    found.lost += u64::from(outcome == Outcome::Win(!side));
                    false
                }
            });
            if found.lines + open.len() as u64 > max_lines {
                return Ok(None);
            }
        }
    }
    Ok(Some(found))
}

/// Chooses moves by a network, without randomness.
struct MoveChooser<'a> {
    lock_step: LockStep<NetworkModel<&'a Network>>,
    options: GumbelOptions,
}

impl<'a> MoveChooser<'a> {
    fn new(network: &'a Network, simulations: u32) -> Self {
        Self {
            lock_step: LockStep::new(NetworkModel::new(network), LockStepOptions::default()),
            options: GumbelOptions {
                // The policy alone gets no help from proofs.
                proves: simulations > 0,
                ..GumbelOptions::trusting(simulations)
            },
        }
    }

    /// The move in each position; `None` where the game is over.
    fn choose<'g, G: Encode + 'static>(
        &mut self,
        games: impl Iterator<Item = &'g G>,
    ) -> Result<Vec<Option<G::Move>>, Interrupted> {
        // These options draw no noise.
        let mut rng = Rng::new(0);
        let searches = games.map(|game| {
            GumbelSearch::new(game, self.options, &mut rng).with_objective(game.objective())
        });
        let mut searches: Vec<_> = searches.collect();
        self.lock_step.run(&mut searches)?;
        Ok(searches.iter().map(|s| s.answer().chosen).collect())
    }
}
