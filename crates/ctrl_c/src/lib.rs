//! Sends Ctrl-C to a program that a test has started: SIGINT on Unix, and on Windows an event
//! of the console that the program has to itself.
//!
//! Only a process that is attached to a console can send its events, and the event is for all
//! of them. So a test on Windows starts its own test binary again, with an ignored test as the
//! sender: [`send`] names it, and that test calls `become_sender`.
#![expect(
    clippy::missing_panics_doc,
    reason = "a panic fails the test that uses it"
)]

use std::process::{Child, Command};

#[cfg(windows)]
mod windows;

/// Prepares a command, before it is started, so that Ctrl-C can be sent to its process alone.
pub fn prepare(command: &mut Command) {
    #[cfg(windows)]
    windows::prepare(command);
    #[cfg(not(windows))]
    let _ = command;
}

/// Sends Ctrl-C to a process that was [prepared](prepare). `sender` is the path of the ignored
/// test of this binary that calls `become_sender`.
#[track_caller]
pub fn send(sender: &str, to: &Child) {
    #[cfg(windows)]
    windows::send(sender, to.id());
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process};

        let _ = sender;
        kill_process(Pid::from_child(to), Signal::INT).expect("the program runs");
    }
}

/// Sends what [`send`] asked another process of this binary for. Does nothing in a test that
/// was started otherwise.
#[cfg(windows)]
pub fn become_sender() {
    windows::become_sender();
}
