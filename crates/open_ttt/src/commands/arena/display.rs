use std::process;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::ProgressBar;
use open_ttt_app::{ArenaMatch, ArenaProgress, FullScreen, SessionEnd, elo_text};
use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::Named;
use open_ttt_players::{MatchGame, MatchStatistics, Sprt};
use open_ttt_search::StopFlag;

use super::{ArenaArgs, counts, llr_text};
use crate::commands::progress_bar;
use crate::failure::Failure;
use crate::settings::UserSettings;

/// A match that is over before this gets no screen, which would only flash.
const WITHOUT_SCREEN: Duration = Duration::from_millis(300);

/// The exit status of a program that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;

/// Shows how far a match is while it is played.
pub(super) enum Display {
    /// A line on standard error.
    Line(ProgressBar),
    /// The full screen, on a thread of its own, so that the match never waits.
    Screen {
        progress: ArenaProgress<DynGame>,
        thread: JoinHandle<Result<(), SessionEnd>>,
    },
}

impl Display {
    pub(super) fn line(args: &ArenaArgs) -> Self {
        Self::Line(progress_bar(
            args.games.into(),
            "{wide_bar} {pos}/{len} games, {msg}, {eta} left",
        ))
    }

    /// The flag, which is the one of interrupts, is raised when the person wants to stop the
    /// match, or when the screen fails: then there would be no key to stop it.
    pub(super) fn screen(args: &ArenaArgs, stop: &StopFlag) -> Self {
        let progress = ArenaProgress::new(ArenaMatch {
            game: args.game.name(),
            a: args.a.to_string(),
            b: args.b.to_string(),
            games: args.games,
            is_tested: args.sprt.is_some(),
        });
        let (shown, stop, display) = (progress.clone(), stop.clone(), args.display.clone());
        let thread = thread::spawn(move || {
            if shown.finishes_within(WITHOUT_SCREEN) {
                return Ok(());
            }
            let settings = UserSettings::load(&display);
            if let Some(problem) = settings.take_problem() {
                Failure::failed(problem).print();
            }
            FullScreen::leave_interrupts_to_the_program();
            let mut screen = settings.open_silently().inspect_err(|_| stop.raise())?;
            let end = screen.watch_arena(&shown, || stop.raise());
            drop(screen);
            settings.report();
            match end {
                Err(SessionEnd::Quit) => process::exit(INTERRUPTED),
                end => end.inspect_err(|_| stop.raise()),
            }
        });
        Self::Screen { progress, thread }
    }

    /// Counts a game that has ended.
    pub(super) fn count(
        &self,
        game: &MatchGame<DynGame>,
        statistics: &MatchStatistics,
        sprt: Option<&Sprt>,
    ) {
        match self {
            Self::Line(bar) => {
                if !bar.is_hidden() {
                    bar.set_message(score(statistics, sprt));
                }
                bar.inc(1);
            }
            Self::Screen { progress, .. } => {
                let test = sprt.map(|sprt| llr_text(sprt, statistics));
                progress.count(statistics, &game.record.position, test);
            }
        }
    }

    /// Leaves the terminal as it was, and returns what has gone wrong on it.
    pub(super) fn close(self) -> Result<(), Failure> {
        match self {
            Self::Line(bar) => bar.finish_and_clear(),
            Self::Screen { progress, thread } => {
                progress.finish();
                let ended = thread.join();
                let panicked = |_| Failure::failed("the screen's thread panicked");
                if let Err(SessionEnd::Failed(error)) = ended.map_err(panicked)? {
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }
}

/// The score on the progress bar.
fn score(statistics: &MatchStatistics, sprt: Option<&Sprt>) -> String {
    let [wins, draws, losses] = counts(statistics.score);
    let elo = statistics.elo().map_or_else(String::new, |elo| {
        format!(", Elo {} to {}", elo_text(elo.low), elo_text(elo.high))
    });
    let llr = sprt.map_or_else(String::new, |sprt| {
        format!(", {}", llr_text(sprt, statistics))
    });
    format!("{wins}-{draws}-{losses}{elo}{llr}")
}
