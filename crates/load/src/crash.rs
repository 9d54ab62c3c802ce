//! Kills a server over and over, and sees that nothing is lost.
//!
//! Clients play on all the while: they come back by themselves and send again
//! what had no answer. Everything that any of them was told is remembered, and
//! compared with the store at the end.

use core::ops::Range;
use core::time::Duration;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::ClientId;
use open_ttt_net::client::{Client, ClientEvent, Link, MatchEvent};
use open_ttt_net::log::{MatchLog, SqliteLog};
use open_ttt_net::matches::{Act, DynMatch, Seat, Settings, Transition};
use open_ttt_net::replication::{Digest, Sequence};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{sleep, timeout};

use crate::Served;
use crate::seat::{Made, make};

/// How long clients may take to come to rest after the last kill.
const REST: Duration = Duration::from_mins(1);

/// A match with more changes has had enough: servers end it some time.
const MOST_CHANGES: u64 = 15_000;

/// How many entries are read from the store at once.
const PAGE: usize = 1_000;

/// A crash loop.
#[derive(Clone, Debug)]
pub struct Crash {
    /// The program that serves.
    pub program: PathBuf,
    /// Its store, a file that is not there yet.
    pub store: PathBuf,
    /// How many matches are played at a time.
    pub tables: u32,
    /// The game, by its name in the catalog.
    pub game: String,
    /// How often the server is killed.
    pub kills: u32,
    /// How long it lives each time, in milliseconds from its start.
    pub lives_ms: Range<u32>,
    /// What makes moves and lives reproducible, as far as processes are.
    pub seed: u64,
}

/// What came of it; a stable format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How many matches were played.
    pub tables: u32,
    /// How often the server was killed.
    pub kills: u32,
    /// How many connections were lost and made again.
    pub reconnections: u64,
    /// How many changes were acknowledged to those who had proposed them.
    pub acknowledged: u64,
    /// How many changes were told to anybody, each counted once.
    pub told: u64,
    /// How many changes the store holds.
    pub stored: u64,
    /// What is wrong with them, each in a sentence; nothing, if all is well.
    pub faults: Vec<String>,
}

/// What the clients of a match were told.
struct Witness {
    link: Link,
    told: BTreeMap<u64, Transition>,
    acknowledged: u64,
    reconnections: u64,
    ends: [(Sequence, Digest); 2],
}

/// An entry of the store, as far as it matters here.
#[derive(Deserialize)]
struct Stored {
    client: ClientId,
    number: u64,
    transition: Transition,
}

#[derive(Deserialize)]
struct Header {
    settings: Settings,
}

impl Crash {
    /// Plays, kills, plays on, and looks into the store.
    ///
    /// # Errors
    ///
    /// A sentence, if it does not come to that: the server does not start, or
    /// clients do not come to rest.
    pub async fn run(&self) -> Result<Report, String> {
        let store = self.store.display().to_string();
        let mut served = Served::start(&self.program, &store)?;
        let mut rng = Rng::new(self.seed);
        let mut playing = JoinSet::new();
        let (end, ends) = watch::channel(false);
        for _ in 0..self.tables {
            let made = make(served.server(), &self.game).await?;
            playing.spawn(play(made, rng.next_u64(), ends.clone()));
        }
        for _ in 0..self.kills {
            let most = self.lives_ms.len().max(1);
            let life = self.lives_ms.start as usize + rng.below(most);
            sleep(Duration::from_millis(life as u64)).await;
            served = spawn_blocking(move || served.restart().map(|()| served))
                .await
                .map_err(|error| error.to_string())??;
            if let Some(ended) = playing.try_join_next() {
                let ended = ended.map_err(|error| error.to_string())?;
                return Err(ended.err().unwrap_or_else(|| "a match has ended".into()));
            }
        }
        end.send_replace(true);
        let mut witnesses = Vec::new();
        while !playing.is_empty() {
            let late = |_| "some clients have not come to rest".to_owned();
            if let Some(ended) = timeout(REST, playing.join_next()).await.map_err(late)? {
                witnesses.push(ended.map_err(|error| error.to_string())??);
            }
        }
        served.kill()?;
        self.compare(&witnesses).await
    }

    /// Compares what clients were told with the store.
    async fn compare(&self, witnesses: &[Witness]) -> Result<Report, String> {
        let log = SqliteLog::open(&self.store).map_err(|error| error.to_string())?;
        let mut report = Report {
            tables: self.tables,
            kills: self.kills,
            ..Report::default()
        };
        for witness in witnesses {
            let id = witness.link.id();
            let entries = read(&log, witness).await?;
            let (header, entries) = entries
                .split_first()
                .ok_or_else(|| format!("match {id} is not in the store"))?;
            let odd = |error| format!("match {id} cannot be read: {error}");
            let Header { settings } = serde_json::from_slice(header).map_err(odd)?;
            let entries: Vec<Stored> = entries
                .iter()
                .map(|entry| serde_json::from_slice(entry).map_err(odd))
                .collect::<Result<_, _>>()?;
            report.reconnections += witness.reconnections;
            report.acknowledged += witness.acknowledged;
            report.told += witness.told.len() as u64;
            report.stored += entries.len() as u64;
            let faults = faults(witness, settings, &entries);
            let faults = faults
                .into_iter()
                .map(|fault| format!("match {id}: {fault}"));
            report.faults.extend(faults);
        }
        log.close().await;
        Ok(report)
    }
}

async fn read(log: &SqliteLog, witness: &Witness) -> Result<Vec<bytes::Bytes>, String> {
    let mut entries = Vec::new();
    loop {
        let after = Sequence::new(entries.len() as u64);
        let page = log.read(witness.link.id(), after, PAGE).await;
        let page = page.map_err(|error| error.to_string())?;
        if page.is_empty() {
            return Ok(entries);
        }
        entries.extend(page);
    }
}

/// What is wrong with the entries of a match.
fn faults(witness: &Witness, settings: Settings, entries: &[Stored]) -> Vec<String> {
    let mut faults = Vec::new();
    for (&sequence, transition) in &witness.told {
        match entries.get(sequence as usize - 1) {
            None => faults.push(format!("change {sequence} was told and is lost")),
            Some(stored) if stored.transition != *transition => faults.push(format!(
                "change {sequence} was told as {transition:?} and stored as {:?}",
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
    let table = DynMatch::new(settings).map_err(|error| error.to_string());
    let state = table.and_then(|table| {
        entries.iter().try_fold(table, |table, stored| {
            let next = table.apply(&stored.transition);
            next.map_err(|conflict| format!("what is stored is not possible: {conflict}"))
        })
    });
    match state {
        Ok(state) => {
            let end = (Sequence::new(entries.len() as u64), Digest::of(&state));
            for (seat, there) in Seat::ALL.iter().zip(witness.ends) {
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

/// Plays a match from both seats until it is told to end and both are at rest.
async fn play(made: Made, seed: u64, mut ends: watch::Receiver<bool>) -> Result<Witness, String> {
    let [a, b] = made.tokens;
    let open = |token| Client::new(made.link.clone().with_token(Some(token)));
    let mut a = open(a).map_err(|error| error.to_string())?;
    let mut b = open(b).map_err(|error| error.to_string())?;
    let mut witness = Witness {
        link: made.link.clone(),
        told: BTreeMap::new(),
        acknowledged: 0,
        reconnections: 0,
        ends: [(Sequence::START, Digest::of(&())); 2],
    };
    let mut rng = Rng::new(seed);
    loop {
        let ending = *ends.borrow_and_update();
        if !ending {
            for client in [&mut a, &mut b] {
                act(client, &mut rng);
            }
        }
        let end = |client: &Client| {
            let session = client.session();
            let is_at_rest = session.is_established() && !session.has_pending();
            session
                .sequence()
                .zip(session.digest())
                .filter(|_| is_at_rest)
        };
        if ending
            && let (Some(a), Some(b)) = (end(&a), end(&b))
            && a.0 == b.0
        {
            witness.ends = [a, b];
            return Ok(witness);
        }
        let event = tokio::select! {
            event = a.next() => event,
            event = b.next() => event,
            changed = ends.changed(), if !ending => {
                changed.map_err(|error| error.to_string())?;
                continue;
            }
        };
        witness.hear(event.map_err(|error| error.to_string())?)?;
    }
}

/// Does something at random that a person on this seat could do.
fn act(client: &mut Client, rng: &mut Rng) {
    let session = client.session();
    let (Some(seat), Some(table)) = (session.seat(), session.optimistic()) else {
        return;
    };
    if session.has_pending() || session.sequence().is_some_and(|s| s.get() >= MOST_CHANGES) {
        return;
    }
    let position = table.game().position();
    let act = if table.verdict().is_some() {
        Act::Rematch
    } else if rng.below(20) == 0 {
        // These race with the moves of the other side.
        rng.pick([
            Act::OfferDraw,
            Act::RefuseDraw,
            Act::AskTakeBack,
            Act::GrantTakeBack,
        ])
        .unwrap_or(Act::Resign)
    } else if table.to_move() == Some(seat)
        && let Some(m) = rng.pick(position.moves())
    {
        Act::play(&position.move_text(m))
    } else {
        return;
    };
    // What is not possible is not done.
    let _ = client.propose(act);
}

impl Witness {
    fn hear(&mut self, event: ClientEvent) -> Result<(), String> {
        match event {
            ClientEvent::Disconnected { .. } => self.reconnections += 1,
            ClientEvent::Match(MatchEvent::Change {
                sequence,
                transition,
                own,
            }) => {
                self.acknowledged += u64::from(own);
                let before = self.told.insert(sequence.get(), transition.clone());
                if let Some(before) = before.filter(|before| *before != transition) {
                    return Err(format!(
                        "match {}: change {sequence} was told as {before:?} and as {transition:?}",
                        self.link.id()
                    ));
                }
            }
            ClientEvent::Connected | ClientEvent::Match(_) => {}
        }
        Ok(())
    }
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_whole(&self) -> bool {
        self.faults.is_empty()
    }
}

impl core::fmt::Display for Report {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "{} kills, {} matches, {} reconnections: {} changes acknowledged, {} told, {} stored",
            self.kills, self.tables, self.reconnections, self.acknowledged, self.told, self.stored
        )?;
        if self.is_whole() {
            return f.write_str("; each stands once, in its place, and all clients agree");
        }
        for fault in &self.faults {
            write!(f, "\n{fault}")?;
        }
        Ok(())
    }
}

/// A file for a store in a folder that is there only as long as this.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new folder among the temporary ones.
    ///
    /// # Errors
    ///
    /// A sentence, if there cannot be one.
    pub fn new() -> Result<Self, String> {
        let name = format!("open_ttt-load-{:016x}", Rng::from_entropy().next_u64());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self(folder))
    }

    /// The file.
    pub fn store(&self) -> PathBuf {
        self.0.join("store.db")
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind is in a temporary folder.
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

    /// Somebody who was told all that is in these entries.
    fn witness(entries: &[Stored]) -> Witness {
        let mut table = DynMatch::new(settings()).expect("a game");
        for stored in entries {
            table = table.apply(&stored.transition).expect("it is possible");
        }
        let told = (1..).zip(entries.iter().map(|stored| stored.transition.clone()));
        let end = (Sequence::new(entries.len() as u64), Digest::of(&table));
        Witness {
            link: "http://localhost/m/abc".parse().expect("a link"),
            told: told.collect(),
            acknowledged: 0,
            reconnections: 0,
            ends: [end; 2],
        }
    }

    #[track_caller]
    fn check(change: impl Fn(&mut Witness, &mut Vec<Stored>), faults: &[&str]) {
        let mut entries = stored();
        let mut witness = witness(&entries);
        change(&mut witness, &mut entries);
        let found = super::faults(&witness, settings(), &entries);
        assert_eq!(found.len(), faults.len(), "{found:#?}");
        for (found, part) in found.iter().zip(faults) {
            assert!(found.contains(part), "{part} in {found}");
        }
    }

    #[test]
    fn what_is_wrong_is_found() {
        check(|_, _| {}, &[]);
        let lost = |_: &mut Witness, entries: &mut Vec<Stored>| drop(entries.pop());
        let ends = ["seat a ended at", "seat b ended at"];
        check(lost, &["change 4 was told and is lost", ends[0], ends[1]]);
        let another = |_: &mut Witness, entries: &mut Vec<Stored>| {
            entries[3].transition.act = Act::play("c1");
        };
        check(another, &["change 4 was told as", ends[0], ends[1]]);
        let twice = |_: &mut Witness, entries: &mut Vec<Stored>| entries[3].number = 3;
        check(twice, &["proposal 3 of client was stored twice"]);
        let apart = |witness: &mut Witness, _: &mut Vec<Stored>| {
            witness.ends[1].1 = Digest::of(&"something else");
        };
        check(apart, &[ends[1]]);
        let impossible = |witness: &mut Witness, entries: &mut Vec<Stored>| {
            let act = Act::play("b2");
            entries[3].transition.act = act.clone();
            let told = witness.told.get_mut(&4).expect("it was told");
            told.act = act;
        };
        check(impossible, &["what is stored is not possible"]);
    }
}
