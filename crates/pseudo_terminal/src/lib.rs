//! Runs part of a test in a pseudo-terminal and reads its screen.
//!
//! A test can't give itself a terminal, so it starts its own test binary again, with an
//! ignored test as the program: [`PseudoTerminal::start`] names it, and that test begins with
//! [`become_program`].
#![cfg(unix)]
#![expect(
    clippy::missing_panics_doc,
    reason = "a panic fails the test that uses it"
)]

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use std::{env, fmt, thread};

use rustix::process::{Pid, Signal, ioctl_tiocsctty, kill_process, setsid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use vt100::{MouseProtocolMode, Parser};

/// A test fails instead of waiting longer than this.
const HANG_GUARD: Duration = Duration::from_mins(10);

/// How often a test that waits looks whether the program has ended.
const TICK: Duration = Duration::from_millis(50);

/// The environment variable that tells an ignored test that it is the program.
const IS_PROGRAM: &str = "IN_PSEUDO_TERMINAL";

/// Written after the end of the program, so that all of its output has been read.
const END: &str = "end of the output";

/// A program in a terminal of its own.
pub struct PseudoTerminal {
    master: File,
    slave: File,
    child: Child,
    output: Receiver<Vec<u8>>,
    screen: Parser,
    /// The state of the terminal before the program.
    before: Termios,
}

impl fmt::Debug for PseudoTerminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PseudoTerminal")
            .field("child", &self.child)
            .field("screen", &self.contents())
            .finish_non_exhaustive()
    }
}

impl PseudoTerminal {
    /// Starts the ignored test `test` of this test binary as the program, with these variables
    /// in its environment, on a screen of so many columns and rows.
    pub fn start(test: &str, variables: &[(&str, &str)], size: [u16; 2]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&master).expect("its owner may use it");
        unlockpt(&master).expect("it can be unlocked");
        let name = ptsname(&master, Vec::new()).expect("it has a name");
        let name = name.into_string().expect("a path in UTF-8");
        let slave = File::options()
            .read(true)
            .write(true)
            .open(name)
            .expect("the other end");
        set_size(&master, size);
        let before = tcgetattr(&slave).expect("a terminal");
        let stdio = || Stdio::from(slave.try_clone().expect("a file can be cloned"));
        let child = Command::new(env::current_exe().expect("a test has a file"))
            .args([
                "--exact",
                test,
                "--ignored",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(IS_PROGRAM, "1")
            .env("TERM", "xterm-256color")
            .env("LC_ALL", "C.UTF-8")
            .env("RUST_BACKTRACE", "0")
            .env_remove("NO_COLOR")
            .env_remove("COLORFGBG")
            .envs(variables.iter().copied())
            .stdin(stdio())
            .stdout(stdio())
            .stderr(stdio())
            .spawn()
            .expect("the test binary can be started");
        let master = File::from(master);
        let output = read(master.try_clone().expect("a file can be cloned"));
        let [columns, rows] = lengths(size);
        let screen = Parser::new(rows, columns, 0);
        Self {
            master,
            slave,
            child,
            output,
            screen,
            before,
        }
    }

    /// Reads output until the screen contains this text.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) {
        let start = Instant::now();
        while !self.contents().contains(text) {
            if let Ok(bytes) = self.output.recv_timeout(TICK) {
                self.screen.process(&bytes);
                continue;
            }
            let has_ended = text != END && self.has_ended();
            assert!(
                !has_ended && start.elapsed() < HANG_GUARD,
                "no {text:?} on the screen{}:\n{}",
                if has_ended {
                    " of a program that has ended"
                } else {
                    ""
                },
                self.contents()
            );
        }
    }

    fn has_ended(&mut self) -> bool {
        self.child
            .try_wait()
            .expect("the program has been started")
            .is_some()
    }

    /// The text on the screen.
    pub fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    /// Types these characters.
    pub fn write(&mut self, keys: &str) {
        self.master
            .write_all(keys.as_bytes())
            .expect("the terminal takes keys");
    }

    /// Clicks the first place where the screen shows this text.
    #[track_caller]
    pub fn click(&mut self, text: &str) {
        let contents = self.contents();
        let found = contents.lines().enumerate().find_map(|(row, line)| {
            let bytes = line.find(text)?;
            Some((row + 1, line[..bytes].chars().count() + 1))
        });
        let (row, column) = found.expect("the text is on the screen");
        self.write(&format!(
            "\u{1b}[<0;{column};{row}M\u{1b}[<0;{column};{row}m"
        ));
    }

    /// Changes the size of the terminal.
    pub fn resize(&mut self, size: [u16; 2]) {
        let [columns, rows] = lengths(size);
        self.screen.screen_mut().set_size(rows, columns);
        set_size(&self.master, size);
    }

    /// Sends the program a signal.
    pub fn signal(&self, signal: Signal) {
        let id = Pid::from_child(&self.child);
        kill_process(id, signal).expect("the program runs");
    }

    /// Kills the program, which can't do anything about it, and waits for its end.
    pub fn kill(&mut self) {
        self.child.kill().expect("the program runs");
        self.child.wait().expect("the program has been started");
    }

    /// Whether the program has the terminal in full-screen mode.
    pub fn is_full_screen(&self) -> bool {
        let screen = self.screen.screen();
        let has_mouse = screen.mouse_protocol_mode() != MouseProtocolMode::None;
        screen.alternate_screen() && has_mouse && !self.has_modes_of_before()
    }

    /// Waits for the end of the program, and checks that the terminal is as it was before it.
    #[track_caller]
    pub fn finish(&mut self) -> ExitStatus {
        let status = self.child.wait().expect("the program has been started");
        self.slave
            .write_all(END.as_bytes())
            .expect("the terminal takes output");
        self.wait_for(END);
        assert!(
            self.has_modes_of_before(),
            "the terminal is still raw, after {status}"
        );
        let screen = self.screen.screen();
        assert!(
            !screen.alternate_screen(),
            "the alternate screen is still shown"
        );
        assert!(!screen.hide_cursor(), "the cursor is still hidden");
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
        status
    }

    fn has_modes_of_before(&self) -> bool {
        let now = tcgetattr(&self.slave).expect("a terminal");
        let modes = |of: &Termios| {
            (
                of.input_modes,
                of.output_modes,
                of.control_modes,
                of.local_modes,
            )
        };
        modes(&now) == modes(&self.before)
    }
}

impl Drop for PseudoTerminal {
    fn drop(&mut self) {
        // It has ended if the test has come to its end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes standard input the terminal of this process. Returns false if it is not in a
/// [`PseudoTerminal`]: the ignored test then has nothing to do.
#[must_use]
pub fn become_program() -> bool {
    if env::var_os(IS_PROGRAM).is_none() {
        return false;
    }
    setsid().expect("the process leads no group");
    ioctl_tiocsctty(rustix::stdio::stdin()).expect("standard input is a terminal");
    true
}

fn lengths(size: [u16; 2]) -> [NonZero<u16>; 2] {
    size.map(|length| NonZero::new(length).expect("a screen is not empty"))
}

fn set_size(terminal: &impl std::os::fd::AsFd, [columns, rows]: [u16; 2]) {
    let size = Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(terminal, size).expect("a terminal has a size");
}

/// Reads from a terminal on a thread of its own.
fn read(mut terminal: File) -> Receiver<Vec<u8>> {
    let (sender, output) = channel();
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = terminal.read(&mut bytes) {
            if sender.send(bytes[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    output
}
