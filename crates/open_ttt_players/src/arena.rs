use core::fmt;
use core::num::NonZero;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::{
    GameEnd, GameRecord, Hypothesis, MatchStatistics, Openings, Player, Sprt, WinStatus,
    request_move,
};
use open_ttt_lib::random::nth_seed;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::StopFlag;

/// A match of many games between two contestants.
///
/// Games are played in pairs: both of a pair begin with the same opening, and
/// the contestants change sides between them. Every game has players of its
/// own, made from a seed of its own, and games count in their order. So neither
/// the number of threads nor their speed makes a difference to the result,
/// unless a player looks at a clock.
///
/// ```
/// use std::num::NonZero;
///
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_players::difficulty::Difficulty;
/// use open_ttt_players::{Participant, Match, MonteCarlo, Openings, Random};
/// use open_ttt_search::{Budget, StopFlag};
///
/// let few = Budget::nodes(50);
/// let tree = |seed| MonteCarlo::new(few).with_difficulty(Difficulty::seeded(seed));
/// let report = Match {
///     start: ConnectFour::new(),
///     a: Participant::new(1, move |seed| Box::new(tree(seed))),
///     b: Participant::new(2, |seed| Box::new(Random::seeded(seed))),
///     games: 20,
///     openings: Openings::random(2, 3),
///     sprt: None,
/// }
/// .play(NonZero::<usize>::MIN, &StopFlag::new(), |_, _| {});
/// assert_eq!(report.statistics.score.games(), 20);
/// assert!(report.statistics.score.share() > 0.8);
/// ```
#[derive(Debug)]
pub struct Match<'a, G: TwoPlayerGame> {
    /// Where every game begins.
    pub start: G,
    /// The contestant whose score is told.
    pub a: Participant<'a, G>,
    /// Its opponent.
    pub b: Participant<'a, G>,
    /// How many games are played, unless the test ends the match sooner.
    pub games: u32,
    /// How the games begin.
    pub openings: Openings<G>,
    /// What ends the match as soon as it is clear, looked at after each pair.
    pub sprt: Option<Sprt>,
}

/// Makes a player from a seed: the same player from the same seed.
pub type PlayerFactory<'a, G> =
    Box<dyn Fn(u64) -> Box<dyn Player<G> + Send + 'a> + Send + Sync + 'a>;

/// One who takes part in a match: a player for each game.
pub struct Participant<'a, G> {
    seed: u64,
    make: PlayerFactory<'a, G>,
}

/// Which of the two contestants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParticipantId {
    /// The one whose score is told.
    A,
    /// Its opponent.
    B,
}

/// A game of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchGame<G: TwoPlayerGame> {
    /// Which game of the match it is, counting from 0.
    pub number: u32,
    /// Who had the first move.
    pub first: ParticipantId,
    /// How many of its moves were its opening.
    pub opening: usize,
    /// What was played, the opening included.
    pub record: GameRecord<G>,
}

/// How a match went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchReport {
    /// The games, from the view of contestant A.
    pub statistics: MatchStatistics,
    /// Why there are no more of them.
    pub end: MatchEnd,
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchEnd {
    /// All games were played.
    Played,
    /// The test has accepted this difference.
    Accepted(Hypothesis),
    /// The flag was raised.
    Stopped,
}

impl<'a, G> Participant<'a, G> {
    /// One whose players are made by this function, each from a seed that
    /// comes of this one and the number of the game.
    pub fn new(
        seed: u64,
        make: impl Fn(u64) -> Box<dyn Player<G> + Send + 'a> + Send + Sync + 'a,
    ) -> Self {
        Self {
            seed,
            make: Box::new(make),
        }
    }

    fn player(&self, game: u32) -> Box<dyn Player<G> + Send + 'a> {
        (self.make)(nth_seed(self.seed, game.into()))
    }
}

impl<G> fmt::Debug for Participant<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Participant")
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl<G: TwoPlayerGame> MatchGame<G> {
    /// What the game was for contestant A.
    pub const fn status(&self) -> WinStatus {
        let result = self.record.result();
        match self.first {
            ParticipantId::A => result.player1,
            ParticipantId::B => result.player2,
        }
    }
}

/// A game to be played, and where it is awaited.
struct Order<G: TwoPlayerGame> {
    number: u32,
    reply: Sender<MatchGame<G>>,
}

/// How many games each thread may be ahead of the one that counts next: so
/// many that short games need not wait for a longer one, and few to remember.
const AHEAD: usize = 64;

impl<G> Match<'_, G>
where
    G: TwoPlayerGame + Send + Sync,
    G::Move: Send + Sync,
{
    /// Plays the match.
    ///
    /// So many threads play, and end with the call; with one none is started.
    /// `after_game` is told of each game, in order, and how the match stands
    /// then. When the flag is raised, the games that go on are broken off
    /// between two moves, count for nothing, and the match ends.
    ///
    /// # Panics
    ///
    /// If a player does.
    pub fn play(
        &self,
        threads: NonZero<usize>,
        stop: &StopFlag,
        after_game: impl FnMut(&MatchGame<G>, &MatchStatistics),
    ) -> MatchReport {
        let mut count = Count {
            sprt: self.sprt.as_ref(),
            statistics: MatchStatistics::default(),
            half: None,
            after_game,
        };
        let end = if threads.get() == 1 {
            self.play_alone(stop, &mut count)
        } else {
            self.play_on_threads(threads.get(), stop, &mut count)
        };
        MatchReport {
            statistics: count.statistics,
            end,
        }
    }

    fn play_alone(
        &self,
        stop: &StopFlag,
        count: &mut Count<'_, impl FnMut(&MatchGame<G>, &MatchStatistics)>,
    ) -> MatchEnd {
        for number in 0..self.games {
            let Some(game) = self.play_game(number, || stop.is_raised(), stop) else {
                return MatchEnd::Stopped;
            };
            if let Some(accepted) = count.count(&game) {
                return MatchEnd::Accepted(accepted);
            }
        }
        MatchEnd::Played
    }

    /// Hands the games out to threads, and takes them back in their order: for
    /// each there is a channel of its own to wait at.
    fn play_on_threads(
        &self,
        threads: usize,
        stop: &StopFlag,
        count: &mut Count<'_, impl FnMut(&MatchGame<G>, &MatchStatistics)>,
    ) -> MatchEnd {
        let (orders, desk) = channel::<Order<G>>();
        let desk = Mutex::new(desk);
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let work = || self.play_orders(&desk, &over, stop);
            let started = (0..threads)
                // A thread that is not to be had is done without.
                .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
                .count();
            let end = if started == 0 {
                self.play_alone(stop, count)
            } else {
                let ahead = AHEAD.saturating_mul(started);
                self.count_in_order(&orders, ahead, stop, count)
            };
            over.store(true, Ordering::Relaxed);
            drop(orders);
            end
        })
    }

    fn count_in_order(
        &self,
        orders: &Sender<Order<G>>,
        ahead: usize,
        stop: &StopFlag,
        count: &mut Count<'_, impl FnMut(&MatchGame<G>, &MatchStatistics)>,
    ) -> MatchEnd {
        let mut awaited = VecDeque::new();
        let mut numbers = 0..self.games;
        loop {
            for number in numbers.by_ref().take(ahead - awaited.len()) {
                let (reply, game) = channel();
                // Nobody receives it once every thread has panicked; then
                // nothing comes to `game` either.
                let _ = orders.send(Order { number, reply });
                awaited.push_back(game);
            }
            let Some(game) = awaited.pop_front() else {
                return MatchEnd::Played;
            };
            // Nothing comes of a game that is broken off.
            let Some(game) = game.recv().ok().filter(|_| !stop.is_raised()) else {
                return MatchEnd::Stopped;
            };
            if let Some(accepted) = count.count(&game) {
                return MatchEnd::Accepted(accepted);
            }
        }
    }

    /// Plays games as they are ordered, until no more are.
    fn play_orders(&self, desk: &Mutex<Receiver<Order<G>>>, over: &AtomicBool, stop: &StopFlag) {
        let is_over = || over.load(Ordering::Relaxed) || stop.is_raised();
        while let Some(Order { number, reply }) = next_order(desk) {
            if let Some(game) = self.play_game(number, is_over, stop) {
                // It may have been decided meanwhile that the match is over.
                let _ = reply.send(game);
            }
        }
    }

    /// Plays a game, unless it is over with the match before it has ended.
    fn play_game(
        &self,
        number: u32,
        is_over: impl Fn() -> bool,
        stop: &StopFlag,
    ) -> Option<MatchGame<G>> {
        if is_over() {
            return None;
        }
        let first = match number % 2 {
            0 => ParticipantId::A,
            _ => ParticipantId::B,
        };
        let (a, b) = (&self.a, &self.b);
        let seats = match first {
            ParticipantId::A => [a, b],
            ParticipantId::B => [b, a],
        };
        let mut players = seats.map(|contestant| contestant.player(number));
        let mut position = self.start.clone();
        let mut moves = Vec::new();
        for m in self.openings.line(&self.start, number / 2) {
            // Listed openings may be those of another start.
            if position.play(m).is_err() {
                break;
            }
            moves.push(m);
        }
        let opening = moves.len();
        let end = loop {
            if let Some(outcome) = position.outcome() {
                break GameEnd::Finished(outcome);
            }
            let player = &mut players[position.to_move().index()];
            let answer = request_move(&position, player, stop);
            // Whoever was asked to hurry has not played as well as it can.
            if is_over() {
                return None;
            }
            match answer {
                Ok(m) => {
                    position.play_unchecked(m);
                    moves.push(m);
                }
                Err(end) => break end,
            }
        };
        Some(MatchGame {
            number,
            first,
            opening,
            record: GameRecord {
                start: self.start.clone(),
                moves,
                position,
                end,
            },
        })
    }
}

/// The next game to play; `None` when there is none left.
fn next_order<G: TwoPlayerGame>(desk: &Mutex<Receiver<Order<G>>>) -> Option<Order<G>> {
    desk.lock().ok()?.recv().ok()
}

/// Counts games in their order.
struct Count<'a, F> {
    sprt: Option<&'a Sprt>,
    statistics: MatchStatistics,
    /// The first game of a pair whose second is still to come.
    half: Option<WinStatus>,
    after_game: F,
}

impl<F> Count<'_, F> {
    /// Counts a game; the hypothesis that is accepted with it, if one is.
    fn count<G: TwoPlayerGame>(&mut self, game: &MatchGame<G>) -> Option<Hypothesis>
    where
        F: FnMut(&MatchGame<G>, &MatchStatistics),
    {
        let status = game.status();
        let half = self.half.take();
        self.statistics.count(status, half);
        if half.is_none() {
            self.half = Some(status);
        }
        (self.after_game)(game, &self.statistics);
        let sprt = self.sprt.filter(|_| half.is_some())?;
        sprt.accepted(&self.statistics.pairs)
    }
}
