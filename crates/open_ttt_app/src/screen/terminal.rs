use std::io::{self, Stdout, Write, stdout};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::{Frame, Terminal};
#[cfg(unix)]
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// Whose panics end the full-screen mode, while the terminal is in it.
static OPEN: Mutex<Option<EndedBy>> = Mutex::new(None);

/// Whether SIGINT doesn't end the program, because it has a handler of its own.
static HANDLES_INTERRUPTS: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndedBy {
    AnyThread,
    OnlyThread(ThreadId),
}

/// The terminal in full-screen mode, raw and on the alternate screen, for views of your own.
///
/// [`Screen`](crate::Screen) shows games on one. Frames and events are those of the crate
/// `ratatui`, which is exported as [`ratatui`](crate::ratatui).
///
/// Dropping it leaves the terminal as it was. So do a panic of any thread and, on Unix, the
/// signals that end a program: it handles SIGHUP, SIGINT, SIGQUIT and SIGTERM from the first
/// time on, and they still end the program, SIGINT unless
/// [the program handles it](Self::leave_interrupts_to_the_program).
#[derive(Debug)]
pub struct FullScreen {
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
    pub fn open() -> io::Result<Self> {
        install_handlers()?;
        *open() = Some(EndedBy::AnyThread);
        Self::start().inspect_err(|_| restore())
    }

    fn start() -> io::Result<Self> {
        enable_raw_mode()?;
        // Listens for changes of the size before the first frame has one.
        event::poll(Duration::ZERO)?;
        execute!(stdout(), EnterAlternateScreen, Clear(ClearType::All))?;
        let writer = FrameWriter {
            frame: Vec::new(),
            output: stdout(),
        };
        // `Terminal::clear` would ask the terminal for its cursor and wait for the answer.
        let terminal = Terminal::new(CrosstermBackend::new(writer))?;
        Ok(Self { terminal })
    }

    /// Lets SIGINT do what the program's own handler does from now on, in this process. It must be
    /// installed before the first screen, and call [`restore`](Self::restore) before it ends the
    /// program.
    pub fn leave_interrupts_to_the_program() {
        HANDLES_INTERRUPTS.store(true, Ordering::Relaxed);
    }

    /// Leaves the terminal as it was, if it is in full-screen mode, for a program that ends
    /// without dropping what it has. Frames that are drawn afterwards aren't shown.
    pub fn restore() {
        restore();
    }

    /// Whether the terminal is in full-screen mode, so that what others write to it would be
    /// drawn over.
    pub fn is_open() -> bool {
        open().is_some()
    }

    /// Makes what the mouse does events, too. Until then it marks text.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn with_mouse(self) -> io::Result<Self> {
        execute!(stdout(), EnableMouseCapture)?;
        Ok(self)
    }

    /// Goes on after panics of other threads, for a view that reports them itself.
    pub(super) fn of_this_thread(self) -> Self {
        *open() = Some(EndedBy::OnlyThread(thread::current().id()));
        self
    }

    /// Draws a frame.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw)?;
        Ok(())
    }

    /// Waits for an event so long at most, or as long as it takes; returns whether there is one.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn has_event(&self, patience: Option<Duration>) -> io::Result<bool> {
        patience.map_or(Ok(true), event::poll)
    }

    /// Waits for the next event.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn next_event(&self) -> io::Result<Event> {
        let event = event::read()?;
        // If a key is pressed while the size changes, crossterm 0.29 can return the change and
        // drop the kernel's report of the key, which would then come with the next one. The
        // kernel reports it again when the modes of the terminal are set, to what they are.
        #[cfg(unix)]
        if matches!(event, Event::Resize(..)) {
            let terminal = rustix::stdio::stdin();
            // Events can come from a terminal that isn't standard input.
            if let Ok(modes) = tcgetattr(terminal) {
                tcsetattr(terminal, OptionalActions::Now, &modes)?;
            }
        }
        Ok(event)
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

fn open() -> MutexGuard<'static, Option<EndedBy>> {
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

/// Installs the handlers, once for the process.
fn install_handlers() -> io::Result<()> {
    static INSTALLED: Mutex<bool> = Mutex::new(false);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*installed {
        #[cfg(unix)]
        restore_on_signals()?;
        restore_on_panic();
        *installed = true;
    }
    Ok(())
}

/// A panic ends the screen and is reported below it, unless the screen goes on and reports it
/// itself.
fn restore_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let ended_by = *open();
        match ended_by {
            Some(EndedBy::OnlyThread(drawer)) if drawer != thread::current().id() => {}
            _ => {
                restore();
                report(info);
            }
        }
    }));
}

/// The signals that end a program end it after the terminal is as it was.
///
/// # Errors
///
/// If there can be no handler, or no thread for it.
#[cfg(unix)]
fn restore_on_signals() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let handler = thread::Builder::new().name("signals".to_owned());
    handler.spawn(move || {
        for signal in &mut signals {
            if signal == SIGINT && HANDLES_INTERRUPTS.load(Ordering::Relaxed) {
                continue;
            }
            restore();
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}
