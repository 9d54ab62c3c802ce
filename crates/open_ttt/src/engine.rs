//! Players that are programs of their own.
//!
//! A program gets a line for each turn, the moves so far, and answers with a line, its move.
//! docs/engines.md is the page about it.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use open_ttt_app::{FullScreen, InputLine, is_closed_pipe};
use open_ttt_catalog::{DynGame, DynMove, PlayerKind, PlayerSpec};
use open_ttt_lib::rules::{Notation, quoted};
use open_ttt_players::{Decision, Player, PlayerFactory, Turn};
use open_ttt_search::StopFlag;

use crate::failure::Failure;

/// The longest answer, in bytes.
const MAX_LINE: usize = 64 * 1024;

/// How long the last lines of a program that has ended may take to be shown.
const PATIENCE: Duration = Duration::from_millis(200);

/// How often a waiting player looks at its stop flag.
const TICK: Duration = Duration::from_millis(20);

/// How a program has failed first, for commands that let others play: a match, a game.
static FAILURE: Mutex<Option<String>> = Mutex::new(None);

/// Makes the players of a program, if the specification names one. Each is a process.
pub(crate) fn players(spec: &PlayerSpec) -> Option<PlayerFactory<'static, DynGame>> {
    let PlayerKind::Engine(command) = &spec.kind else {
        return None;
    };
    let (name, command) = (spec.to_string(), command.clone());
    Some(Box::new(move |_| {
        Box::new(Engine {
            name: name.clone(),
            command: command.clone(),
            process: None,
            failure: None,
        })
    }))
}

/// What a command returns, or how a program failed meanwhile.
pub(crate) fn or_failure(result: Result<(), Failure>) -> Result<(), Failure> {
    show_kept();
    let failure = FAILURE.lock().unwrap_or_else(PoisonError::into_inner);
    match &*failure {
        Some(message) => Err(Failure::failed(message)),
        None => result,
    }
}

/// The last lines that programs have written to standard error while a screen was open.
static KEPT: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

/// How many of them are kept.
const MAX_KEPT: usize = 20;

/// A player that asks a program.
struct Engine {
    /// Its name as a player.
    name: String,
    command: String,
    /// Once it has been asked.
    process: Option<Process>,
    /// How it has failed, if it has.
    failure: Option<String>,
}

/// A running program.
struct Process {
    child: Child,
    has_ended: bool,
    questions: ChildStdin,
    /// The lines, or why one can't be read.
    answers: Receiver<Result<String, String>>,
    /// Is closed when everything that it has written to standard error is shown.
    notes_end: Receiver<()>,
}

impl Engine {
    /// The program's decision.
    fn ask(&mut self, turn: &Turn<'_, DynGame>) -> Result<Decision<DynMove>, String> {
        let command = quoted(&self.command);
        let history = turn.history.ok_or("a program plays only whole games")?;
        let process = match &mut self.process {
            Some(process) => process,
            None => self.process.insert(Process::start(&self.command)?),
        };
        let moves = history.move_texts().join(" ");
        match process.questions.write_all(format!("{moves}\n").as_bytes()) {
            Ok(()) => {}
            // What it has said before its end tells more than that it reads no more.
            Err(error) if is_closed_pipe(&error) => process.end(),
            Err(error) => return Err(format!("the program {command} doesn't read: {error}")),
        }
        let Some(answer) = process.answer(&turn.stop) else {
            if turn.stop.is_raised() {
                // It can't be told to stop, and its answer would be taken for the next one.
                self.process = None;
                return Ok(Decision::Resign);
            }
            process.end();
            return Err(format!("the program {command} ended without an answer"));
        };
        let answer = answer.map_err(|cause| format!("the program {command} answered {cause}"))?;
        let Some(text) = decision(&answer) else {
            return Ok(Decision::Resign);
        };
        match turn.game.parse_move(&text) {
            Ok(m) => Ok(Decision::Play(m)),
            Err(error) => Err(format!(
                "the program {command} answered {}: {error}",
                quoted(&text)
            )),
        }
    }
}

impl Process {
    fn start(command: &str) -> Result<Self, String> {
        let words = shlex::split(command);
        let words = words.ok_or_else(|| format!("{} ends within quotes", quoted(command)))?;
        let Some((program, arguments)) = words.split_first() else {
            return Err("engine: needs the name of a program".to_owned());
        };
        let mut start = Command::new(program);
        start
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        own_group(&mut start);
        let mut child = start
            .spawn()
            .map_err(|error| format!("can't start {}: {error}", quoted(program)))?;
        let (Some(questions), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("can't talk to {}", quoted(program)));
        };
        let (sender, answers) = sync_channel(1);
        thread::spawn(move || pass_on(output, &sender));
        let notes = child.stderr.take();
        let (sender, notes_end) = sync_channel::<()>(0);
        thread::spawn(move || {
            if let Some(notes) = notes {
                show(notes);
            }
            drop(sender);
        });
        Ok(Self {
            child,
            has_ended: false,
            questions,
            answers,
            notes_end,
        })
    }

    /// Ends the program, if it runs, and what it has started. What it has written can still be
    /// read.
    fn end(&mut self) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        // Before it is waited for: until then nobody else has its number.
        #[cfg(unix)]
        let _ = {
            use rustix::process::{Pid, Signal, kill_process_group};
            kill_process_group(Pid::from_child(&self.child), Signal::KILL)
        };
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Whatever else has the same standard error may go on.
        let _ = self.notes_end.recv_timeout(PATIENCE);
    }

    /// The next line; `None` at its end, or if the flag is raised first.
    fn answer(&self, stop: &StopFlag) -> Option<Result<String, String>> {
        loop {
            match self.answers.recv_timeout(TICK) {
                Ok(answer) => return Some(answer),
                Err(RecvTimeoutError::Timeout) if !stop.is_raised() => {}
                Err(_) => return None,
            }
        }
    }
}

/// Ctrl-C is for this program, which ends the other one itself.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(windows)]
    {
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
        std::os::windows::process::CommandExt::creation_flags(command, CREATE_NEW_PROCESS_GROUP);
    }
}

/// Sends each line of a program's output, until one can't be read.
fn pass_on(output: impl Read, answers: &SyncSender<Result<String, String>>) {
    let mut output = BufReader::new(output);
    while let Ok(line) = InputLine::read(&mut output, MAX_LINE) {
        let answer = match line {
            InputLine::Text(line) => Ok(line),
            InputLine::TooLong => Err(format!("a line of more than {MAX_LINE} bytes")),
            InputLine::NotUtf8 => Err("a line that isn't UTF-8".to_owned()),
            InputLine::EndOfInput => return,
        };
        if answers.send(answer).is_err() {
            return;
        }
    }
}

/// Shows what a program writes to standard error: line by line, and while something else fills the
/// terminal, [afterwards](show_kept).
fn show(notes: impl Read) {
    let mut notes = BufReader::new(notes);
    while let Ok(line) = InputLine::read(&mut notes, MAX_LINE) {
        let line = match line {
            InputLine::Text(line) => line,
            InputLine::TooLong => "…".to_owned(),
            InputLine::NotUtf8 => continue,
            InputLine::EndOfInput => return,
        };
        if FullScreen::is_open() {
            let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() == MAX_KEPT {
                kept.pop_front();
            }
            kept.push_back(line);
        } else {
            let _ = writeln!(io::stderr(), "{line}");
        }
    }
}

/// Shows what programs have written while a screen was open.
fn show_kept() {
    let kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    for line in kept {
        let _ = writeln!(io::stderr(), "{line}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be in the middle of a long thought.
        self.end();
    }
}

/// The move in an answer: the answer itself, or the first of the best moves in an object of
/// JSON, as `analyze --json` prints it. `None` if the program resigns.
fn decision(answer: &str) -> Option<String> {
    let answer = answer.trim();
    let Ok(report) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(answer)
    else {
        return (!answer.eq_ignore_ascii_case("resign")).then(|| answer.to_owned());
    };
    Some(report.get("best")?.get(0)?.as_str()?.to_owned())
}

impl Player<DynGame> for Engine {
    fn player_name(&self) -> &str {
        &self.name
    }

    fn take_turn(&mut self, turn: &Turn<'_, DynGame>) -> Decision<DynMove> {
        self.ask(turn).unwrap_or_else(|message| {
            let mut first = FAILURE.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| message.clone());
            self.failure = Some(message);
            Decision::Resign
        })
    }

    /// A program is asked for nothing but its turns, so nobody is to ask it ahead.
    fn ponder(&mut self, _turn: &Turn<'_, DynGame>) -> bool {
        true
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_moves_or_reports() {
        assert_eq!(decision(" a1 \n").as_deref(), Some("a1"));
        let report = r#"{"best":["4","3"],"result":"win"}"#;
        assert_eq!(decision(report).as_deref(), Some("4"));
        for resigns in ["resign", "Resign", r#"{"best":[]}"#, "{}"] {
            assert_eq!(decision(resigns), None, "{resigns}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_program_has_started_ends_with_it() {
        // Its answer is the number of a process of its own.
        let script = "sleep 1000 & echo $!; read -r more";
        let mut process = Process::start(&format!("sh -c 'read -r moves; {script}'"));
        let process = process.as_mut().expect("there is a shell");
        process.questions.write_all(b"\n").expect("it reads");
        let started = process.answer(&StopFlag::new());
        let started = started.expect("an answer").expect("a line");
        let status = format!("/proc/{}/stat", started.trim());
        let runs = || std::fs::read_to_string(&status).is_ok_and(|text| !text.contains(") Z "));
        assert!(runs());
        process.end();
        while runs() {
            thread::sleep(TICK);
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_answer_to_an_abandoned_question_is_never_that_to_the_next() {
        use open_ttt_catalog::Catalog;
        use open_ttt_lib::rules::History;

        let script = "sleep 0.2; if [ \"$moves\" ]; then echo c3; else echo a1; fi";
        let mut engine = Engine {
            name: "slow".to_owned(),
            command: format!("sh -c 'while read -r moves; do {script}; done'"),
            process: None,
            failure: None,
        };
        let game = Catalog::bundled().game("ttt").expect("it is bundled");
        let mut history = History::new(game);
        let stop = StopFlag::new();
        stop.raise();
        let abandoned = engine.ask(&Turn::of(&history).with_stop(stop));
        assert_eq!(abandoned, Ok(Decision::Resign));
        history.play_text("b2").expect("it is legal");
        let expected = history.position().parse_move("c3").expect("it is a move");
        assert_eq!(
            engine.ask(&Turn::of(&history)),
            Ok(Decision::Play(expected))
        );
    }
}
