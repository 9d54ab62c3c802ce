//! Running the program.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use serde_json::Value;

/// The output and exit status of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `None` if a signal ended the run.
    pub(crate) status: Option<i32>,
}

/// The program with these arguments, without the environment variables for colours.
pub(crate) fn command<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_open_ttt"));
    command
        .args(args)
        .env_remove("CLICOLOR_FORCE")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a command to its end with this standard input.
#[track_caller]
pub(crate) fn finish(mut command: Command, input: impl AsRef<[u8]>) -> Ran {
    let mut child = command.spawn().unwrap();
    let input = input.as_ref().to_owned();
    let stdin = child.stdin.take();
    let typing = thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            // The program can end before it has read everything.
            let _ = stdin.write_all(&input);
        }
    });
    let output = child.wait_with_output().unwrap();
    typing.join().unwrap();
    let ran = Ran {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code(),
    };
    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
    ran
}

/// The output of a successful run.
#[track_caller]
pub(crate) fn run<S: AsRef<OsStr>>(
    args: impl IntoIterator<Item = S>,
    input: impl AsRef<[u8]>,
) -> String {
    let ran = finish(command(args), input);
    assert_eq!((ran.status, &*ran.stderr), (Some(0), ""), "{ran:?}");
    ran.stdout
}

/// The JSON objects of a successful run, one per line.
#[track_caller]
pub(crate) fn run_json<S: AsRef<OsStr>>(
    args: impl IntoIterator<Item = S>,
    input: impl AsRef<[u8]>,
) -> Vec<Value> {
    let objects = run(args, input);
    let objects = objects.lines().map(|line| {
        let value: Value = serde_json::from_str(line).unwrap();
        assert!(value.is_object(), "{line}");
        value
    });
    objects.collect()
}

/// A field of an object, as a list of strings.
#[track_caller]
pub(crate) fn words(object: &Value, name: &str) -> Vec<String> {
    let list = object[name].as_array().unwrap();
    list.iter()
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

/// Checks that an error is a single line of printable text.
#[track_caller]
pub(crate) fn check_one_sentence(stderr: &str) {
    let line = stderr.strip_suffix('\n').unwrap_or_default();
    assert!(line.starts_with("open_ttt: "), "{stderr:?}");
    assert!(!line.contains(char::is_control), "{stderr:?}");
    assert!(line.len() < 400, "{stderr:?}");
}

/// An interactive run.
#[derive(Debug)]
pub(crate) struct Talk {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Talk {
    /// Starts the program; returns its output up to the first prompt.
    #[track_caller]
    pub(crate) fn start<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> (Self, String) {
        let mut child = command(args).spawn().unwrap();
        let mut talk = Self {
            input: child.stdin.take().unwrap(),
            output: child.stdout.take().unwrap(),
            child,
        };
        let text = talk.read_to_prompt();
        (talk, text)
    }

    /// Enters a line; returns the output up to the next prompt or the end.
    #[track_caller]
    pub(crate) fn answer(&mut self, text: &str) -> String {
        writeln!(self.input, "{text}").unwrap();
        self.read_to_prompt()
    }

    #[track_caller]
    fn read_to_prompt(&mut self) -> String {
        let mut text = Vec::new();
        let mut buffer = [0; 4096];
        while !text.ends_with(b"\n> ") {
            match self.output.read(&mut buffer).unwrap() {
                0 => break,
                count => text.extend_from_slice(&buffer[..count]),
            }
        }
        String::from_utf8(text).unwrap()
    }

    /// Closes the input and waits for the program to end.
    #[track_caller]
    pub(crate) fn end(mut self) {
        drop(self.input);
        let mut stderr = String::new();
        let errors = self.child.stderr.as_mut().unwrap();
        errors.read_to_string(&mut stderr).unwrap();
        let status = self.child.wait().unwrap().code();
        assert_eq!((status, &*stderr), (Some(0), ""));
    }
}
