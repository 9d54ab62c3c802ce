use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use open_ttt_learn::{Metrics, RunEvent, RunPhase};
use open_ttt_search::StopFlag;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event;

use super::super::workers::warning;
use super::{State, draw};

/// How often keys and updates are polled.
const TICK: Duration = Duration::from_millis(100);

/// The terminal with the charts of a run. A thread reads keys and draws, so the run never
/// waits.
#[derive(Debug)]
pub(in super::super) struct Screen {
    updates: Sender<Update>,
    thread: JoinHandle<io::Result<()>>,
}

/// A change of the run.
enum Update {
    Phase(RunPhase),
    Iteration(Box<Metrics>),
    Warning(String),
}

impl Screen {
    /// Takes over the terminal. Leaving before the end of the run raises the flag.
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
        let terminal = ratatui::try_init()?;
        let (updates, receiver) = mpsc::channel();
        let thread = thread::Builder::new().name("view".to_owned());
        let thread = thread.spawn(move || {
            let result = show(terminal, state, &receiver, &stop);
            ratatui::restore();
            // Without the screen there would be no key to stop the run.
            if result.is_err() {
                stop.raise();
            }
            result
        });
        let thread = thread.inspect_err(|_| ratatui::restore())?;
        Ok(Self { updates, thread })
    }

    /// Shows an event.
    pub(in super::super) fn update(&self, event: &RunEvent<'_>) {
        let update = match event {
            RunEvent::Phase(phase) => Update::Phase(*phase),
            RunEvent::Iteration([.., last]) => Update::Iteration(Box::new(last.clone())),
            RunEvent::Worker(notice) => match warning(notice) {
                Some(warning) => Update::Warning(warning),
                None => return,
            },
            _ => return,
        };
        // Fails once the screen is closed.
        let _ = self.updates.send(update);
    }

    /// Shows the finished run until a key leaves it, and restores the terminal. Returns
    /// the error that ended the screen early, if any.
    pub(in super::super) fn close(self) -> io::Result<()> {
        drop(self.updates);
        let ended = self.thread.join();
        ended.unwrap_or_else(|_| Err(io::Error::other("the screen's thread panicked")))
    }
}

/// Draws until a key leaves the finished run, or the flag was raised and the run is over.
fn show(
    mut terminal: DefaultTerminal,
    mut state: State,
    updates: &Receiver<Update>,
    stop: &StopFlag,
) -> io::Result<()> {
    loop {
        terminal.draw(|frame| draw(frame, &state))?;
        while event::poll(Duration::ZERO)? {
            if let event::Event::Key(key) = event::read()? {
                state.press(key);
            }
        }
        if state.is_leaving {
            stop.raise();
        }
        if state.phase.is_none() && stop.is_raised() {
            return Ok(());
        }
        receive(&mut state, updates)?;
    }
}

/// Applies updates, and waits up to a tick for the first.
fn receive(state: &mut State, updates: &Receiver<Update>) -> io::Result<()> {
    if state.phase.is_none() {
        event::poll(TICK)?;
        return Ok(());
    }
    let mut next = updates.recv_timeout(TICK);
    loop {
        match next {
            Ok(update) => state.apply(update),
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                state.phase = None;
                return Ok(());
            }
        }
        next = updates.recv_timeout(Duration::ZERO);
    }
}

impl State {
    fn apply(&mut self, update: Update) {
        match update {
            Update::Phase(phase) => self.phase = Some(phase),
            Update::Warning(warning) => self.warning = Some(warning),
            Update::Iteration(metrics) => {
                // An evaluated iteration arrives a second time.
                let is_new = |known: &Metrics| known.iteration < metrics.iteration;
                let known = self.metrics.iter().rposition(is_new);
                self.metrics.truncate(known.map_or(0, |last| last + 1));
                self.metrics.push(*metrics);
            }
        }
    }
}
