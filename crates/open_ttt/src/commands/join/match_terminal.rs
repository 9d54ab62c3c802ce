use std::io::{self, Empty, IsTerminal, Write};
use std::thread;
use std::time::Duration;

use open_ttt_app::draw::draw;
use open_ttt_app::{Console, InputLine, SessionEnd, question, sentence};
use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::{Drawing, Notation};
use open_ttt_net::client::{Client, ClientEvent, MatchEvent};
use open_ttt_net::matches::{Act, Actor, DynMatch, Seat, Transition};
use open_ttt_net::protocol::Presence;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::{Instant, sleep_until};

use super::bot::{Bot, TurnResult};
use super::input::{self, HELP, Input};
use super::narrator::Narrator;
use super::printable;
use super::saved_seats::SavedSeats;
use crate::failure::Failure;

/// How long the program waits at its end for the server to confirm the last act.
const CONFIRMATION_TIMEOUT: Duration = Duration::from_secs(5);

/// A match in the terminal: played by a person or a bot, or watched.
pub(super) struct MatchTerminal<W> {
    client: Client,
    bot: Option<Bot>,
    saved_seats: SavedSeats,
    console: Console<Empty, W>,
    lines: Receiver<io::Result<InputLine>>,
    input_mode: InputMode,
    connection: Connection,
    /// Whether the output ends with a prompt.
    is_prompting: bool,
    /// Whether the output no longer shows the current state.
    is_stale: bool,
    presence: Option<Presence>,
    printed_board: Option<BoardId>,
}

/// When lines of input are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputMode {
    AnyTime,
    /// A script is read a line per prompt.
    WhenPrompted,
}

/// The connection to the server, as far as the output shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connection {
    New,
    Open,
    Lost,
}

/// Identifies a printed board within a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BoardId {
    game: u32,
    plies: usize,
    is_over: bool,
}

/// What the event loop waits for.
enum Event {
    Client(ClientEvent),
    Line(io::Result<InputLine>),
    BotTurn(DynGame, TurnResult),
    /// Ctrl-C.
    Interrupt,
}

/// Why the event loop ends.
enum Exit {
    Quit,
    Failed(Failure),
}

impl<W: Write> MatchTerminal<W> {
    pub(super) fn new(
        client: Client,
        bot: Option<Bot>,
        saved_seats: SavedSeats,
        console: Console<Empty, W>,
    ) -> Self {
        Self {
            lines: if bot.is_some() {
                channel(1).1
            } else {
                read_lines()
            },
            client,
            bot,
            saved_seats,
            console,
            input_mode: if io::stdin().is_terminal() {
                InputMode::AnyTime
            } else {
                InputMode::WhenPrompted
            },
            connection: Connection::New,
            is_prompting: false,
            is_stale: false,
            presence: None,
            printed_board: None,
        }
    }

    /// Plays or watches until the user quits or the bot is done.
    pub(super) async fn run(mut self) -> Result<(), Failure> {
        let exit = self.handle_events().await;
        if let Some(bot) = &self.bot {
            bot.stop();
        }
        match exit {
            Ok(()) | Err(Exit::Quit) => self.close().await,
            Err(Exit::Failed(failure)) => Err(failure),
        }
    }

    async fn handle_events(&mut self) -> Result<(), Exit> {
        loop {
            if self.is_stale && self.connection != Connection::New {
                self.is_stale = false;
                self.print_state()?;
            }
            if self.update_bot()? {
                return Ok(());
            }
            match self.next_event().await? {
                Event::Client(event) => self.handle_client_event(event)?,
                Event::Line(line) => self.handle_line(line?)?,
                Event::BotTurn(position, result) => self.handle_bot_turn(&position, result)?,
                Event::Interrupt => {
                    self.abandon_prompt()?;
                    return Err(Exit::Quit);
                }
            }
        }
    }

    async fn next_event(&mut self) -> Result<Event, Exit> {
        let reads_input = self.is_prompting || self.input_mode == InputMode::AnyTime;
        let Self {
            client, bot, lines, ..
        } = self;
        let bot_turn = async {
            match bot {
                Some(bot) => bot.result().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            event = client.next() => {
                event.map(Event::Client).map_err(|error| Exit::Failed(error.into()))
            }
            Some(line) = lines.recv(), if reads_input => Ok(Event::Line(line)),
            turn = bot_turn => {
                let (position, result) = turn?;
                Ok(Event::BotTurn(position, result))
            }
            Ok(()) = tokio::signal::ctrl_c() => Ok(Event::Interrupt),
        }
    }

    /// Lets the bot react to the state of the match. Returns whether it is done.
    fn update_bot(&mut self) -> io::Result<bool> {
        let session = self.client.session();
        let (Some(bot), Some(seat), Some(current)) =
            (&mut self.bot, session.seat(), session.optimistic())
        else {
            return Ok(false);
        };
        if session.has_pending() {
            return Ok(false);
        }
        if bot.is_done(current) {
            return Ok(true);
        }
        bot.update(current, seat);
        if let Some(act) = bot.response(current, seat) {
            self.propose(act)?;
        }
        Ok(false)
    }

    fn handle_bot_turn(&mut self, position: &DynGame, result: TurnResult) -> io::Result<()> {
        let current = self.client.session().optimistic();
        if current.is_none_or(|current| current.game().position() != position) {
            // The result of a search that was stopped.
            return Ok(());
        }
        self.propose(match result {
            Ok(m) => Act::play(&position.move_text(m)),
            Err(_) => Act::Resign,
        })
    }

    fn handle_client_event(&mut self, event: ClientEvent) -> io::Result<()> {
        match event {
            ClientEvent::Connected => self.handle_connected(),
            ClientEvent::Disconnected { cause, .. } => {
                if self.connection != Connection::Lost {
                    self.connection = Connection::Lost;
                    let cause = printable(&cause.to_string());
                    self.print(&format!("Connection lost, reconnecting: {cause}"))?;
                }
                Ok(())
            }
            ClientEvent::Match(MatchEvent::Snapshot) => {
                self.is_stale = true;
                Ok(())
            }
            ClientEvent::Match(MatchEvent::Change {
                transition, own, ..
            }) => {
                // `propose` has printed the user's own acts.
                if !own {
                    self.print_transition(&transition)?;
                }
                Ok(())
            }
            ClientEvent::Match(MatchEvent::RolledBack { acts, conflict }) => {
                let act = match acts.first() {
                    Some(Act::Move { text, .. }) => format!("Your move {}", text.0),
                    _ => "Your request".to_owned(),
                };
                let reason = conflict.map_or_else(
                    || "something else happened first".to_owned(),
                    |conflict| conflict.to_string(),
                );
                self.print(&format!("{act} was rejected: {reason}"))?;
                self.is_stale = true;
                Ok(())
            }
            ClientEvent::Match(MatchEvent::Presence(now)) => {
                let before = self.presence.replace(now).unwrap_or(now);
                let narrator = self.narrator();
                let lines = narrator.map(|narrator| narrator.presence(before, now));
                for line in lines.unwrap_or_default() {
                    self.print(&line)?;
                    self.is_stale |= self.input_mode == InputMode::AnyTime;
                }
                Ok(())
            }
        }
    }

    fn handle_connected(&mut self) -> io::Result<()> {
        let seat = self.client.session().seat();
        if let Some(seat) = seat
            && let Err(error) = self.saved_seats.save(self.client.link(), seat)
        {
            let link = self.client.link().reveal();
            self.print(&format!(
                "Your seat can't be saved ({error}). To come back, use {link}"
            ))?;
        }
        let introduction = self.narrator().map(|narrator| narrator.introduction());
        match std::mem::replace(&mut self.connection, Connection::Open) {
            Connection::Lost => self.print("Reconnected")?,
            Connection::New | Connection::Open => {
                if let Some(introduction) = introduction {
                    self.print(&introduction)?;
                }
                if self.bot.is_none() && seat.is_some() {
                    self.print("Type help at any time")?;
                }
            }
        }
        self.is_stale = true;
        Ok(())
    }

    fn print_transition(&mut self, transition: &Transition) -> io::Result<()> {
        let narrator = self.narrator();
        if let Some(line) = narrator.and_then(|narrator| narrator.transition(transition)) {
            self.print(&line)?;
        }
        self.is_stale = true;
        Ok(())
    }

    fn handle_line(&mut self, line: InputLine) -> Result<(), Exit> {
        self.is_prompting = false;
        let Some(text) = self.console.accept(line)? else {
            self.is_stale = true;
            return Ok(());
        };
        let session = self.client.session();
        let Some(current) = session.optimistic() else {
            return match &*text.to_lowercase() {
                "quit" | "exit" | "q" => Err(Exit::Quit),
                _ => Ok(self.print("Not connected yet. Type quit to leave.")?),
            };
        };
        match input::parse(&text, current, session.seat()) {
            Ok(Input::Quit) => return Err(Exit::Quit),
            Ok(Input::Help) => self.print(HELP)?,
            Ok(Input::Board) => {
                self.printed_board = None;
                self.is_stale = true;
            }
            Ok(Input::Link) => {
                let link = self.client.link().to_string();
                self.print(&link)?;
            }
            Ok(Input::Act(act)) => self.propose(act)?,
            Err(message) => self.print(&message)?,
        }
        if !self.is_stale {
            self.prompt()?;
        }
        Ok(())
    }

    /// Applies an act optimistically, sends it to the server and prints it.
    fn propose(&mut self, act: Act) -> io::Result<()> {
        let Some(seat) = self.client.session().seat() else {
            return Ok(());
        };
        if let Err(error) = self.client.propose(act.clone()) {
            return self.print(&sentence(error));
        }
        let at = self.client.server_time().unwrap_or_default();
        let by = Actor::Seat(seat);
        self.print_transition(&Transition { at, by, act })
    }

    fn narrator(&self) -> Option<Narrator<'_>> {
        let session = self.client.session();
        Some(Narrator {
            current: session.optimistic()?,
            seat: session.seat(),
        })
    }

    /// Prints the board, if it has changed, and the side to move or the result.
    fn print_state(&mut self) -> io::Result<()> {
        let Some(narrator) = self.narrator() else {
            return Ok(());
        };
        let current = narrator.current;
        let verdict = current.verdict();
        let line = match verdict {
            Some(verdict) => narrator.result(verdict),
            None if current.has_started() => narrator.turn(self.client.server_time()),
            None => "Waiting for an opponent".to_owned(),
        };
        let game = current.game();
        let id = BoardId {
            game: current.number(),
            plies: game.moves().len(),
            is_over: verdict.is_some(),
        };
        let is_new = current.has_started() && self.printed_board != Some(id);
        let board = is_new.then(|| draw(&game.position().picture(), self.console.size()));
        self.abandon_prompt()?;
        if let Some(board) = board {
            self.printed_board = Some(id);
            self.console.print("")?;
            self.console.print_board(&board)?;
            self.console.print("")?;
        }
        self.is_stale = false;
        self.console.print(&line)?;
        self.prompt()
    }

    /// Prints a question and a prompt if the user can act.
    fn prompt(&mut self) -> io::Result<()> {
        let session = self.client.session();
        let (None, Some(seat), Some(current)) = (&self.bot, session.seat(), session.optimistic())
        else {
            return Ok(());
        };
        let Some(question) = question_for(current, seat) else {
            return Ok(());
        };
        self.console.print(&question)?;
        self.console.prompt()?;
        self.is_prompting = true;
        Ok(())
    }

    fn print(&mut self, line: &str) -> io::Result<()> {
        self.abandon_prompt()?;
        self.console.print(line)
    }

    /// Leaves a prompt for other output; it will be printed again.
    fn abandon_prompt(&mut self) -> io::Result<()> {
        if self.is_prompting {
            self.is_prompting = false;
            self.is_stale = true;
            self.console.abandon_prompt()?;
        }
        Ok(())
    }

    /// Waits for the confirmation of the last act, and closes the connection.
    async fn close(mut self) -> Result<(), Failure> {
        let deadline = Instant::now() + CONFIRMATION_TIMEOUT;
        while self.client.session().has_pending() {
            tokio::select! {
                event = self.client.next() => drop(event?),
                () = sleep_until(deadline) => {
                    self.print("The server hasn't confirmed your last action.")?;
                    break;
                }
            }
        }
        let session = self.client.session();
        let confirmed = session.confirmed();
        let is_over = confirmed.is_some_and(|current| current.verdict().is_some());
        if session.seat().is_some() && !is_over {
            let link = self.client.link().reveal();
            self.print(&format!(
                "Your seat is saved. To come back: open_ttt join {link}"
            ))?;
        }
        self.print("Goodbye")?;
        io::stdout().flush()?;
        self.client.close().await;
        Ok(())
    }
}

/// What to ask the player of this seat, who may have nothing to do.
fn question_for(current: &DynMatch, seat: Seat) -> Option<String> {
    let opponent = Some(!seat);
    if current.verdict().is_some() {
        let asks = !current.wants_rematch(seat);
        asks.then(|| "Play again? (rematch/quit)".to_owned())
    } else if current.to_move() == Some(seat) {
        Some(question(current.game().position()))
    } else {
        let has_request = current.draw_offer() == opponent || current.take_back() == opponent;
        has_request.then(|| "Yes or no?".to_owned())
    }
}

/// Reads standard input on a thread of its own, a line ahead at most.
fn read_lines() -> Receiver<io::Result<InputLine>> {
    let (sender, receiver) = channel(1);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let line = InputLine::read(&mut input, InputLine::CONSOLE_LIMIT);
            let is_last = matches!(line, Ok(InputLine::EndOfInput) | Err(_));
            if sender.blocking_send(line).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}

impl From<SessionEnd> for Exit {
    fn from(end: SessionEnd) -> Self {
        match end {
            SessionEnd::Quit | SessionEnd::EndOfInput => Self::Quit,
            SessionEnd::Failed(error) => Self::Failed(error.into()),
        }
    }
}

impl From<io::Error> for Exit {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Failure> for Exit {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}
