use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use open_ttt_learn::{Event, Metrics, Phase};
use open_ttt_search::StopFlag;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event;

use super::super::team::remark;
use super::{Chart, State, draw};

/// How long a key or something new may wait until it is seen.
const PATIENCE: Duration = Duration::from_millis(100);

/// The terminal while a run is watched. A thread of its own reads the keys and
/// draws, so the run waits for neither.
#[derive(Debug)]
pub(in super::super) struct Screen {
    news: Sender<News>,
    thread: JoinHandle<io::Result<()>>,
}

/// What there is to say of the run.
enum News {
    Phase(Phase),
    Iteration(Box<Metrics>),
    Remark(String),
}

impl Screen {
    /// Takes the terminal. Who leaves before the run is over raises the flag.
    ///
    /// # Errors
    ///
    /// Any [`io::Error`] of the terminal.
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
            phase: Some(Phase::Playing),
            chart: Chart::default(),
            remark: None,
            is_leaving: false,
        };
        let terminal = ratatui::try_init()?;
        let (news, receiver) = mpsc::channel();
        let thread = thread::Builder::new().name("view".to_owned());
        let thread = thread.spawn(move || {
            let shown = show(terminal, state, &receiver, &stop);
            ratatui::restore();
            // Without a view nobody could stop the run.
            if shown.is_err() {
                stop.raise();
            }
            shown
        });
        let thread = thread.inspect_err(|_| ratatui::restore())?;
        Ok(Self { news, thread })
    }

    /// Shows what has happened.
    pub(in super::super) fn tell(&self, event: &Event<'_>) {
        let news = match event {
            Event::Phase(phase) => News::Phase(*phase),
            Event::Iteration([.., last]) => News::Iteration(Box::new(last.clone())),
            Event::Notice(notice) => match remark(notice) {
                Some(remark) => News::Remark(remark),
                None => return,
            },
            _ => return,
        };
        // If nobody looks any more, the flag is up.
        let _ = self.news.send(news);
    }

    /// The run is over: what is known of it stays until somebody leaves. Gives the
    /// terminal back.
    ///
    /// # Errors
    ///
    /// The [`io::Error`] for which the view has ended before.
    pub(in super::super) fn close(self) -> io::Result<()> {
        drop(self.news);
        let ended = self.thread.join();
        ended.unwrap_or_else(|_| Err(io::Error::other("the view broke down")))
    }
}

/// Draws until somebody leaves, or until the flag was raised and the run is over.
fn show(
    mut terminal: DefaultTerminal,
    mut state: State,
    news: &Receiver<News>,
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
        listen(&mut state, news)?;
    }
}

/// Takes in what has happened, and waits for it a little.
fn listen(state: &mut State, news: &Receiver<News>) -> io::Result<()> {
    if state.phase.is_none() {
        event::poll(PATIENCE)?;
        return Ok(());
    }
    let mut next = news.recv_timeout(PATIENCE);
    loop {
        match next {
            Ok(news) => state.hear(news),
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                state.phase = None;
                return Ok(());
            }
        }
        next = news.recv_timeout(Duration::ZERO);
    }
}

impl State {
    fn hear(&mut self, news: News) {
        match news {
            News::Phase(phase) => self.phase = Some(phase),
            News::Remark(remark) => self.remark = Some(remark),
            News::Iteration(metrics) => {
                // An iteration is told again once it was measured.
                let is_new = |known: &Metrics| known.iteration < metrics.iteration;
                let known = self.metrics.iter().rposition(is_new);
                self.metrics.truncate(known.map_or(0, |last| last + 1));
                self.metrics.push(*metrics);
            }
        }
    }
}
