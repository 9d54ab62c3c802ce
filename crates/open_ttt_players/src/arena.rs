use core::fmt;
use core::iter;
use core::num::NonZero;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::play_game::play_on;
use super::{
    GameRecord, Hypothesis, MatchStatistics, Openings, Player, Sprt, Turn, WinStatus, request_move,
};
use open_ttt_lib::random::nth_seed;
use open_ttt_lib::rules::{History, TwoPlayerGame};
use open_ttt_search::StopFlag;

/// A match of many games between two participants.
///
/// Games are played in pairs with the same opening and swapped sides. Every game
/// has its own players, made from its own seed, and games count in their order.
/// So the number of threads and their speed don't change the result, unless a
/// player has a time limit.
///
/// ```
/// use std::num::NonZero;
///
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_players::difficulty::Difficulty;
/// use open_ttt_players::{Participant, Match, MonteCarlo, Openings, Random};
/// use open_ttt_search::{Budget, StopFlag};
///
/// let budget = Budget::nodes(50);
/// let mcts = |seed| MonteCarlo::new(budget).with_difficulty(Difficulty::seeded(seed));
/// let report = Match {
///     start: ConnectFour::new(),
///     a: Participant::new(1, move |seed| Box::new(mcts(seed))),
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
    /// The start position of every game.
    pub start: G,
    /// The participant whose score is reported.
    pub a: Participant<'a, G>,
    /// The opponent of `a`.
    pub b: Participant<'a, G>,
    /// The number of games, unless the test ends the match sooner.
    pub games: u32,
    /// The openings of the games.
    pub openings: Openings<G>,
    /// The test that may end the match after a pair of games.
    pub sprt: Option<Sprt>,
}

/// Makes a player from a seed. The seed determines the player.
pub type PlayerFactory<'a, G> =
    Box<dyn Fn(u64) -> Box<dyn Player<G> + Send + 'a> + Send + Sync + 'a>;

/// A participant of a match, with a new player for each game.
pub struct Participant<'a, G> {
    seed: u64,
    make: PlayerFactory<'a, G>,
}

/// One of the two participants of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParticipantId {
    /// The participant whose score is reported.
    A,
    /// The opponent of `A`.
    B,
}

/// A game of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchGame<G: TwoPlayerGame> {
    /// The index of the game in the match, from 0.
    pub number: u32,
    /// The participant with the first move.
    pub first: ParticipantId,
    /// The number of moves of the opening.
    pub opening: usize,
    /// The game, including the opening.
    pub record: GameRecord<G>,
}

/// The result of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchReport {
    /// The games, from the view of participant A.
    pub statistics: MatchStatistics,
    /// Why the match ended.
    pub end: MatchEnd,
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchEnd {
    /// All games were played.
    Played,
    /// The test accepted this hypothesis.
    Accepted(Hypothesis),
    /// The flag was raised, or a player [failed](Player::failure).
    Stopped,
}

impl<'a, G> Participant<'a, G> {
    /// A participant whose players come from this function. Their seeds follow
    /// from `seed` and the number of the game.
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
    /// The result for participant A.
    pub const fn status(&self) -> WinStatus {
        let result = self.record.result();
        match self.first {
            ParticipantId::A => result.player1,
            ParticipantId::B => result.player2,
        }
    }
}

/// The request to play a game, with the channel for the result.
struct GameRequest<G: TwoPlayerGame> {
    number: u32,
    reply: Sender<MatchGame<G>>,
}

/// Counts a game; returns the hypothesis that the test then accepts.
type Count<'a, G> = dyn FnMut(&MatchGame<G>) -> Option<Hypothesis> + 'a;

/// The games per thread that may be finished ahead of the next one to count: many
/// enough that short games need not wait for long ones, few enough to keep.
const MAX_AHEAD: usize = 64;

impl<G> Match<'_, G>
where
    G: TwoPlayerGame + Send + Sync,
    G::Move: Send + Sync,
{
    /// Plays the match on this number of threads, which end with the call; one
    /// starts no thread.
    ///
    /// `after_game` receives each game in order, with the statistics up to it.
    /// Raising the flag ends the match and abandons unfinished games, which don't
    /// count; so does the [failure](Player::failure) of a player.
    ///
    /// # Panics
    ///
    /// If a player does.
    pub fn play(
        &self,
        threads: NonZero<usize>,
        stop: &StopFlag,
        mut after_game: impl FnMut(&MatchGame<G>, &MatchStatistics),
    ) -> MatchReport {
        let mut statistics = MatchStatistics::default();
        // The result of the first game of an incomplete pair.
        let mut unpaired = None;
        let mut count = |game: &MatchGame<G>| {
            let (status, first_half) = (game.status(), unpaired.take());
            statistics.count(status, first_half);
            after_game(game, &statistics);
            if first_half.is_none() {
                unpaired = Some(status);
                return None;
            }
            self.sprt?.accepted(&statistics.pairs)
        };
        let end = if threads.get() == 1 {
            self.play_on_this_thread(stop, &mut count)
        } else {
            self.play_on_threads(threads.get(), stop, &mut count)
        };
        MatchReport { statistics, end }
    }

    fn play_on_this_thread(&self, stop: &StopFlag, count: &mut Count<'_, G>) -> MatchEnd {
        let play = |number| self.play_game(number, || stop.is_raised(), stop);
        count_in_order((0..self.games).map(play), count)
    }

    /// Distributes the games to threads and counts them in order. Each game has a
    /// channel for its result.
    fn play_on_threads(
        &self,
        threads: usize,
        stop: &StopFlag,
        count: &mut Count<'_, G>,
    ) -> MatchEnd {
        let (requests, queue) = channel::<GameRequest<G>>();
        let queue = Mutex::new(queue);
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let work = || self.play_requests(&queue, &over, stop);
            let started = (0..threads)
                // Continues with fewer threads if the system has no more.
                .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
                .count();
            let end = if started == 0 {
                self.play_on_this_thread(stop, count)
            } else {
                let max_ahead = MAX_AHEAD.saturating_mul(started);
                count_in_order(self.request_games(&requests, max_ahead, stop), count)
            };
            over.store(true, Ordering::Relaxed);
            drop(requests);
            end
        })
    }

    /// Requests the games, and returns them in order.
    fn request_games(
        &self,
        requests: &Sender<GameRequest<G>>,
        max_ahead: usize,
        stop: &StopFlag,
    ) -> impl Iterator<Item = Option<MatchGame<G>>> {
        let mut pending = VecDeque::new();
        let mut numbers = 0..self.games;
        iter::from_fn(move || {
            for number in numbers.by_ref().take(max_ahead - pending.len()) {
                let (reply, game) = channel();
                // Fails only after every thread has panicked; then `game` is
                // closed as well.
                let _ = requests.send(GameRequest { number, reply });
                pending.push_back(game);
            }
            let game = pending.pop_front()?;
            // An abandoned game closes its channel.
            Some(game.recv().ok().filter(|_| !stop.is_raised()))
        })
    }

    fn play_requests(
        &self,
        queue: &Mutex<Receiver<GameRequest<G>>>,
        over: &AtomicBool,
        stop: &StopFlag,
    ) {
        let is_over = || over.load(Ordering::Relaxed) || stop.is_raised();
        while let Some(GameRequest { number, reply }) = next_request(queue) {
            if let Some(game) = self.play_game(number, is_over, stop) {
                // The match may have ended meanwhile.
                let _ = reply.send(game);
            }
        }
    }

    /// Plays a game; `None` if the match ends first.
    fn play_game(
        &self,
        number: u32,
        is_over: impl Fn() -> bool,
        stop: &StopFlag,
    ) -> Option<MatchGame<G>> {
        if is_over() {
            return None;
        }
        let (a, b) = (&self.a, &self.b);
        let (first, participants) = if number.is_multiple_of(2) {
            (ParticipantId::A, [a, b])
        } else {
            (ParticipantId::B, [b, a])
        };
        let mut players = participants.map(|participant| participant.player(number));
        let mut opening = self.openings.moves(&self.start, number / 2);
        // Listed openings may have been checked for another start.
        let mut game = History::new(self.start.clone());
        let legal = opening.iter().take_while(|&&m| game.play(m).is_ok());
        opening.truncate(legal.count());
        let opening_moves = opening.len();
        let record = play_on(game, |game| {
            let turn = Turn::of(game).with_stop(stop.clone());
            let player = &mut players[turn.side.index()];
            let answer = request_move(turn, player);
            // The flag may have cut the player's search short.
            if is_over() || player.failure().is_some() {
                return Err(());
            }
            Ok(answer)
        });
        Some(MatchGame {
            number,
            first,
            opening: opening_moves,
            record: record.ok()?,
        })
    }
}

fn next_request<G: TwoPlayerGame>(
    queue: &Mutex<Receiver<GameRequest<G>>>,
) -> Option<GameRequest<G>> {
    queue.lock().ok()?.recv().ok()
}

/// Counts games until one is abandoned or the test accepts a hypothesis.
fn count_in_order<G: TwoPlayerGame>(
    games: impl Iterator<Item = Option<MatchGame<G>>>,
    count: &mut Count<'_, G>,
) -> MatchEnd {
    for game in games {
        let Some(game) = game else {
            return MatchEnd::Stopped;
        };
        if let Some(accepted) = count(&game) {
            return MatchEnd::Accepted(accepted);
        }
    }
    MatchEnd::Played
}
