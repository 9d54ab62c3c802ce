use std::future::pending;
use std::io::{self, Write};
use std::mem;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use open_ttt_app::{RemoteCommand, RemoteUpdate, SessionEnd, sentence};
use open_ttt_catalog::DynGame;
use open_ttt_net::client::{Client, ClientEvent, MatchEvent};
use open_ttt_net::matches::{Act, Actor, DynMatch, Seat, Transition};
use open_ttt_net::protocol::Presence;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::bot::{Bot, Reaction};
use super::leaving::leave;
use super::narrator::{Narrator, rejection};
use super::quick::WaitingPerson;
use super::ratings::Ratings;
use super::remote_match::{Surroundings, act, remote_match};
use super::saved_seats::SavedSeats;
use super::{print, printable};
use crate::failure::Failure;
use crate::settings::{DisplayArgs, UserSettings};

/// The screen of a match, on a thread of its own that draws and reads keys.
pub(super) struct MatchScreen {
    updates: Sender<RemoteUpdate<DynGame>>,
    /// What the person does; closed when the screen has been left.
    commands: UnboundedReceiver<RemoteCommand>,
    thread: JoinHandle<Result<(), SessionEnd>>,
    display: DisplayArgs,
    has_given_up: bool,
}

impl MatchScreen {
    /// Takes over the terminal. A failure is returned by [`close`](Self::close).
    pub(super) fn open(display: &DisplayArgs) -> Self {
        let (updates, shown) = channel();
        let (sender, commands) = unbounded_channel();
        let args = display.clone();
        let thread = thread::spawn(move || {
            // The other side sees that the screen has been left when this is dropped.
            let send = |command| drop(sender.send(command));
            let settings = UserSettings::load(&args);
            let end = settings.open_silently()?.follow(&shown, send);
            settings.report();
            end
        });
        let screen = Self {
            updates,
            commands,
            thread,
            display: display.clone(),
            has_given_up: false,
        };
        if let Some(problem) = UserSettings::load(display).take_problem() {
            screen.tell(&problem);
        }
        screen
    }

    fn update(&self, update: RemoteUpdate<DynGame>) {
        // A screen that has been left shows nothing.
        let _ = self.updates.send(update);
    }

    pub(super) fn tell(&self, news: &str) {
        self.update(RemoteUpdate::News(news.to_owned()));
    }

    fn show(&self, client: &Client, around: Surroundings<'_>) {
        if let Some(current) = remote_match(client, around) {
            self.update(RemoteUpdate::Match(Box::new(current)));
        }
    }

    /// Leaves the terminal as it was, and returns what has gone wrong on it.
    pub(super) fn close(self) -> Result<(), Failure> {
        drop(self.updates);
        match self.thread.join() {
            Ok(Err(SessionEnd::Failed(error))) => Err(error.into()),
            Ok(_) => Ok(()),
            Err(_) => Err(Failure::failed("the screen's thread panicked")),
        }
    }
}

impl WaitingPerson for MatchScreen {
    fn tell_looking(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn tell(&mut self, text: &str) -> Result<(), Failure> {
        Self::tell(self, text);
        Ok(())
    }

    fn show(&mut self, client: &Client) {
        let around = Surroundings {
            ratings: &Ratings::default(),
            problem: None,
            is_person: true,
            waiting: "Looking for an opponent",
            invites: false,
        };
        Self::show(self, client, around);
    }

    async fn give_up(&mut self) -> Result<(), Failure> {
        if self.has_given_up {
            return pending().await;
        }
        // There is nothing to do but to leave.
        while self.commands.recv().await.is_some() {}
        self.has_given_up = true;
        Ok(())
    }
}

/// A match on the screen: played by a person or a bot, or watched.
pub(super) struct ScreenMatch {
    client: Client,
    bot: Option<Bot>,
    saved_seats: SavedSeats,
    screen: MatchScreen,
    ratings: Ratings,
    /// What is wrong with the connection.
    problem: Option<String>,
    presence: Option<Presence>,
    is_connected: bool,
}

impl ScreenMatch {
    pub(super) fn new(
        client: Client,
        bot: Option<Bot>,
        saved_seats: SavedSeats,
        screen: MatchScreen,
    ) -> Self {
        Self {
            client,
            bot,
            saved_seats,
            // A person who gave up waiting just when the opponent came has left it.
            screen: if screen.has_given_up {
                MatchScreen::open(&screen.display)
            } else {
                screen
            },
            ratings: Ratings::default(),
            problem: None,
            presence: None,
            is_connected: false,
        }
    }

    /// Shows the match until the person leaves or the bot is done.
    pub(super) async fn run(mut self) -> Result<(), Failure> {
        let result = self.handle_events().await;
        if let Some(bot) = &self.bot {
            bot.stop();
        }
        let closed = self.screen.close();
        result?;
        closed?;
        let session = self.client.session();
        if let Some(current) = session.optimistic()
            && let Some(verdict) = current.verdict()
        {
            let seat = session.seat();
            print(&Narrator { current, seat }.result(verdict))?;
        }
        leave(self.client, |line| writeln!(io::stdout(), "{line}")).await
    }

    async fn handle_events(&mut self) -> Result<(), Failure> {
        if self.client.session().is_established() {
            // The client is connected since the wait for an opponent.
            self.handle_connected();
        }
        loop {
            let session = self.client.session();
            match self.bot.as_mut().map(|bot| bot.react(session)) {
                None | Some(Reaction::Nothing) => {}
                Some(Reaction::Act(act)) => self.propose(act),
                Some(Reaction::Leave) => return Ok(()),
            }
            self.show();
            tokio::select! {
                biased;
                event = self.client.next() => self.handle_client_event(event?),
                command = self.screen.commands.recv() => match command {
                    Some(command) => self.handle_command(command),
                    None => return Ok(()),
                },
                chosen = Bot::choose_act(&mut self.bot) => {
                    let (position, act) = chosen?;
                    let current = self.client.session().optimistic();
                    if current.is_some_and(|it| *it.game().position() == position) {
                        self.propose(act);
                    }
                }
                () = self.ratings.changed() => {}
            }
        }
    }

    fn show(&self) {
        let around = Surroundings {
            ratings: &self.ratings,
            problem: self.problem.as_deref(),
            is_person: self.bot.is_none(),
            waiting: "Waiting for an opponent",
            invites: true,
        };
        self.screen.show(&self.client, around);
    }

    fn handle_command(&mut self, command: RemoteCommand) {
        let session = self.client.session();
        let (Some(seat), Some(current)) = (session.seat(), session.optimistic()) else {
            return;
        };
        match command {
            RemoteCommand::Move {
                text,
                played,
                number,
            } => {
                // Otherwise the game has gone on since the move was chosen.
                if (current.number(), current.game().moves().len()) == (number, played) {
                    self.propose(Act::play(&text));
                }
            }
            RemoteCommand::Act(action) => match act(action, current, seat) {
                Some(act) => self.propose(act),
                None => self.refuse("There's nothing to answer."),
            },
        }
    }

    /// Applies an act optimistically, sends it to the server and tells of it.
    fn propose(&mut self, act: Act) {
        let Some(seat) = self.client.session().seat() else {
            return;
        };
        if let Err(error) = self.client.propose(act.clone()) {
            self.refuse(&sentence(error));
            return;
        }
        let at = self.client.server_time().unwrap_or_default();
        let by = Actor::Seat(seat);
        self.tell_transition(&Transition { at, by, act });
    }

    fn refuse(&self, text: &str) {
        let text = printable(text);
        self.screen.update(RemoteUpdate::Refused(text));
    }

    fn handle_client_event(&mut self, event: ClientEvent) {
        match event {
            ClientEvent::Connected => self.handle_connected(),
            ClientEvent::Disconnected { cause, .. } => {
                let cause = printable(&cause.to_string());
                let problem = format!("Connection lost, reconnecting: {cause}");
                if self.client.session().optimistic().is_none() {
                    self.screen.tell(&problem);
                }
                self.problem = Some(problem);
            }
            ClientEvent::Match(event) => self.handle_match_event(event),
        }
    }

    fn handle_connected(&mut self) {
        if let Some(seat) = self.client.session().seat()
            && let Err(error) = self.saved_seats.save(self.client.link(), seat)
        {
            let link = self.client.link().reveal();
            self.screen.tell(&format!(
                "Your seat can't be saved ({error}). To come back, use {link}"
            ));
        }
        self.problem = None;
        if mem::replace(&mut self.is_connected, true) {
            self.screen.tell("Reconnected");
        }
        self.ratings.ask(self.client.link());
    }

    fn handle_match_event(&mut self, event: MatchEvent) {
        match event {
            MatchEvent::Snapshot => {}
            // `propose` has told of the user's own acts.
            MatchEvent::Change { own: true, .. } => self.follow_ratings(),
            MatchEvent::Change { transition, .. } => {
                self.tell_transition(&transition);
                self.follow_ratings();
                if let Act::Join { .. } = transition.act {
                    self.ratings.ask(self.client.link());
                }
            }
            MatchEvent::RolledBack { acts, conflict } => {
                self.refuse(&rejection(&acts, conflict));
            }
            MatchEvent::Notice(text) => self.screen.tell(&printable(&text)),
            MatchEvent::Presence(now) => {
                let before = self.presence.replace(now).unwrap_or(now);
                let session = self.client.session();
                let lines = session.optimistic().map(|current| {
                    let seat = session.seat();
                    Narrator { current, seat }.presence(before, now)
                });
                for line in lines.unwrap_or_default() {
                    self.screen.tell(&printable(&line));
                }
            }
        }
    }

    /// Asks for the ratings after a game that changes them.
    fn follow_ratings(&mut self) {
        let confirmed = self.client.session().confirmed();
        if confirmed.is_some_and(|it| it.settings().rated && it.verdict().is_some()) {
            self.ratings.ask(self.client.link());
        }
    }

    /// Tells of a change that the board and the question for the player don't show.
    fn tell_transition(&self, transition: &Transition) {
        let session = self.client.session();
        let Some(current) = session.optimistic() else {
            return;
        };
        let seat = session.seat();
        if is_shown(transition, current, seat) {
            return;
        }
        if let Some(text) = (Narrator { current, seat }).transition(transition) {
            self.screen.tell(&printable(&text));
        }
    }
}

/// Whether the screen shows a change without words: a move, or what the opponent asks.
fn is_shown(transition: &Transition, current: &DynMatch, seat: Option<Seat>) -> bool {
    let Actor::Seat(by) = transition.by else {
        return false;
    };
    let is_over = current.verdict().is_some();
    match transition.act {
        Act::Move { .. } => true,
        Act::OfferDraw => seat == Some(!by) && !is_over,
        Act::AskTakeBack => seat == Some(!by),
        Act::Rematch => seat == Some(!by) && is_over,
        _ => false,
    }
}
