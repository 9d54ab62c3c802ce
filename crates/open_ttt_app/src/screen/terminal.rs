use std::io::{self, Stdout, Write, stdout};
use std::panic;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread::{self, ThreadId};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// The thread that draws, while the terminal is in full-screen mode.
static OPEN: Mutex<Option<ThreadId>> = Mutex::new(None);

/// The terminal in full-screen mode: raw, on the alternate screen, with the mouse.
///
/// Dropping it leaves the terminal as it was. So do a panic of the thread that opened it and,
/// on Unix, the signals that end a program.
#[derive(Debug)]
pub(super) struct FullScreen {
    terminal: Terminal<CrosstermBackend<FrameWriter>>,
}

/// Collects a frame and writes it at once, and only while the terminal is in full-screen mode:
/// a signal can come during a frame.
#[derive(Debug)]
struct FrameWriter {
    frame: Vec<u8>,
    output: Stdout,
}

impl FullScreen {
    /// Takes over the terminal on standard input and output.
    ///
    /// # Errors
    ///
    /// If the terminal doesn't allow it. It is then as it was.
    pub(super) fn open() -> io::Result<Self> {
        static HANDLERS: Once = Once::new();
        HANDLERS.call_once(|| {
            restore_on_panic();
            #[cfg(unix)]
            restore_on_signals();
        });
        *open() = Some(thread::current().id());
        Self::start().inspect_err(|_| restore())
    }

    fn start() -> io::Result<Self> {
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, EnableMouseCapture)?;
        let writer = FrameWriter {
            frame: Vec::new(),
            output: stdout(),
        };
        let mut terminal = Terminal::new(CrosstermBackend::new(writer))?;
        terminal.clear()?;
        Ok(Self { terminal })
    }

    pub(super) fn terminal(
        &mut self,
    ) -> &mut Terminal<impl ratatui::backend::Backend<Error = io::Error>> {
        &mut self.terminal
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        restore();
    }
}

impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.frame.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let is_open = open();
        let frame = std::mem::take(&mut self.frame);
        if is_open.is_some() {
            self.output.write_all(&frame)?;
            self.output.flush()?;
        }
        Ok(())
    }
}

fn open() -> MutexGuard<'static, Option<ThreadId>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves the full-screen mode, if the terminal is in it.
fn restore() {
    let mut is_open = open();
    if is_open.take().is_some() {
        // Nothing better can be done about an error.
        let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// A panic of the thread that draws ends the screen and is reported below it. The screen
/// goes on after a panic of a player's thread, and reports it itself.
fn restore_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let drawer = *open();
        match drawer {
            Some(drawer) if drawer != thread::current().id() => {}
            _ => {
                restore();
                report(info);
            }
        }
    }));
}

/// The signals that end a program end it after the terminal is as it was.
#[cfg(unix)]
fn restore_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let handler = thread::Builder::new().name("signals".to_owned());
    // Without the thread, a signal ends the program as if there were no handler.
    let _ = handler.spawn(|| {
        let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]) else {
            return;
        };
        for signal in &mut signals {
            restore();
            let _ = emulate_default_handler(signal);
        }
    });
}
