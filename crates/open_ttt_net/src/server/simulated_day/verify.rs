use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::Path;

use bytes::Bytes;
use serde_json::Value;

use super::World;
use super::ledger::{Answer, Ledger, ProposedAct, Told};
use super::model::{CLAIM_MS, Model, stored_transition};
use crate::MatchId;
use crate::log::MatchLog;
use crate::matches::{Act, Actor, Ending, GameVerdict, Seat, Settings, Transition};
use crate::protocol::MatchList;
use crate::server::check_match;
use open_ttt_lib::rules::Side;

/// The longest time until an act that a server has received is handled, while others
/// are stored, in milliseconds.
const BUSY_MS: u64 = 400;

/// A match as its log tells it, by the model.
pub(super) struct Story {
    pub(super) model: Model,
    /// The players with a key.
    pub(super) players: [Option<String>; 2],
    /// Both seats were taken, or a game ended: the number of the game, and the time.
    pub(super) events: Vec<(u32, u64, Option<GameVerdict>)>,
    /// The line of each game in the archive.
    lines: Vec<String>,
}

impl World {
    /// The servers hold what is in use now, and the lobby lists what waits.
    pub(super) async fn inspect(&self) {
        let now = self.time.now();
        let loaded: BTreeSet<_> = self
            .serving(|node| node.shared().matches.ids(None, usize::MAX))
            .into_iter()
            .flatten()
            .collect();
        let mut waiting = BTreeMap::new();
        for id in self.stored().await {
            let entries = self
                .store
                .log
                .read(&id, crate::replication::Sequence::START, 3);
            let entries = entries.await.expect("entries");
            let header: Value = serde_json::from_slice(&entries[0]).expect("a header");
            let listed = header["listed"].as_bool().expect("a flag");
            waiting.insert(id, listed && entries.len() < 3);
        }
        let list = self
            .get(IpAddr::from([192, 0, 2, 254]), "/api/v1/matches")
            .await;
        let list: Option<MatchList> =
            list.map(|list| serde_json::from_value(list).expect("a list"));
        if self.serving(|_| ()).is_empty() {
            return;
        }
        let mut ledger = self.ledger.borrow_mut();
        ledger.count("inspected");
        let used = self.used.borrow();
        for (id, told) in &ledger.matches {
            let is_attended = told.is_attended(now - 2_000, now);
            assert!(
                !is_attended || loaded.contains(id),
                "{id} is in use, and not in memory"
            );
            // A silent connection lasts for a minute and two pings.
            let last = told
                .online
                .iter()
                .map(|online| online.until.unwrap_or(now))
                .max();
            let last = last.max(used.get(id).copied()).unwrap_or(0);
            assert!(
                now < last + 140_000 || !loaded.contains(id),
                "{id} is in memory, and nobody uses it since {last}"
            );
        }
        drop(used);
        let Some(list) = list else { return };
        let listed: BTreeSet<_> = list
            .matches
            .iter()
            .map(|listed| listed.id.clone())
            .collect();
        assert_eq!((listed.len(), list.from), (list.total, 0));
        let is_settled = self.killed_at.get() + 160_000 < now;
        for (id, is_waiting) in &waiting {
            let told = ledger.matches.get(id);
            let is_here = told.is_some_and(|told| told.is_attended(now - 2_000, now));
            assert!(
                !(*is_waiting && is_here) || listed.contains(id),
                "{id} waits, and is not listed at {now}: {told:?}"
            );
            let was_here = told.is_some_and(|told| {
                let mut online = told.online.iter();
                online.any(|online| online.until.is_none_or(|until| until + 120_000 > now))
            });
            // Its server may have been killed before it could remove it from the list.
            let may_be_listed = *is_waiting && was_here || !is_settled;
            assert!(may_be_listed || !listed.contains(id), "{id} is listed");
        }
    }

    /// Nobody uses the servers any more: they hold nothing.
    pub(super) async fn check_rest(&self) {
        let list = self
            .get(IpAddr::from([192, 0, 2, 254]), "/api/v1/matches")
            .await;
        let list: MatchList = serde_json::from_value(list.expect("a server")).expect("a list");
        assert_eq!(list.total, 0, "{list:?}");
        self.serving(|node| {
            let shared = node.shared();
            let rest = [
                shared.matches.count(),
                shared.connections.total(),
                shared.watchers.total(),
                shared.listed.total(),
                shared.unread.total(),
                shared.requests.unfinished(),
                shared.replays.unfinished(),
                shared.moves.unfinished(),
            ];
            assert_eq!(rest, [0; 8], "left on a server");
        });
    }

    /// Every record tells what the clients were told.
    pub(super) fn verify_logs(&self, logs: &BTreeMap<MatchId, Vec<Bytes>>) {
        let mut ledger = self.ledger.take();
        for (id, told) in &ledger.matches {
            assert!(
                logs.contains_key(id),
                "{id} is lost, of which clients know {told:?}"
            );
        }
        for (id, entries) in logs {
            check_match(&self.catalog, id, entries).unwrap_or_else(|error| panic!("{error}"));
            if id.is_reserved() {
                continue;
            }
            let (transitions, header) = decoded(entries);
            let mut told = ledger.matches.remove(id).unwrap_or_default();
            let mut model = Model::new(&self.catalog, settings(&header));
            let mut last = header["at"].as_u64().expect("a time");
            let mut resent = None;
            for (number, (entry, transition)) in (1..).zip(&transitions) {
                let context = || format!("{id}, change {number}: {transition:?}");
                check_time(&ledger, &told, &model, (last, resent), entry, transition)
                    .unwrap_or_else(|cause| panic!("{}: {cause}", context()));
                count(&mut ledger, &model, transition);
                model
                    .apply(transition)
                    .unwrap_or_else(|cause| panic!("{}: {cause}", context()));
                told.face(number, &model.face);
                let known = told.changes.remove(&number);
                let is_right = known.is_none_or(|known| {
                    known.transition == *transition
                        && entry["client"] == known.client.as_str()
                        && entry["number"] == known.number
                });
                assert!(is_right, "{}: clients know another change", context());
                last = transition.at;
                resent = told.act_of(entry).and_then(ProposedAct::last_resent);
            }
            let end = transitions.len() as u64;
            assert!(told.changes.is_empty(), "{id} has lost {:?}", told.changes);
            assert!(
                told.faces.keys().all(|number| *number <= end),
                "{id} has lost states"
            );
            check_acts(id, &told, &transitions);
        }
        *self.ledger.borrow_mut() = ledger;
    }

    /// Everything was deleted, not too early, and every game is in the archive once.
    pub(super) fn verify_archive(&self, logs: &BTreeMap<MatchId, Vec<Bytes>>, folder: &Path) {
        let removed = crate::lock::lock(&self.store.removed);
        let mut expected = Vec::new();
        for (id, entries) in logs.iter().filter(|(id, _)| !id.is_reserved()) {
            let (transitions, header) = decoded(entries);
            let last = transitions.last().map(|(_, transition)| transition.at);
            let last = last.or(header["at"].as_u64()).expect("a time");
            let (at, _) = &removed[id];
            assert!(
                last + super::KEEP.as_millis() as u64 <= *at,
                "{id} was deleted at {at}"
            );
            expected.extend(self.story(entries).lines);
        }
        let files = std::fs::read_dir(folder).expect("a folder");
        let mut found = Vec::new();
        for file in files {
            let path = file.expect("a file").path();
            if path.extension().is_some_and(|extension| extension == "tsv") {
                let text = std::fs::read_to_string(path).expect("text");
                found.extend(text.lines().map(str::to_owned));
            }
        }
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "the archive");
        let mut ledger = self.ledger.borrow_mut();
        for _ in &found {
            ledger.count("archived");
        }
    }

    pub(super) fn story(&self, entries: &[Bytes]) -> Story {
        let (transitions, header) = decoded(entries);
        let mut story = Story {
            model: Model::new(&self.catalog, settings(&header)),
            players: [None, None],
            events: Vec::new(),
            lines: Vec::new(),
        };
        for (entry, transition) in &transitions {
            let before = story.model.clone();
            story.model.apply(transition).expect("possible");
            let model = &story.model;
            if let Act::Join { seat, .. } = &transition.act {
                story.players[seat.index()] = entry["player"].as_str().map(str::to_owned);
            }
            if model.has_started() && !before.has_started() {
                story.events.push((0, transition.at, None));
            }
            if model.face.verdict.is_some() && before.face.verdict.is_none() {
                let event = (model.face.number, transition.at, model.face.verdict);
                story.events.push(event);
            }
            if model.face.number > before.face.number {
                story.lines.extend(archive_line(&before));
            }
        }
        story.lines.extend(archive_line(&story.model));
        story
    }
}

fn decoded(entries: &[Bytes]) -> (Vec<(Value, Transition)>, Value) {
    let header = serde_json::from_slice(&entries[0]).expect("a header");
    let transitions = entries[1..].iter().map(|entry| stored_transition(entry));
    (transitions.collect(), header)
}

fn settings(header: &Value) -> Settings {
    serde_json::from_value(header["settings"].clone()).expect("settings")
}

/// Whether the time of a change is right, after one with the time `last`, which its author
/// has sent again last at `resent`.
fn check_time(
    ledger: &Ledger,
    told: &Told,
    model: &Model,
    (last, resent): (u64, Option<u64>),
    entry: &Value,
    transition: &Transition,
) -> Result<(), String> {
    let at = transition.at;
    let is_calm = ledger.uncharged_at_most(last, at + BUSY_MS) == 0;
    let need = |condition: bool, text: &str| condition.then_some(()).ok_or(text.to_owned());
    need(at >= last, "back in time")?;
    match (transition.by, &transition.act) {
        (Actor::Seat(_), _) if !entry["client"].as_str().is_some_and(is_server) => {
            let act = told.act_of(entry);
            let sent = &act.ok_or("nobody has proposed it")?.sent;
            if let Act::Move { lag_ms, .. } = &transition.act {
                need(*lag_ms == 0, "a delay that there is not")?;
            }
            let is_right = |&sent: &u64| {
                let uncharged = if model.is_timed() {
                    (
                        ledger.uncharged_at_least(last, sent),
                        ledger.uncharged_at_most(last, sent),
                    )
                } else {
                    (0, 0)
                };
                at + uncharged.0 <= sent + BUSY_MS && at + uncharged.1 >= sent
            };
            let text = format!("sent at {sent:?}, {act:?} after {last}");
            need(sent.iter().any(is_right), &text)
        }
        (Actor::Server, Act::TimeOut) if is_calm => {
            let deadline = model.deadline().ok_or("no clock runs")?;
            let is_attended = told.is_attended(deadline - 2_000, deadline);
            need(!is_attended || at <= deadline + BUSY_MS, "too late")
        }
        (Actor::Server, Act::Forfeit) => {
            let (winner, since) = model.face.claim.ok_or("nobody claims")?;
            let is_attended = told.is_attended(since, since + CLAIM_MS);
            need(
                !is_calm || !is_attended || at <= since + CLAIM_MS + BUSY_MS,
                "too late",
            )?;
            let is_here = told.is_seen(!winner, since + 1_000, at.saturating_sub(1_000));
            need(!is_here, "the player has not left")
        }
        (Actor::Server, Act::ReturnTime { ms }) => {
            let is_late = resent.is_some_and(|resent| last + ms <= resent + BUSY_MS);
            need(
                is_late || *ms <= ledger.uncharged_at_most(last, at),
                "time that the players could use",
            )
        }
        _ => Ok(()),
    }
}

fn is_server(client: &str) -> bool {
    client.starts_with("server-")
}

fn count(ledger: &mut Ledger, model: &Model, transition: &Transition) {
    let mut after = model.clone();
    if after.apply(transition).is_err() {
        return;
    }
    match &transition.act {
        Act::Move { .. } => ledger.count("moves"),
        Act::GrantTakeBack => ledger.count("moves taken back"),
        Act::ReturnTime { .. } => ledger.count("time returned"),
        Act::Stay => ledger.count("claims rejected"),
        Act::Rematch if after.face.number > model.face.number => ledger.count("rematches"),
        _ => {}
    }
    if let (None, Some(verdict)) = (model.face.verdict, after.face.verdict) {
        ledger.count(match verdict.by {
            Ending::Rules => "by rules",
            Ending::Resignation => "by resignation",
            Ending::Agreement => "by agreement",
            Ending::Time => "by time",
            Ending::Abandonment => "by abandonment",
        });
    }
}

/// Every answered act is in the log once, or not at all.
fn check_acts(id: &MatchId, told: &Told, transitions: &[(Value, Transition)]) {
    for act in &told.acts {
        let places: Vec<_> = (1..)
            .zip(transitions)
            .filter(|(_, (entry, _))| {
                entry["client"] == act.client.as_str() && entry["number"] == act.number
            })
            .collect();
        let is_right = match act.answer {
            Some(Answer::Accepted(number)) => {
                places.len() == 1 && places[0].0 == number && places[0].1.1.act == act.act
            }
            Some(Answer::Rejected) => places.is_empty(),
            None => places.len() <= 1,
        };
        assert!(is_right, "{id}: {act:?} is at {places:?}");
    }
}

/// The line of a game in the archive, by its last state; `None` if nobody has moved.
fn archive_line(model: &Model) -> Option<String> {
    let face = &model.face;
    if face.moves.len() <= model.settings.moves.len() {
        return None;
    }
    let result = match face.verdict {
        None => "*".to_owned(),
        Some(GameVerdict { winner, by }) => {
            let winner = winner.map(|seat| model.side_of(seat));
            let result = match winner {
                Some(Side::First) => "1-0",
                Some(Side::Second) => "0-1",
                None => "1/2-1/2",
            };
            match by {
                Ending::Rules => result.to_owned(),
                Ending::Resignation => format!("{result} resigned"),
                Ending::Agreement => format!("{result} agreed"),
                Ending::Time => format!("{result} time"),
                Ending::Abandonment => format!("{result} abandoned"),
            }
        }
    };
    let is_short = face.moves.iter().all(|text| text.chars().count() == 1);
    let moves = face.moves.join(if is_short { "" } else { " " });
    let name = |side| {
        let mut seats = Seat::ALL.into_iter();
        let seat = seats.find(|&seat| model.side_of(seat) == side)?;
        face.names[seat.index()].clone()
    };
    let [first, second] = Side::BOTH.map(|side| name(side).unwrap_or_default());
    let game = &model.settings.game;
    Some(format!("{game}\t{first}\t{second}\t{moves}\t{result}"))
}
