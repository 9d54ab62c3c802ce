use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::MatchStatistics;

use super::curve::EloCurve;

/// How often a game that has ended is shown.
const SHOWN_EVERY: Duration = Duration::from_millis(300);

/// What is known of a match between two computers before it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaMatch {
    /// The game.
    pub game: String,
    /// The player whose score is shown.
    pub a: String,
    /// Its opponent.
    pub b: String,
    /// The number of games, or the most games if the match may end before.
    pub games: u32,
    /// Whether a test may end the match before all games are played.
    pub is_tested: bool,
}

/// How far a match between two computers is. Clones share it: one is for the match, another
/// for the [screen](crate::Screen::watch_arena).
#[derive(Clone)]
pub struct ArenaProgress<G: TwoPlayerGame> {
    progress: Arc<Mutex<Progress<G>>>,
    /// Notified at the end.
    ended: Arc<Condvar>,
}

/// The state of a match, as of the last game that has ended.
pub(super) struct Progress<G> {
    pub(super) of: ArenaMatch,
    started: Instant,
    pub(super) statistics: MatchStatistics,
    pub(super) curve: EloCurve,
    /// How far the test is.
    pub(super) test: Option<String>,
    /// The final position of a game, and when it ended.
    pub(super) last: Option<(G, Instant)>,
    pub(super) is_stopping: bool,
    pub(super) is_over: bool,
}

impl<G: TwoPlayerGame> ArenaProgress<G> {
    /// A match that begins now.
    pub fn new(of: ArenaMatch) -> Self {
        let progress = Progress {
            of,
            started: Instant::now(),
            statistics: MatchStatistics::default(),
            curve: EloCurve::default(),
            test: None,
            last: None,
            is_stopping: false,
            is_over: false,
        };
        Self {
            progress: Arc::new(Mutex::new(progress)),
            ended: Arc::default(),
        }
    }

    /// Counts a game that has ended in this position. `test` tells how far the test is, if
    /// there is one.
    pub fn count(&self, statistics: &MatchStatistics, position: &G, test: Option<String>) {
        let now = Instant::now();
        let mut progress = self.lock();
        progress.statistics = *statistics;
        progress.test = test;
        if let Some(elo) = statistics.elo() {
            progress.curve.add(statistics.score.games(), elo);
        }
        let is_due = |(_, at): &(G, Instant)| now.duration_since(*at) >= SHOWN_EVERY;
        if progress.last.as_ref().is_none_or(is_due) {
            progress.last = Some((position.clone(), now));
        }
    }

    /// Ends the match. A screen that shows it is left.
    pub fn finish(&self) {
        self.lock().is_over = true;
        self.ended.notify_all();
    }

    /// Waits for the end of the match, but only so long. Returns whether it has come.
    pub fn finishes_within(&self, time: Duration) -> bool {
        let waiting = |progress: &mut Progress<G>| !progress.is_over;
        let waited = self.ended.wait_timeout_while(self.lock(), time, waiting);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_over
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Progress<G>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: TwoPlayerGame> fmt::Debug for ArenaProgress<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let progress = self.lock();
        f.debug_struct("ArenaProgress")
            .field("match", &progress.of)
            .field("statistics", &progress.statistics)
            .field("is_over", &progress.is_over)
            .finish_non_exhaustive()
    }
}

impl<G> Progress<G> {
    /// The number of games played.
    pub(super) const fn games(&self) -> u32 {
        self.statistics.score.games()
    }

    /// Games per second so far; `None` before the first.
    pub(super) fn speed(&self, now: Instant) -> Option<f64> {
        let seconds = now.duration_since(self.started).as_secs_f64();
        (self.games() > 0 && seconds > 0.0).then(|| f64::from(self.games()) / seconds)
    }

    /// The time until all games are played, at the speed so far.
    pub(super) fn time_left(&self, now: Instant) -> Option<Duration> {
        let left = self.of.games.saturating_sub(self.games());
        let seconds = f64::from(left) / self.speed(now)?;
        Duration::try_from_secs_f64(seconds).ok()
    }
}
