use std::io::{self, Empty, IsTerminal, Write};
use std::thread;
use std::time::Duration;

use open_ttt_app::draw::draw;
use open_ttt_app::{Console, Leave, Typed, question};
use open_ttt_catalog::{DynGame, DynMove};
use open_ttt_lib::rules::{Drawing, Notation};
use open_ttt_net::client::{Client, ClientEvent, MatchEvent};
use open_ttt_net::matches::{Act, Actor, DynMatch, Seat, Transition};
use open_ttt_net::protocol::Presence;
use open_ttt_players::GameEnd;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::{Instant, sleep_until};

use super::bot::Bot;
use super::seats::Seats;
use super::shown;
use super::telling::Teller;
use super::wish::{self, HELP, Wish};
use crate::failure::Failure;

/// How long somebody who leaves waits for the answer to what they did last.
const FAREWELL: Duration = Duration::from_secs(5);

/// A match as it is played or watched in a terminal.
pub(super) struct Room<W> {
    client: Client,
    bot: Option<Bot>,
    seats: Seats,
    console: Console<Empty, W>,
    lines: Receiver<io::Result<Typed>>,
    typing: Typing,
    contact: Contact,
    /// Whether a prompt stands at the end of what was written.
    asked: bool,
    /// Whether what is shown is no longer how it stands.
    stale: bool,
    presence: Option<Presence>,
    /// What the board that was shown last was of.
    drawn: Option<Drawn>,
}

/// When somebody may type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Typing {
    AtAnyTime,
    /// A script is read line by line, each where it answers something.
    WhenAsked,
}

/// How it stands with the server, as far as it was told here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contact {
    None,
    Standing,
    Lost,
}

/// What tells a board from the next one: the game's number, its moves, and
/// whether it is over.
type Drawn = (u32, usize, bool);

/// What happens next.
enum Next {
    Event(ClientEvent),
    Typed(io::Result<Typed>),
    Thought(DynGame, Result<DynMove, GameEnd<DynMove>>),
    /// Ctrl-C.
    Interrupt,
}

/// Why a room is left.
enum Stop {
    /// Somebody wants to, or there is nobody any more.
    Left,
    Failed(Failure),
}

impl<W: Write> Room<W> {
    /// A room that is shown on this console.
    pub(super) fn new(
        client: Client,
        bot: Option<Bot>,
        seats: Seats,
        console: Console<Empty, W>,
    ) -> Self {
        let is_bot = bot.is_some();
        Self {
            client,
            bot,
            seats,
            console,
            lines: lines(is_bot),
            typing: if io::stdin().is_terminal() {
                Typing::AtAnyTime
            } else {
                Typing::WhenAsked
            },
            contact: Contact::None,
            asked: false,
            stale: false,
            presence: None,
            drawn: None,
        }
    }

    /// Plays until somebody leaves.
    pub(super) async fn run(mut self) -> Result<(), Failure> {
        let ended = self.play().await;
        if let Some(bot) = &self.bot {
            bot.stop();
        }
        match ended {
            Ok(()) | Err(Stop::Left) => self.leave().await,
            Err(Stop::Failed(failure)) => Err(failure),
        }
    }

    async fn play(&mut self) -> Result<(), Stop> {
        loop {
            if self.stale && self.contact != Contact::None {
                self.stale = false;
                self.show()?;
            }
            if self.bot_is_done()? {
                return Ok(());
            }
            match self.next().await? {
                Next::Event(event) => self.happened(event)?,
                Next::Typed(typed) => self.typed(typed?)?,
                Next::Thought(position, answer) => self.thought(&position, answer)?,
                Next::Interrupt => {
                    self.aside()?;
                    return Err(Stop::Left);
                }
            }
        }
    }

    async fn next(&mut self) -> Result<Next, Stop> {
        let may_type = self.asked || self.typing == Typing::AtAnyTime;
        let Self {
            client, bot, lines, ..
        } = self;
        let thought = async {
            match bot {
                Some(bot) => bot.answer().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            event = client.next() => {
                event.map(Next::Event).map_err(|error| Stop::Failed(error.into()))
            }
            Some(typed) = lines.recv(), if may_type => Ok(Next::Typed(typed)),
            thought = thought => {
                let (position, answer) = thought?;
                Ok(Next::Thought(position, answer))
            }
            Ok(()) = tokio::signal::ctrl_c() => Ok(Next::Interrupt),
        }
    }

    /// Lets the bot look at the match; whether it has had enough.
    fn bot_is_done(&mut self) -> io::Result<bool> {
        let session = self.client.session();
        let (Some(bot), Some(seat), Some(table)) =
            (&mut self.bot, session.seat(), session.optimistic())
        else {
            return Ok(false);
        };
        if session.has_pending() {
            return Ok(false);
        }
        if bot.has_had_enough(table) {
            return Ok(true);
        }
        bot.look(table, seat);
        if let Some(act) = bot.reaction(table, seat) {
            self.propose(act)?;
        }
        Ok(false)
    }

    fn thought(
        &mut self,
        position: &DynGame,
        answer: Result<DynMove, GameEnd<DynMove>>,
    ) -> io::Result<()> {
        let table = self.client.session().optimistic();
        if table.is_none_or(|table| table.game().position() != position) {
            // The match has gone on without it.
            return Ok(());
        }
        match answer {
            Ok(m) => self.propose(Act::play(&position.move_text(m))),
            Err(_) => self.propose(Act::Resign),
        }
    }

    fn happened(&mut self, event: ClientEvent) -> io::Result<()> {
        match event {
            ClientEvent::Connected => self.connected(),
            ClientEvent::Disconnected { cause, .. } => {
                if self.contact != Contact::Lost {
                    self.contact = Contact::Lost;
                    let cause = shown(&cause.to_string());
                    self.say(&format!(
                        "The connection is lost and will be tried again: {cause}"
                    ))?;
                }
                Ok(())
            }
            ClientEvent::Match(MatchEvent::Snapshot) => {
                self.stale = true;
                Ok(())
            }
            ClientEvent::Match(MatchEvent::Change {
                transition, own, ..
            }) => {
                // One's own was told when it was done.
                if !own {
                    self.told(&transition)?;
                }
                Ok(())
            }
            ClientEvent::Match(MatchEvent::RolledBack { acts, conflict }) => {
                let what = acts.first().map_or_else(String::new, said);
                let why = conflict.map_or_else(
                    || "something else came first".to_owned(),
                    |conflict| conflict.to_string(),
                );
                self.say(&format!("{what} did not come about: {why}"))?;
                self.stale = true;
                Ok(())
            }
            ClientEvent::Match(MatchEvent::Presence(now)) => {
                let before = self.presence.replace(now);
                let lines = self.teller().map_or_else(Vec::new, |teller| {
                    before.map_or_else(Vec::new, |before| teller.presence(before, now))
                });
                for line in lines {
                    self.say(&line)?;
                    self.stale |= self.typing == Typing::AtAnyTime;
                }
                Ok(())
            }
        }
    }

    fn connected(&mut self) -> io::Result<()> {
        if let Some(seat) = self.client.session().seat()
            && let Err(error) = self.seats.keep(self.client.link(), seat)
        {
            self.say(&format!(
                "The secret of your seat cannot be kept ({error}); come back by {}",
                self.client.link().reveal()
            ))?;
        }
        let introduction = self.teller().map(|teller| teller.introduction());
        let before = std::mem::replace(&mut self.contact, Contact::Standing);
        match before {
            Contact::Lost => self.say("Connected again")?,
            Contact::None | Contact::Standing => {
                if let Some(introduction) = introduction {
                    self.say(&introduction)?;
                }
                if self.bot.is_none() && self.client.session().seat().is_some() {
                    self.say("Write help wherever you do not know what to write")?;
                }
            }
        }
        self.stale = true;
        Ok(())
    }

    fn told(&mut self, transition: &Transition) -> io::Result<()> {
        let line = self.teller().and_then(|teller| teller.tell(transition));
        if let Some(line) = line {
            self.say(&line)?;
        }
        self.stale = true;
        Ok(())
    }

    fn typed(&mut self, typed: Typed) -> Result<(), Stop> {
        self.asked = false;
        let Some(text) = self.console.take(typed)? else {
            self.stale = true;
            return Ok(());
        };
        let session = self.client.session();
        let Some(table) = session.optimistic() else {
            return match &*text.to_lowercase() {
                "quit" | "exit" | "q" => Err(Stop::Left),
                _ => Ok(self.say("There is no connection yet; quit leaves")?),
            };
        };
        match wish::read(&text, table, session.seat()) {
            Ok(Wish::Quit) => return Err(Stop::Left),
            Ok(Wish::Help) => self.say(HELP)?,
            Ok(Wish::Board) => {
                self.drawn = None;
                self.stale = true;
            }
            Ok(Wish::Link) => {
                let link = self.client.link().to_string();
                self.say(&link)?;
            }
            Ok(Wish::Do(act)) => self.propose(act)?,
            Err(sentence) => self.say(&sentence)?,
        }
        if !self.stale {
            self.ask()?;
        }
        Ok(())
    }

    /// Does something here and at the server, and says so.
    fn propose(&mut self, act: Act) -> io::Result<()> {
        let Some(seat) = self.client.session().seat() else {
            return Ok(());
        };
        if let Err(error) = self.client.propose(act.clone()) {
            return self.say(&format!("That is not possible: {error}"));
        }
        let at = self.client.server_time().unwrap_or_default();
        let by = Actor::Seat(seat);
        self.told(&Transition { at, by, act })
    }

    fn teller(&self) -> Option<Teller<'_>> {
        let session = self.client.session();
        Some(Teller {
            table: session.optimistic()?,
            seat: session.seat(),
        })
    }

    /// Shows the board, and what is to be done.
    fn show(&mut self) -> io::Result<()> {
        let Some(teller) = self.teller() else {
            return Ok(());
        };
        let table = teller.table;
        let line = match table.verdict() {
            Some(verdict) => teller.result(verdict),
            None if table.has_started() => teller.turn(self.client.server_time()),
            None => "The other seat is open".to_owned(),
        };
        let game = table.game();
        let drawn = (
            table.number(),
            game.moves().len(),
            table.verdict().is_some(),
        );
        let is_new = table.has_started() && self.drawn != Some(drawn);
        let board = is_new.then(|| draw(&game.position().picture(), self.console.size()));
        self.aside()?;
        if let Some(board) = board {
            self.drawn = Some(drawn);
            self.console.say("")?;
            self.console.show(&board)?;
            self.console.say("")?;
        }
        self.stale = false;
        self.console.say(&line)?;
        self.ask()
    }

    /// Asks, if there is something to be asked.
    fn ask(&mut self) -> io::Result<()> {
        let session = self.client.session();
        let (None, Some(seat), Some(table)) = (&self.bot, session.seat(), session.optimistic())
        else {
            return Ok(());
        };
        if !wants(table, seat) {
            return Ok(());
        }
        let words = if table.verdict().is_some() {
            "Another game? (rematch/quit)".to_owned()
        } else if table.to_move() == Some(seat) {
            question(table.game().position())
        } else {
            "Yes or no?".to_owned()
        };
        self.console.say(&words)?;
        self.console.prompt()?;
        self.asked = true;
        Ok(())
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        self.aside()?;
        self.console.say(line)
    }

    /// Makes room for something else where a prompt stands.
    fn aside(&mut self) -> io::Result<()> {
        if self.asked {
            self.asked = false;
            self.stale = true;
            self.console.interrupt()?;
        }
        Ok(())
    }

    /// Leaves, once the server has answered what was done last.
    async fn leave(mut self) -> Result<(), Failure> {
        let until = Instant::now() + FAREWELL;
        while self.client.session().has_pending() {
            tokio::select! {
                event = self.client.next() => drop(event?),
                () = sleep_until(until) => {
                    self.say("The server has not answered what you did last")?;
                    break;
                }
            }
        }
        let is_over = self
            .client
            .session()
            .confirmed()
            .is_some_and(|table| table.verdict().is_some());
        if self.client.session().seat().is_some() && !is_over {
            let link = self.client.link().reveal();
            self.say(&format!("Your seat is kept; open_ttt join {link}"))?;
        }
        self.say("Goodbye")?;
        io::stdout().flush()?;
        self.client.close().await;
        Ok(())
    }
}

/// Whether somebody on this seat has something to say.
fn wants(table: &DynMatch, seat: Seat) -> bool {
    let other = Some(!seat);
    let is_asked = table.draw_offer() == other || table.take_back() == other;
    let is_over = table.verdict().is_some() && !table.wants_rematch(seat);
    table.to_move() == Some(seat) || is_asked || is_over
}

/// An act, to begin a sentence with.
fn said(act: &Act) -> String {
    match act {
        Act::Move { text, .. } => format!("Your move {}", text.0),
        _ => "What you wanted".to_owned(),
    }
}

/// Reads what is typed, on a thread of its own, and no more of it than is asked
/// for.
fn lines(nobody: bool) -> Receiver<io::Result<Typed>> {
    let (there, here) = channel(1);
    if nobody {
        return here;
    }
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let typed = Typed::read(&mut input);
            let ends = !matches!(typed, Ok(Typed::Text(_) | Typed::TooLong | Typed::NotText));
            if there.blocking_send(typed).is_err() || ends {
                return;
            }
        }
    });
    here
}

impl From<Leave> for Stop {
    fn from(leave: Leave) -> Self {
        match leave {
            Leave::Quit | Leave::EndOfInput => Self::Left,
            Leave::Failed(error) => Self::Failed(error.into()),
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}
