//! What a player knows of positions whose best moves are known for sure.

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, Outcome, Side};
use open_ttt_nn::Network;
use open_ttt_players::NetworkModel;
use open_ttt_search::{GumbelOptions, GumbelSearch, LockStep, LockStepOptions, StopFlag};
use serde::{Deserialize, Serialize};

use crate::Interrupted;

/// Positions, and which moves keep what each is worth.
#[derive(Clone, Debug)]
pub struct Exam<G> {
    questions: Vec<Question<G>>,
}

/// A position, and which of its moves are as good as any.
#[derive(Clone, Debug)]
struct Question<G> {
    game: G,
    /// For each move, in the order of the game's moves.
    is_best: Vec<bool>,
}

/// How many questions were answered by a move that keeps the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// Right answers to all questions.
    pub right: u32,
    /// All questions.
    pub all: u32,
    /// Right answers to critical questions: those in which some move is worse
    /// than the best.
    pub critical_right: u32,
    /// All critical questions.
    pub critical: u32,
}

/// So many questions are answered at once.
const TOGETHER: usize = 256;

impl<G: Encode + 'static> Exam<G> {
    /// An exam without questions.
    pub const fn new() -> Self {
        Self {
            questions: Vec::new(),
        }
    }

    /// Adds a position, with the moves that are best there. It is left out if the
    /// game is over there, or none of its moves is among them.
    pub fn ask(&mut self, game: &G, best: &[G::Move]) {
        let is_best: Vec<_> = game.moves().map(|m| best.contains(&m)).collect();
        if is_best.contains(&true) {
            self.questions.push(Question {
                game: game.clone(),
                is_best,
            });
        }
    }

    /// How many questions there are.
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// What a network answers that looks along so many lines for each move; with
    /// none, its policy alone.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised, or the network has gone bad.
    pub fn sit(
        &self,
        network: &Network,
        simulations: u32,
        stop: &StopFlag,
    ) -> Result<Marks, Interrupted> {
        let mut lock_step = LockStep::new(NetworkModel::new(network), LockStepOptions::default());
        let options = GumbelOptions {
            // The policy alone shall not be helped by what is seen at once.
            proves: simulations > 0,
            ..GumbelOptions::trusting(simulations)
        };
        let mut marks = Marks::default();
        // Without noise, chance has no part in it.
        let mut rng = Rng::new(0);
        for questions in self.questions.chunks(TOGETHER) {
            if stop.is_raised() {
                return Err(Interrupted::Stopped);
            }
            let mut searches: Vec<_> = questions
                .iter()
                .map(|question| {
                    GumbelSearch::new(&question.game, options, &mut rng)
                        .with_objective(G::objective())
                })
                .collect();
            lock_step.run(&mut searches).map_err(Interrupted::from)?;
            for (question, search) in questions.iter().zip(&searches) {
                let chosen = search.answer().chosen;
                let place = question.game.moves().position(|m| Some(m) == chosen);
                marks.count(question, place.is_some_and(|place| question.is_best[place]));
            }
        }
        Ok(marks)
    }
}

impl<G: Encode + 'static> Default for Exam<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl Marks {
    fn count<G>(&mut self, question: &Question<G>, is_right: bool) {
        let is_critical = question.is_best.contains(&false);
        self.all += 1;
        self.right += u32::from(is_right);
        self.critical += u32::from(is_critical);
        self.critical_right += u32::from(is_critical && is_right);
    }

    /// The share of right answers; `None` without questions.
    pub fn share(&self) -> Option<f64> {
        share(self.right, self.all)
    }

    /// The share of right answers to critical questions; `None` without any.
    pub fn critical_share(&self) -> Option<f64> {
        share(self.critical_right, self.critical)
    }
}

fn share(right: u32, all: u32) -> Option<f64> {
    (all > 0).then(|| f64::from(right) / f64::from(all))
}

/// In how many lines of play a network loses: it plays its moves, the other side
/// all there are, once with each side; `None` if there are more than `most`
/// lines.
///
/// # Errors
///
/// [`Interrupted`] if the flag is raised, or the network has gone bad.
pub fn lines_lost<G: Encode + 'static>(
    start: &G,
    network: &Network,
    simulations: u32,
    most: u64,
    stop: &StopFlag,
) -> Result<Option<LinesLost>, Interrupted> {
    let options = GumbelOptions {
        proves: simulations > 0,
        ..GumbelOptions::trusting(simulations)
    };
    let mut lock_step = LockStep::new(NetworkModel::new(network), LockStepOptions::default());
    let mut found = LinesLost::default();
    for side in [Side::First, Side::Second] {
        let mut open = vec![start.clone()];
        // Its turns are taken together, so that they are estimated together.
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
            let mut rng = Rng::new(0);
            let mut searches: Vec<_> = own
                .iter()
                .map(|game| {
                    GumbelSearch::new(game, options, &mut rng).with_objective(G::objective())
                })
                .collect();
            lock_step.run(&mut searches).map_err(Interrupted::from)?;
            for (game, search) in own.iter().zip(&searches) {
                open.extend(search.answer().chosen.map(|m| game.after(m)));
            }
            open.retain(|game| match game.outcome() {
                None => true,
                Some(outcome) => {
                    found.lines += 1;
                    found.lost += u64::from(outcome == Outcome::Win(!side));
                    false
                }
            });
            if found.lines + open.len() as u64 > most {
                return Ok(None);
            }
        }
    }
    Ok(Some(found))
}

/// What came of playing against every line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesLost {
    /// All lines, of both sides.
    pub lines: u64,
    /// Those it lost.
    pub lost: u64,
}
