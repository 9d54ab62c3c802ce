use std::io::{self, IsTerminal};

use indicatif::ProgressBar;
use open_ttt_catalog::DynGame;
use open_ttt_learn::{Run, RunEvent};
use open_ttt_lib::rules::Named as _;
use open_ttt_search::StopFlag;

use super::progress;
use super::view::Screen;
use crate::failure::Failure;

/// Checks that charts can be drawn.
pub(super) fn check_terminal() -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        Ok(())
    } else {
        Err(Failure::usage("--watch needs a terminal to draw on"))
    }
}

/// Shows the progress of a run.
pub(super) enum Display {
    Line(ProgressBar),
    Charts(Screen),
}

impl Display {
    /// A line on standard error.
    pub(super) fn line(run: &Run<DynGame>) -> Self {
        let learner = run.learner();
        let iterations = learner.config().iterations;
        Self::Line(progress::progress_line(iterations, learner.iteration()))
    }

    /// Charts in the full terminal. Leaving them raises the flag.
    pub(super) fn charts(run: &Run<DynGame>, stop: &StopFlag) -> Result<Self, Failure> {
        let learner = run.learner();
        let iterations = learner.config().iterations;
        let name = learner.start().name();
        let screen = Screen::open(name, iterations, run.history(), stop.clone());
        screen.map(Self::Charts).map_err(Failure::failed)
    }

    pub(super) fn update(&self, event: &RunEvent<'_>) {
        match self {
            Self::Line(bar) => progress::update(bar, event),
            Self::Charts(screen) => screen.update(event),
        }
    }

    /// Restores the terminal.
    pub(super) fn close(self) -> Result<(), Failure> {
        match self {
            Self::Line(bar) => {
                bar.finish_and_clear();
                Ok(())
            }
            Self::Charts(screen) => screen.close().map_err(Failure::failed),
        }
    }
}
