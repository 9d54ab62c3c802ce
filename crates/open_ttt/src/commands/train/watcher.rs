use std::io::{self, IsTerminal};

use open_ttt_learn::{Event, Learnable, Run};
use open_ttt_lib::rules::Named;
use open_ttt_search::StopFlag;

use super::progress::Bar;
use super::view::Screen;
use crate::failure::Failure;

/// Whether this can be done: to be asked before anything is.
pub(super) fn check(whole_screen: bool) -> Result<(), Failure> {
    if whole_screen && !io::stdout().is_terminal() {
        return Err(Failure::usage("--watch needs a terminal to draw on"));
    }
    Ok(())
}

/// What people see of a run while it goes on.
pub(super) enum Watcher {
    Line(Bar),
    Screen(Screen),
}

impl Watcher {
    /// A line on standard error, or the whole terminal. Who leaves that raises the
    /// flag.
    pub(super) fn new<G>(whole_screen: bool, run: &Run<G>, stop: &StopFlag) -> Result<Self, Failure>
    where
        G: Learnable + Named,
    {
        let learner = run.learner();
        let iterations = learner.config().iterations;
        if !whole_screen {
            return Ok(Self::Line(Bar::new(iterations, learner.iteration())));
        }
        let name = learner.start().name();
        let screen = Screen::open(name, iterations, run.history(), stop.clone());
        screen.map(Self::Screen).map_err(Failure::failed)
    }

    pub(super) fn tell(&self, event: &Event<'_>) {
        match self {
            Self::Line(bar) => bar.tell(event),
            Self::Screen(screen) => screen.tell(event),
        }
    }

    /// Leaves the terminal as it was.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Line(bar) => {
                bar.finish();
                Ok(())
            }
            Self::Screen(screen) => screen.close().map_err(Failure::failed),
        }
    }
}
