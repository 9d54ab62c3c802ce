//! Kills a server repeatedly and checks that no acknowledged change is lost.
//!
//! Meanwhile the clients keep playing: they reconnect and send unanswered proposals
//! again. Every change that a client receives is recorded and compared with the store
//! at the end.

use core::time::Duration;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use open_ttt_catalog::Catalog;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::MatchId;
use open_ttt_net::client::{Client, ClientEvent, Link, MatchEvent};
use open_ttt_net::log::{MatchLog, SqliteFile, SqliteLog};
use open_ttt_net::matches::{Act, DynMatch, Seat, Settings, Transition};
use open_ttt_net::replication::{Digest, LogEntry, Sequence};
use open_ttt_net::server::check_match;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep, timeout};

use crate::ServerProcess;
use crate::connection::create_match;
use crate::match_player::find;
use crate::progress::progress_bar;
use crate::source::Source;

/// The time limit for all proposals to be answered after the last kill.
const SETTLE_LIMIT: Duration = Duration::from_mins(1);

/// With so many changes a match ends and another one takes its place: servers limit
/// their length.
const MAX_CHANGES: u64 = 15_000;

/// The arguments of a crash test.
#[derive(Clone, Debug, clap::Args)]
pub struct Crash {
    /// The number of kills
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub kills: u32,
    /// Kill for this many seconds instead
    #[arg(long, value_name = "S", conflicts_with = "kills",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seconds: Option<u64>,
    /// The number of concurrent matches
    #[arg(long, value_name = "N", default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub tables: u32,
    /// The game
    #[arg(long, value_name = "KEY", default_value = "ttt")]
    pub game: String,
    /// The shortest time between start and kill, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    pub shortest: u32,
    /// The longest time between start and kill, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1_500)]
    pub longest: u32,
    /// The seed of the random moves and times
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// The results of a crash test; a stable format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The number of concurrent matches.
    pub tables: u32,
    /// The number of times the server was killed.
    pub kills: u32,
    /// The number of lost connections.
    pub reconnections: u64,
    /// The number of changes acknowledged to their proposers.
    pub acknowledged: u64,
    /// The number of changes received by any client, each counted once.
    #[serde(rename = "told")]
    pub received: u64,
    /// The number of changes in the store.
    pub stored: u64,
    /// The number of matches in the store that were checked as a whole.
    pub checked: u64,
    /// The detected faults, as messages.
    pub faults: Vec<String>,
}

/// The changes that the clients of a match received.
struct Observations {
    id: MatchId,
    received: BTreeMap<u64, Transition>,
    acknowledged: u64,
    reconnections: u64,
    ends: [(Sequence, Digest); 2],
}

/// A stored entry, without the token of a join.
type Stored = LogEntry<Transition>;

#[derive(Deserialize)]
struct Header {
    settings: Settings,
}

impl Crash {
    /// Runs the test with a store that does not exist yet.
    pub async fn run(&self, program: &Path, store: &Path) -> Result<Report, String> {
        let mut server = ServerProcess::start(program, &store.display().to_string())?;
        let mut rng = Rng::new(self.seed);
        let mut playing = JoinSet::new();
        let (stop, stops) = watch::channel(false);
        let source = Source::of_system(server.server().clone());
        for _ in 0..self.tables {
            let created = create_match(&source, &self.game).await?;
            playing.spawn(play(created, rng.next_u64(), stops.clone()));
        }
        let progress = Progress::new(self);
        let mut observed = Vec::new();
        let mut kills = 0;
        while !progress.is_complete(kills) {
            let most = self.longest.saturating_sub(self.shortest).max(1);
            let life = u64::from(self.shortest) + rng.below(most as usize) as u64;
            sleep(Duration::from_millis(life)).await;
            server = spawn_blocking(move || server.restart().map(|()| server))
                .await
                .map_err(|error| error.to_string())??;
            while let Some(ended) = playing.try_join_next() {
                observed.push(ended.map_err(|error| error.to_string())??);
                let created = create_match(&source, &self.game).await?;
                playing.spawn(play(created, rng.next_u64(), stops.clone()));
            }
            kills += 1;
            progress.show(kills);
        }
        progress.bar.finish_and_clear();
        stop.send_replace(true);
        while !playing.is_empty() {
            let late = |_| "some proposals are not answered".to_owned();
            if let Some(ended) = timeout(SETTLE_LIMIT, playing.join_next())
                .await
                .map_err(late)?
            {
                observed.push(ended.map_err(|error| error.to_string())??);
            }
        }
        server.kill()?;
        let mut report = Report {
            tables: self.tables,
            kills,
            ..Report::default()
        };
        report.compare(&observed, store).await?;
        report.check(store)?;
        Ok(report)
    }
}

/// How far a crash test is, as a bar on standard error if that is a terminal.
struct Progress {
    bar: ProgressBar,
    started: Instant,
    /// In kills, or in seconds.
    is_timed: bool,
}

impl Progress {
    fn new(crash: &Crash) -> Self {
        let (length, unit) = match crash.seconds {
            Some(seconds) => (seconds, "seconds, {msg} kills"),
            None => (crash.kills.into(), "kills, {eta} left"),
        };
        let template = format!("killing {{wide_bar}} {{pos}}/{{len}} {unit}");
        Self {
            bar: progress_bar(length, &template),
            started: Instant::now(),
            is_timed: crash.seconds.is_some(),
        }
    }

    /// The number of kills or of seconds.
    fn position(&self, kills: u32) -> u64 {
        if self.is_timed {
            self.started.elapsed().as_secs()
        } else {
            kills.into()
        }
    }

    fn is_complete(&self, kills: u32) -> bool {
        self.bar
            .length()
            .is_none_or(|length| self.position(kills) >= length)
    }

    fn show(&self, kills: u32) {
        self.bar.set_message(kills.to_string());
        self.bar.set_position(self.position(kills));
    }
}

impl Report {
    /// Compares the received changes with the store.
    async fn compare(&mut self, observed: &[Observations], store: &Path) -> Result<(), String> {
        let log = SqliteLog::open(store).map_err(|error| error.to_string())?;
        for observations in observed {
            let id = &observations.id;
            let entries = log.read(id, Sequence::START, usize::MAX).await;
            let entries = entries.map_err(|error| error.to_string())?;
            let (header, entries) = entries
                .split_first()
                .ok_or_else(|| format!("match {id} is not in the store"))?;
            let unreadable = |error| format!("match {id} cannot be read: {error}");
            let Header { settings } = serde_json::from_slice(header).map_err(unreadable)?;
            let entries = entries.iter().map(|entry| read_entry(entry));
            let entries: Vec<Stored> = entries.collect::<Result<_, _>>().map_err(unreadable)?;
            self.reconnections += observations.reconnections;
            self.acknowledged += observations.acknowledged;
            self.received += observations.received.len() as u64;
            self.stored += entries.len() as u64;
            let faults = faults(observations, settings, &entries);
            let faults = faults
                .into_iter()
                .map(|fault| format!("match {id}: {fault}"));
            self.faults.extend(faults);
        }
        log.close().await;
        Ok(())
    }

    /// Checks the whole store as `open_ttt store check` does: the file, the checksums
    /// of its matches, and every move by the rules.
    fn check(&mut self, store: &Path) -> Result<(), String> {
        let catalog = Catalog::bundled();
        let message = |error: &dyn core::fmt::Display| error.to_string();
        let file = SqliteFile::open(store).map_err(|error| message(&error))?;
        self.faults
            .extend(file.check().map_err(|error| message(&error))?);
        let matches = file.matches(None, usize::MAX);
        for id in matches.map_err(|error| message(&error))? {
            let entries = file.entries(&id);
            let checked = entries.and_then(|entries| check_match(&catalog, &id, &entries));
            self.faults
                .extend(checked.err().map(|error| error.to_string()));
            self.checked += 1;
        }
        Ok(())
    }
}

/// Reads an entry. A checksum follows its JSON.
fn read_entry(entry: &[u8]) -> serde_json::Result<Stored> {
    let mut entry = serde_json::Deserializer::from_slice(entry);
    Stored::deserialize(&mut entry)
}

/// The faults in the entries of a match.
fn faults(observations: &Observations, settings: Settings, entries: &[Stored]) -> Vec<String> {
    let mut faults = Vec::new();
    for (&sequence, transition) in &observations.received {
        match entries.get(sequence as usize - 1) {
            None => faults.push(format!("change {sequence} was received and is lost")),
            Some(stored) if stored.transition != *transition => faults.push(format!(
                "change {sequence} was received as {transition:?} and stored as {:?}",
                stored.transition
            )),
            Some(_) => {}
        }
    }
    let mut seen = HashSet::new();
    for Stored { client, number, .. } in entries {
        if !seen.insert((client, number)) {
            faults.push(format!("proposal {number} of {client} was stored twice"));
        }
    }
    let start = DynMatch::new(settings, find).map_err(|error| error.to_string());
    let state = start.and_then(|start| {
        entries.iter().try_fold(start, |state, stored| {
            let next = state.apply(&stored.transition);
            next.map_err(|conflict| format!("the store has an impossible entry: {conflict}"))
        })
    });
    match state {
        Ok(state) => {
            let end = (Sequence::new(entries.len() as u64), Digest::of(&state));
            for (seat, there) in Seat::ALL.iter().zip(observations.ends) {
                if there != end {
                    faults.push(format!(
                        "seat {seat} ended at {there:?}, the store at {end:?}"
                    ));
                }
            }
        }
        Err(fault) => faults.push(fault),
    }
    faults
}

/// Plays both seats of a match until it is full or `stops` is true, and all proposals are
/// answered.
async fn play(
    [a, b]: [Link; 2],
    seed: u64,
    mut stops: watch::Receiver<bool>,
) -> Result<Observations, String> {
    let mut observations = Observations {
        id: a.id().clone(),
        received: BTreeMap::new(),
        acknowledged: 0,
        reconnections: 0,
        ends: [(Sequence::START, Digest::of(&())); 2],
    };
    let client = |link| Client::new(Catalog::bundled(), link).map_err(|error| error.to_string());
    let [mut a, mut b] = [client(a)?, client(b)?];
    let mut rng = Rng::new(seed);
    loop {
        let stopping = *stops.borrow_and_update();
        if !stopping {
            for client in [&mut a, &mut b] {
                propose_random_act(client, &mut rng);
            }
        }
        let end = |client: &Client| {
            let session = client.session();
            let is_settled = session.is_established() && !session.has_pending();
            session
                .sequence()
                .zip(session.digest())
                .filter(|_| is_settled)
        };
        if let (Some(a), Some(b)) = (end(&a), end(&b))
            && a.0 == b.0
            && (stopping || a.0.get() >= MAX_CHANGES)
        {
            observations.ends = [a, b];
            return Ok(observations);
        }
        let event = tokio::select! {
            event = a.next() => event,
            event = b.next() => event,
            changed = stops.changed(), if !stopping => {
                changed.map_err(|error| error.to_string())?;
                continue;
            }
        };
        observations.record(event.map_err(|error| error.to_string())?)?;
    }
}

/// Proposes a random act for the client's seat.
fn propose_random_act(client: &mut Client, rng: &mut Rng) {
    let session = client.session();
    let (Some(seat), Some(state)) = (session.seat(), session.optimistic()) else {
        return;
    };
    if session.has_pending() || session.sequence().is_some_and(|s| s.get() >= MAX_CHANGES) {
        return;
    }
    let position = state.game().position();
    let act = if state.verdict().is_some() {
        Act::Rematch
    } else if rng.below(20) == 0 {
        // These compete with the opponent's moves.
        rng.pick([
            Act::OfferDraw,
            Act::RefuseDraw,
            Act::AskTakeBack,
            Act::GrantTakeBack,
        ])
        .unwrap_or(Act::Resign)
    } else if state.to_move() == Some(seat)
        && let Some(m) = rng.pick(position.moves())
    {
        Act::play(&position.move_text(m))
    } else {
        return;
    };
    // Impossible acts are skipped.
    let _ = client.propose(act);
}

impl Observations {
    fn record(&mut self, event: ClientEvent) -> Result<(), String> {
        match event {
            ClientEvent::Disconnected { .. } => self.reconnections += 1,
            ClientEvent::Match(MatchEvent::Change {
                sequence,
                transition,
                own,
            }) => {
                self.acknowledged += u64::from(own);
                let before = self.received.insert(sequence.get(), transition.clone());
                if let Some(before) = before.filter(|before| *before != transition) {
                    return Err(format!(
                        "match {}: change {sequence} was received as {before:?} and as {transition:?}",
                        self.id
                    ));
                }
            }
            ClientEvent::Connected | ClientEvent::Match(_) => {}
        }
        Ok(())
    }
}

impl Report {
    /// Whether no fault was found.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

impl core::fmt::Display for Report {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "{} kills, {} tables, {} reconnections: {} changes acknowledged, {} received, \
             {} stored in {} checked matches",
            self.kills,
            self.tables,
            self.reconnections,
            self.acknowledged,
            self.received,
            self.stored,
            self.checked
        )?;
        if self.is_sound() {
            return f.write_str("; no change is lost or duplicated, and all clients agree");
        }
        for fault in &self.faults {
            write!(f, "\n{fault}")?;
        }
        Ok(())
    }
}

/// A path for a store in a temporary folder, which is removed on drop.
#[derive(Debug)]
pub struct TemporaryStore(PathBuf);

impl TemporaryStore {
    /// Creates the folder.
    pub fn new() -> Result<Self, String> {
        let name = format!("open_ttt-load-{:016x}", Rng::from_entropy().next_u64());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self(folder))
    }

    /// The path of the store.
    pub fn path(&self) -> PathBuf {
        self.0.join("store.db")
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryStore {
    fn drop(&mut self) {
        // A leftover in a temporary folder is harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use open_ttt_net::matches::{Actor, Player};

    use super::*;

    fn settings() -> Settings {
        Settings::of_game("ttt")
    }

    fn stored() -> Vec<Stored> {
        let join = |seat, name| Act::Join {
            seat,
            player: Player::person(name),
        };
        let acts = [
            (Actor::Server, join(Seat::A, "Ann")),
            (Actor::Server, join(Seat::B, "Bob")),
            (Actor::Seat(Seat::A), Act::play("b2")),
            (Actor::Seat(Seat::B), Act::play("a1")),
        ];
        let entries = (1..).zip(acts).map(|(number, (by, act))| Stored {
            client: "client".parse().expect("a name"),
            number,
            transition: Transition {
                at: number,
                by,
                act,
            },
        });
        entries.collect()
    }

    /// The observations of clients that received all these entries.
    fn observations(entries: &[Stored]) -> Observations {
        let mut state = DynMatch::new(settings(), find).expect("a game");
        for stored in entries {
            state = state.apply(&stored.transition).expect("it is possible");
        }
        let received = (1..).zip(entries.iter().map(|stored| stored.transition.clone()));
        let end = (Sequence::new(entries.len() as u64), Digest::of(&state));
        Observations {
            id: "abc".parse().expect("an identifier"),
            received: received.collect(),
            acknowledged: 0,
            reconnections: 0,
            ends: [end; 2],
        }
    }

    #[track_caller]
    fn check(change: impl Fn(&mut Observations, &mut Vec<Stored>), faults: &[&str]) {
        let mut entries = stored();
        let mut observations = observations(&entries);
        change(&mut observations, &mut entries);
        let found = super::faults(&observations, settings(), &entries);
        assert_eq!(found.len(), faults.len(), "{found:#?}");
        for (found, part) in found.iter().zip(faults) {
            assert!(found.contains(part), "{part} in {found}");
        }
    }

    #[test]
    fn faults_are_detected() {
        check(|_, _| {}, &[]);
        let lost = |_: &mut Observations, entries: &mut Vec<Stored>| drop(entries.pop());
        let ends = ["seat a ended at", "seat b ended at"];
        check(
            lost,
            &["change 4 was received and is lost", ends[0], ends[1]],
        );
        let another = |_: &mut Observations, entries: &mut Vec<Stored>| {
            entries[3].transition.act = Act::play("c1");
        };
        check(another, &["change 4 was received as", ends[0], ends[1]]);
        let twice = |_: &mut Observations, entries: &mut Vec<Stored>| entries[3].number = 3;
        check(twice, &["proposal 3 of client was stored twice"]);
        let apart = |observations: &mut Observations, _: &mut Vec<Stored>| {
            observations.ends[1].1 = Digest::of(&"something else");
        };
        check(apart, &[ends[1]]);
        let impossible = |observations: &mut Observations, entries: &mut Vec<Stored>| {
            let act = Act::play("b2");
            entries[3].transition.act = act.clone();
            let received = observations
                .received
                .get_mut(&4)
                .expect("change 4 was received");
            received.act = act;
        };
        check(impossible, &["the store has an impossible entry"]);
    }
}
