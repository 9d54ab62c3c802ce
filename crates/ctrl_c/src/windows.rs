use std::env;
use std::io::{Error, Result};
use std::os::windows::process::CommandExt;
use std::process::{Command, Stdio};

/// The environment variable with the process that is sent Ctrl-C.
const PROCESS: &str = "OPEN_TTT_TEST_CTRL_C_PROCESS";

/// A console without a window.
const CREATE_NO_WINDOW: u32 = 0x0800_0000;
const CTRL_C_EVENT: u32 = 0;

#[expect(unsafe_code, reason = "the system's own functions")]
#[link(name = "kernel32")]
unsafe extern "system" {
    fn FreeConsole() -> i32;
    fn AttachConsole(process: u32) -> i32;
    fn SetConsoleCtrlHandler(handler: *const core::ffi::c_void, ignores: i32) -> i32;
    fn GenerateConsoleCtrlEvent(event: u32, group: u32) -> i32;
}

pub(super) fn prepare(command: &mut Command) {
    command.creation_flags(CREATE_NO_WINDOW);
}

#[track_caller]
pub(super) fn send(sender: &str, to: u32) {
    let this = env::current_exe().expect("this program has a path");
    let output = Command::new(this)
        .args([sender, "--exact", "--ignored"])
        .env(PROCESS, to.to_string())
        .stdin(Stdio::null())
        .output()
        .expect("this program can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{sender} is no test: {text}");
}

pub(super) fn become_sender() {
    let Ok(process) = env::var(PROCESS) else {
        return;
    };
    let process = process.parse().expect("the id of a process");
    send_event(process).expect("the program has a console");
}

#[expect(unsafe_code, reason = "the system's own functions")]
fn send_event(process: u32) -> Result<()> {
    let check = |succeeded: i32| match succeeded {
        0 => Err(Error::last_os_error()),
        _ => Ok(()),
    };
    // Fails without a console, which is fine.
    // SAFETY: it has no arguments, and this process writes to pipes.
    let _ = unsafe { FreeConsole() };
    // SAFETY: any number may be passed; one that is no process is an error.
    check(unsafe { AttachConsole(process) })?;
    // SAFETY: no handler means that this process ignores Ctrl-C.
    check(unsafe { SetConsoleCtrlHandler(core::ptr::null(), 1) })?;
    // SAFETY: group 0 is every process of the console.
    check(unsafe { GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0) })
}
