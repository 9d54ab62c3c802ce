//! The wait for the opponent of a quick game.

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

/// Waits until there is an opponent. Returns the connected client of the match, or `None`
/// if the user gives up.
pub(super) async fn find_opponent(
    catalog: Catalog,
    mut pairing: Pairing,
    lines: &mut Lines,
) -> Result<Option<Client>, Failure> {
    let connect = |pairing: &Pairing| Client::new(catalog.clone(), pairing.link().clone());
    let mut client = connect(&pairing)?;
    // A script's lines are for the match.
    let is_interactive = io::stdin().is_terminal();
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
                print(LOOKING)?;
            }
        }
        let gives_up = tokio::select! {
            biased;
            event = client.next() => {
                show(event?, &mut connection)?;
                false
            }
            moved = pairing.ask_again() => {
                if moved? {
                    connection = Connection::New;
                    mem::replace(&mut client, connect(&pairing)?).close().await;
                }
                false
            }
            Some(line) = lines.recv(), if is_interactive => match line? {
                InputLine::Text(text) if !is_quit(&text) => {
                    print(LOOKING)?;
                    false
                }
                InputLine::TooLong | InputLine::NotUtf8 => false,
                InputLine::Text(_) | InputLine::EndOfInput => true,
            },
            Ok(()) = tokio::signal::ctrl_c() => true,
        };
        if gives_up {
            if pairing.cancel().await? {
                print("Goodbye")?;
                client.close().await;
                return Ok(None);
            }
            print("An opponent has come at the last moment.")?;
            if client.link() != pairing.link() {
                connection = Connection::New;
                mem::replace(&mut client, connect(&pairing)?).close().await;
            }
        }
    }
}

/// Prints what a waiting player should know of an event.
fn show(event: ClientEvent, connection: &mut Connection) -> Result<(), Failure> {
    match event {
        ClientEvent::Disconnected { cause, .. } => {
            if mem::replace(connection, Connection::Lost) != Connection::Lost {
                let cause = printable(&cause.to_string());
                print(&format!("Connection lost, reconnecting: {cause}"))?;
            }
        }
        ClientEvent::Connected => {
            if mem::replace(connection, Connection::Open) == Connection::Lost {
                print("Reconnected")?;
            }
        }
        ClientEvent::Match(MatchEvent::Notice(text)) => print(&printable(&text))?,
        ClientEvent::Match(_) => {}
    }
    Ok(())
}
