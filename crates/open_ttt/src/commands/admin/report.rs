use std::fmt::Display;
use std::io::{self, Write};

use open_ttt_net::matches::Seat;
use open_ttt_net::protocol::admin::{
    Banned, Bans, MatchDescription, ServerStatus, StoreSize, UnreadableMatch,
};
use serde::Serialize;

use crate::commands::{ago, count, now_ms, write_json};
use crate::failure::Failure;

/// Prints what the server has answered.
pub(super) struct Report {
    pub(super) json: bool,
}

/// Who is banned, for people.
pub(super) fn name(banned: &Banned) -> String {
    match banned {
        Banned::Network(network) if network.prefix_len() == network.max_prefix_len() => {
            network.addr().to_string()
        }
        Banned::Network(network) => network.to_string(),
        Banned::Name(name) => format!("{name:?}"),
    }
}

impl Report {
    /// Prints an object as JSON, or what `text` writes.
    fn print(
        &self,
        object: &impl Serialize,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut output = io::stdout().lock();
        if self.json {
            return write_json(&mut output, object);
        }
        Ok(text(&mut output)?)
    }

    pub(super) fn done(&self, text: impl Display) -> Result<(), Failure> {
        self.print(&serde_json::json!({"done": true}), |output| {
            writeln!(output, "{text}")
        })
    }

    pub(super) fn status(&self, status: &ServerStatus) -> Result<(), Failure> {
        self.print(status, |output| {
            let mut line = |name: &str, value: &dyn Display| writeln!(output, "{name:<22}{value}");
            line("Version", &status.version)?;
            line("Started", &ago(status.since))?;
            let draining = if status.draining { "yes" } else { "no" };
            line("Refuses new matches", &draining)?;
            line("Connections", &status.connections)?;
            line("Players and watchers", &status.sockets)?;
            line("Matches in memory", &status.matches)?;
            line("Matches in the lobby", &status.listed)?;
            line("Computers thinking", &status.computer_moves)?;
            line("Requests at work", &status.requests)?;
            line("Unread bytes", &status.unread_bytes)?;
            if let Some(store) = &status.store {
                line("Stored", &stored(store))?;
            }
            Ok(())
        })
    }

    /// A match in one line.
    pub(super) fn line(&self, description: &MatchDescription) -> Result<(), Failure> {
        self.print(description, |output| {
            let players = players(description);
            let connected = description.connections.len() as u32;
            let connections = count(connected, "connection", "connections");
            writeln!(
                output,
                "{}  {}  {players}  game {}, move {}  {connections}  {}{}",
                description.id,
                description.game,
                description.number,
                description.moves,
                ago(description.at),
                if description.closed { "  closed" } else { "" }
            )
        })
    }

    /// A match that can't be read, in one line.
    pub(super) fn unreadable(&self, unreadable: &UnreadableMatch) -> Result<(), Failure> {
        self.print(unreadable, |output| {
            let UnreadableMatch { id, error } = unreadable;
            writeln!(output, "{id}  can't be read: {}", error.text)
        })
    }

    /// A match with its connections.
    pub(super) fn show(&self, description: &MatchDescription) -> Result<(), Failure> {
        self.print(description, |output| {
            let mut line = |name: &str, value: &dyn Display| writeln!(output, "{name:<14}{value}");
            line("Match", &description.id)?;
            line("Game", &description.game)?;
            line("Players", &players(description))?;
            let [a, b] = description.score.wins;
            line(
                "Score",
                &format_args!("{a}:{b}, {} drawn", description.score.draws),
            )?;
            let moves = count(description.moves as u32, "move", "moves");
            line(
                "Current game",
                &format_args!("{}, {moves}", description.number),
            )?;
            line("Created", &ago(description.since))?;
            line(
                "Last change",
                &format_args!("{} ({})", ago(description.at), description.sequence),
            )?;
            if description.closed {
                line("Closed", &"yes, nobody can play or watch it")?;
            }
            for connection in &description.connections {
                let role = connection.seat.map_or("watching", |seat| match seat {
                    Seat::A => "seat a",
                    Seat::B => "seat b",
                });
                line(
                    "Connected",
                    &format_args!("{role} from {}", connection.address),
                )?;
            }
            Ok(())
        })
    }

    pub(super) fn bans(&self, bans: &Bans) -> Result<(), Failure> {
        self.print(bans, |output| {
            if bans.bans.is_empty() {
                return writeln!(output, "Nobody is banned.");
            }
            for ban in &bans.bans {
                let until = ban.until.map_or_else(String::new, |until| {
                    let hours = until.saturating_sub(now_ms()).div_ceil(3_600_000);
                    format!("  for {} more", count(hours as u32, "hour", "hours"))
                });
                let reason = ban.reason.as_deref().map_or_else(String::new, |reason| {
                    // One line, whatever it has.
                    let shown = reason.replace(char::is_control, " ");
                    format!("  {shown}")
                });
                writeln!(output, "{}{until}{reason}", name(&ban.who))?;
            }
            Ok(())
        })
    }
}

fn stored(store: &StoreSize) -> String {
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    let limit = store.limit_bytes.map(|limit| format!(" of {}", mib(limit)));
    mib(store.bytes) + &limit.unwrap_or_default()
}

fn players(description: &MatchDescription) -> String {
    let name = |player: &Option<String>| player.clone().unwrap_or_else(|| "(open)".to_owned());
    let [a, b] = &description.players;
    format!("{} - {}", name(a), name(b))
}
