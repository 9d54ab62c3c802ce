//! The wait for the opponent of a quick game.

use std::future::pending;
use std::io::{self, IsTerminal};
use std::mem;

use open_ttt_app::InputLine;
use open_ttt_catalog::Catalog;
use open_ttt_net::client::{Client, ClientEvent, MatchEvent, Pairing};
use open_ttt_net::matches::DynMatch;

use super::input::{Lines, is_quit};
use super::match_terminal::Connection;
use super::{print, printable};
use crate::failure::Failure;

const LOOKING: &str = "Looking for an opponent. Press Ctrl-C to stop.";

/// The person who waits for an opponent.
pub(super) trait WaitingPerson {
    /// Tells that the search goes on.
    fn tell_looking(&mut self) -> Result<(), Failure>;

    /// Tells something else.
    fn tell(&mut self, text: &str) -> Result<(), Failure>;

    /// Shows the match in which the person waits.
    fn show(&mut self, client: &Client);

    /// Waits until the person gives up. Cancel safe.
    async fn give_up(&mut self) -> Result<(), Failure>;
}

/// A person who waits at lines of text.
pub(super) struct AtLines<'a>(pub(super) &'a mut Lines);

impl WaitingPerson for AtLines<'_> {
    fn tell_looking(&mut self) -> Result<(), Failure> {
        print(LOOKING)
    }

    fn tell(&mut self, text: &str) -> Result<(), Failure> {
        print(text)
    }

    fn show(&mut self, _: &Client) {}

    async fn give_up(&mut self) -> Result<(), Failure> {
        // A script's lines are for the match.
        let is_interactive = io::stdin().is_terminal();
        loop {
            let line = async {
                match self.0.recv().await {
                    Some(line) if is_interactive => line,
                    _ => pending().await,
                }
            };
            tokio::select! {
                line = line => match line? {
                    InputLine::Text(text) if !is_quit(&text) => self.tell_looking()?,
                    InputLine::TooLong | InputLine::NotUtf8 => {}
                    InputLine::Text(_) | InputLine::EndOfInput => return Ok(()),
                },
                Ok(()) = tokio::signal::ctrl_c() => return Ok(()),
            }
        }
    }
}

/// Waits until there is an opponent. Returns the connected client of the match, or `None`
/// if the person gives up.
pub(super) async fn find_opponent(
    catalog: Catalog,
    mut pairing: Pairing,
    person: &mut impl WaitingPerson,
) -> Result<Option<Client>, Failure> {
    let connect = |pairing: &Pairing| Client::new(catalog.clone(), pairing.link().clone());
    let mut client = connect(&pairing)?;
    let mut connection = Connection::New;
    let mut has_told = false;
    loop {
        let state = client.session().confirmed();
        let has_opponent = state.is_some_and(DynMatch::has_started);
        if connection == Connection::Open && !pairing.is_asking() {
            if has_opponent {
                return Ok(Some(client));
            }
            if !mem::replace(&mut has_told, true) {
                person.tell_looking()?;
            }
        }
        person.show(&client);
        let gives_up = tokio::select! {
            biased;
            event = client.next() => {
                tell(event?, &mut connection, person)?;
                false
            }
            moved = pairing.ask_again() => {
                if moved? {
                    connection = Connection::New;
                    mem::replace(&mut client, connect(&pairing)?).close().await;
                }
                false
            }
            given_up = person.give_up() => {
                given_up?;
                true
            }
        };
        if gives_up {
            if pairing.cancel().await? {
                client.close().await;
                return Ok(None);
            }
            person.tell("An opponent has come at the last moment.")?;
            if client.link() != pairing.link() {
                connection = Connection::New;
                mem::replace(&mut client, connect(&pairing)?).close().await;
            }
        }
    }
}

/// Tells what a waiting player should know of an event.
fn tell(
    event: ClientEvent,
    connection: &mut Connection,
    person: &mut impl WaitingPerson,
) -> Result<(), Failure> {
    match event {
        ClientEvent::Disconnected { cause, .. } => {
            if mem::replace(connection, Connection::Lost) != Connection::Lost {
                let cause = printable(&cause.to_string());
                person.tell(&format!("Connection lost, reconnecting: {cause}"))?;
            }
        }
        ClientEvent::Connected => {
            if mem::replace(connection, Connection::Open) == Connection::Lost {
                person.tell("Reconnected")?;
            }
        }
        ClientEvent::Match(MatchEvent::Notice(text)) => person.tell(&printable(&text))?,
        ClientEvent::Match(_) => {}
    }
    Ok(())
}
