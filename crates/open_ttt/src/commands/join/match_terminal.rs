use std::io::{self, Empty, IsTerminal, Write};
use std::mem;

use open_ttt_app::draw::draw;
use open_ttt_app::{
    Console, InputLine, MoveReader, SessionEnd, possible_moves, question, sentence,
};
use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::Drawing;
use open_ttt_net::client::{Client, ClientEvent, MatchEvent};
use open_ttt_net::matches::{Act, Actor, DynMatch, Seat, Transition};
use open_ttt_net::protocol::Presence;

use super::bot::{Bot, Reaction};
use super::input::{HELP, Lines, is_quit, parse_act};
use super::leaving::leave;
use super::narrator::{Narrator, rejection};
use super::printable;
use super::saved_seats::SavedSeats;
use crate::failure::Failure;

/// A match in the terminal: played by a person or a bot, or watched.
pub(super) struct MatchTerminal<W> {
    client: Client,
    bot: Option<Bot>,
    saved_seats: SavedSeats,
    console: Console<Empty, W>,
    lines: Lines,
    reader: MoveReader,
    /// Whether lines are read at any time. A script is read a line per prompt.
    is_interactive: bool,
    connection: Connection,
    /// Whether the output ends with a prompt.
    is_prompting: bool,
    /// Whether the output no longer shows the current state.
    is_stale: bool,
    presence: Option<Presence>,
    /// The game, its plies and whether it was over on the printed board.
    printed_board: Option<(u32, usize, bool)>,
}

/// The connection to the server, as far as the output shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connection {
    New,
    Open,
    Lost,
}

impl<W: Write> MatchTerminal<W> {
    pub(super) fn new(
        client: Client,
        bot: Option<Bot>,
        saved_seats: SavedSeats,
        lines: Lines,
        console: Console<Empty, W>,
    ) -> Self {
        Self {
            lines,
            client,
            bot,
            saved_seats,
            console,
            reader: MoveReader::default(),
            is_interactive: io::stdin().is_terminal(),
            connection: Connection::New,
            is_prompting: false,
            is_stale: false,
            presence: None,
            printed_board: None,
        }
    }

    /// Plays or watches until the user quits or the bot is done.
    pub(super) async fn run(mut self) -> Result<(), Failure> {
        let result = self.handle_events().await;
        if let Some(bot) = &self.bot {
            bot.stop();
        }
        result?;
        self.close().await
    }

    async fn handle_events(&mut self) -> Result<(), Failure> {
        if self.client.session().is_established() {
            // The client is connected since the wait for an opponent.
            self.handle_connected()?;
        }
        loop {
            if self.is_stale && self.connection != Connection::New {
                self.is_stale = false;
                self.print_state()?;
            }
            if self.update_bot()? {
                return Ok(());
            }
            let reads_input = self.is_prompting || self.is_interactive;
            tokio::select! {
                biased;
                event = self.client.next() => self.handle_client_event(event?)?,
                Some(line) = self.lines.recv(), if reads_input => match self.handle_line(line?) {
                    Ok(()) => {}
                    Err(SessionEnd::Quit | SessionEnd::EndOfInput) => return Ok(()),
                    Err(SessionEnd::Failed(error)) => return Err(error.into()),
                },
                chosen = Bot::choose_act(&mut self.bot) => {
                    let (position, act) = chosen?;
                    self.handle_choice(&position, act)?;
                }
                Ok(()) = tokio::signal::ctrl_c() => return Ok(self.abandon_prompt()?),
            }
        }
    }

    /// Lets the bot react to the state of the match. Returns whether it is done.
    fn update_bot(&mut self) -> io::Result<bool> {
        let session = self.client.session();
        match self.bot.as_mut().map(|bot| bot.react(session)) {
            None | Some(Reaction::Nothing) => {}
            Some(Reaction::Act(act)) => self.propose(act)?,
            Some(Reaction::Leave) => return Ok(true),
        }
        Ok(false)
    }

    /// Proposes the bot's act, unless it comes from a search that was stopped.
    fn handle_choice(&mut self, position: &DynGame, act: Act) -> io::Result<()> {
        let current = self.client.session().optimistic();
        if current.is_some_and(|current| current.game().position() == position) {
            self.propose(act)?;
        }
        Ok(())
    }

    fn handle_client_event(&mut self, event: ClientEvent) -> io::Result<()> {
        match event {
            ClientEvent::Connected => self.handle_connected()?,
            ClientEvent::Disconnected { cause, .. } => {
                if mem::replace(&mut self.connection, Connection::Lost) != Connection::Lost {
                    let cause = printable(&cause.to_string());
                    self.print(&format!("Connection lost, reconnecting: {cause}"))?;
                }
            }
            ClientEvent::Match(MatchEvent::Snapshot) => self.is_stale = true,
            // `propose` has printed the user's own acts.
            ClientEvent::Match(MatchEvent::Change { own: true, .. }) => {}
            ClientEvent::Match(MatchEvent::Change { transition, .. }) => {
                self.print_transition(&transition)?;
            }
            ClientEvent::Match(MatchEvent::RolledBack { acts, conflict }) => {
                self.print(&rejection(&acts, conflict))?;
                self.is_stale = true;
            }
            ClientEvent::Match(MatchEvent::Notice(text)) => self.print(&printable(&text))?,
            ClientEvent::Match(MatchEvent::Presence(now)) => {
                let before = self.presence.replace(now).unwrap_or(now);
                let narrator = self.narrator();
                let lines = narrator.map(|narrator| narrator.presence(before, now));
                for line in lines.unwrap_or_default() {
                    self.print(&line)?;
                    self.is_stale |= self.is_interactive;
                }
            }
        }
        Ok(())
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
        if mem::replace(&mut self.connection, Connection::Open) == Connection::Lost {
            self.print("Reconnected")?;
        } else {
            if let Some(narrator) = self.narrator() {
                let introduction = narrator.introduction();
                self.print(&introduction)?;
            }
            if self.bot.is_none() && seat.is_some() {
                self.print("Type help at any time")?;
            }
        }
        self.is_stale = true;
        Ok(())
    }

    fn print_transition(&mut self, transition: &Transition) -> io::Result<()> {
        let narrator = self.narrator();
        if let Some(line) = narrator.and_then(|narrator| narrator.transition(transition)) {
            self.print(&printable(&line))?;
        }
        self.is_stale = true;
        Ok(())
    }

    /// Handles a line of input; an error ends the session.
    fn handle_line(&mut self, line: InputLine) -> Result<(), SessionEnd> {
        self.is_prompting = false;
        let Some(text) = self.console.accept(line)? else {
            self.is_stale = true;
            return Ok(());
        };
        let session = self.client.session();
        if is_quit(&text) {
            return Err(SessionEnd::Quit);
        }
        match (&*text.to_lowercase(), session.optimistic()) {
            (_, None) => self.print("Not connected yet. Type quit to leave.")?,
            ("help" | "?", _) => self.print(HELP)?,
            ("board", _) => {
                self.printed_board = None;
                self.is_stale = true;
            }
            ("moves", Some(current)) if current.verdict().is_none() => {
                let columns = self.console.size().columns;
                let moves = possible_moves(current.game().position(), columns);
                self.print(&moves)?;
            }
            ("link", _) => {
                let link = self.client.link().to_string();
                self.print(&link)?;
            }
            (_, Some(current)) => {
                match parse_act(&text, current, session.seat(), &mut self.reader) {
                    Ok(act) => self.propose(act)?,
                    Err(message) => self.print(&message)?,
                }
            }
        }
        if self.is_stale {
            return Ok(());
        }
        Ok(self.prompt()?)
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
        let id = (current.number(), game.moves().len(), verdict.is_some());
        let is_new = current.has_started() && self.printed_board != Some(id);
        let picture = game.position().picture();
        let ended = game.outcome();
        let board = is_new.then(|| draw(&picture, self.console.size()));
        self.abandon_prompt()?;
        if let Some(board) = board {
            self.printed_board = Some(id);
            self.console.print("")?;
            self.console.print_board(&board)?;
            self.console.print("")?;
            if let Some(outcome) = ended {
                self.console.print_winning_lines(&picture, outcome)?;
            }
        }
        self.is_stale = false;
        self.console.print(&line)?;
        self.prompt()
    }

    /// Prints a question and a prompt if the user can act.
    fn prompt(&mut self) -> io::Result<()> {
        let session = self.client.session();
        if self.bot.is_none()
            && let (Some(seat), Some(current)) = (session.seat(), session.optimistic())
            && let Some(question) = question_for(current, seat)
        {
            self.console.print(&question)?;
            self.console.prompt()?;
            self.is_prompting = true;
        }
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
        self.abandon_prompt()?;
        let Self {
            client,
            mut console,
            ..
        } = self;
        leave(client, |line| console.print(line)).await
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
