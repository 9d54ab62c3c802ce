use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use open_ttt_app::FullScreen;
use open_ttt_learn::{Metrics, RunEvent, RunPhase};
use open_ttt_search::StopFlag;
use ratatui::crossterm::event::Event;

use super::super::workers::warning;
use super::{State, draw};

/// How often the screen is drawn.
const TICK: Duration = Duration::from_millis(100);

/// The terminal with the charts of a run. A thread reads keys and draws, so the run never
/// waits.
#[derive(Debug)]
pub(in super::super) struct Screen {
    state: Arc<Mutex<State>>,
    thread: JoinHandle<io::Result<()>>,
}

impl Screen {
    /// Takes over the terminal. Leaving before the end of the run raises the flag, which is the
    /// one of interrupts.
    pub(in super::super) fn open(
        game: String,
        iterations: u32,
        metrics: &[Metrics],
        stop: StopFlag,
    ) -> io::Result<Self> {
        let state = State {
            game,
            iterations,
            metrics: metrics.to_vec(),
            phase: Some(RunPhase::SelfPlay),
            ..State::default()
        };
        let state = Arc::new(Mutex::new(state));
        let shown = Arc::clone(&state);
        FullScreen::leave_interrupts_to_the_program();
        let terminal = FullScreen::open()?;
        let thread = thread::Builder::new().name("view".to_owned());
        let thread = thread.spawn(move || {
            let result = show(terminal, &shown, &stop);
            // Without the screen there would be no key to stop the run.
            if result.is_err() {
                stop.raise();
            }
            result
        });
        Ok(Self {
            state,
            thread: thread?,
        })
    }

    /// Shows an event.
    pub(in super::super) fn update(&self, event: &RunEvent<'_>) {
        lock(&self.state).update(event);
    }

    /// Shows the finished run until a key leaves it, and restores the terminal. Returns
    /// the error that ended the screen early, if any.
    pub(in super::super) fn close(self) -> io::Result<()> {
        lock(&self.state).phase = None;
        let ended = self.thread.join();
        ended.unwrap_or_else(|_| Err(io::Error::other("the screen's thread panicked")))
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws until a key leaves the finished run, or the flag was raised and the run is over.
fn show(mut terminal: FullScreen, state: &Mutex<State>, stop: &StopFlag) -> io::Result<()> {
    loop {
        terminal.draw(|frame| draw(frame, &lock(state)))?;
        let mut timeout = TICK;
        while terminal.has_event(Some(timeout))? {
            if let Event::Key(key) = terminal.next_event()? {
                lock(state).press(key);
            }
            timeout = Duration::ZERO;
        }
        let mut state = lock(state);
        if state.is_leaving {
            stop.raise();
        }
        // An interrupt raises it, too.
        state.is_leaving = stop.is_raised();
        if state.phase.is_none() && stop.is_raised() {
            return Ok(());
        }
    }
}

impl State {
    fn update(&mut self, event: &RunEvent<'_>) {
        match event {
            RunEvent::Phase(phase) => self.phase = Some(*phase),
            RunEvent::Worker(notice) => self.warning = warning(notice).or(self.warning.take()),
            RunEvent::Iteration([.., last]) => {
                // An evaluated iteration arrives a second time.
                let is_new = |known: &Metrics| known.iteration < last.iteration;
                let known = self.metrics.iter().rposition(is_new);
                self.metrics.truncate(known.map_or(0, |last| last + 1));
                self.metrics.push(last.clone());
            }
            _ => {}
        }
    }
}
