use bytes::Bytes;
use open_ttt_catalog::Catalog;
use serde::{Deserialize, Serialize};

use super::moderation::check_decisions;
use super::players::check_history;
use super::secrets::{Credentials, TokenHash};
use crate::fnv::Fnv1a;
use crate::log::LogError;
use crate::matches::{Act, Actor, DynMatch, GameVerdict, Seat, Settings, Transition};
use crate::protocol::PlayerId;
use crate::replication::{Draft, LogEntry, Sequence, Sequencer};
use crate::{ClientId, MatchId};

/// The format of new logs: each entry but the first ends with its checksum.
const CHAINED: u32 = 2;

/// The first format: entries without checksums. Its matches keep it.
const UNCHAINED: u32 = 1;

/// A match as its log tells it, entry by entry.
///
/// The first entry is the [`Header`], so the entry that leads to state `n` has
/// the number `n + 1`.
#[derive(Debug)]
pub(super) struct Replay {
    id: MatchId,
    header: Header,
    sequencer: Sequencer<DynMatch>,
    /// By seat.
    holders: [Credentials; 2],
    /// The start of the match, then the end of each game.
    milestones: Vec<Milestone>,
    /// The checksum of the last entry; `None` in a log without checksums.
    checksum: Option<Checksum>,
}

/// The first entry of a log. In every format it is JSON with a version, so that
/// earlier servers refuse what they cannot read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    version: u32,
    pub(super) settings: Settings,
    /// Whether the lobby lists the match.
    pub(super) listed: bool,
    /// Time of creation, in milliseconds since 1970.
    pub(super) at: u64,
}

/// When both seats were taken, or a game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Milestone {
    /// In milliseconds since 1970.
    pub(super) at: u64,
    /// `None` at the start.
    pub(super) verdict: Option<GameVerdict>,
}

/// What every format's header has.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// Every other entry of a log.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    client: ClientId,
    number: u64,
    transition: Transition,
    /// For a join: the hash of the seat's token.
    #[serde(rename = "key", default, skip_serializing_if = "Option::is_none")]
    token_hash: Option<TokenHash>,
    /// For a join with a key: the player's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    player: Option<PlayerId>,
}

/// An entry to be stored, and the checksum that the log ends with then.
#[derive(Debug)]
pub(super) struct EncodedEntry {
    pub(super) bytes: Bytes,
    checksum: Option<Checksum>,
}

/// Replays the log of a match by the rules of its game, and compares the
/// checksums of its entries. Reads the entries of the server's other logs.
///
/// # Errors
///
/// If an entry is damaged or illegal, if there is none, or if this version or
/// the catalog lacks the format or the game.
pub fn check_match(catalog: &Catalog, id: &MatchId, entries: &[Bytes]) -> Result<(), LogError> {
    let other = check_history(id, entries).or_else(|| check_decisions(id, entries));
    if let Some(result) = other {
        return result;
    }
    Replay::of(catalog, id, entries).map(drop)
}

/// When a match was created, in milliseconds since 1970, by the first entry of its log;
/// `None` if that is damaged.
pub(super) fn created_at(header: &[u8]) -> Option<u64> {
    /// What every format's header has.
    #[derive(Deserialize)]
    struct Created {
        at: u64,
    }
    let created: Created = serde_json::from_slice(header).ok()?;
    Some(created.at)
}

impl Replay {
    /// A new match, and the header to be stored.
    pub(super) fn create(id: &MatchId, start: DynMatch, listed: bool, at: u64) -> (Self, Bytes) {
        let header = Header {
            version: CHAINED,
            settings: start.settings().clone(),
            listed,
            at,
        };
        let bytes = Bytes::from(to_json(&header));
        let checksum = Some(Checksum::of_header(id, &bytes));
        (Self::new(id, header, start, checksum), bytes)
    }

    /// Reads the whole log of a match.
    pub(super) fn of(catalog: &Catalog, id: &MatchId, entries: &[Bytes]) -> Result<Self, LogError> {
        let Some((header, entries)) = entries.split_first() else {
            return Err(LogError::damaged(format_args!("match {id} has no entries")));
        };
        let mut replay = Self::begin(catalog, id, header)?;
        for entry in entries {
            replay.apply(entry)?;
        }
        Ok(replay)
    }

    /// Reads the first entry of the log of a match.
    pub(super) fn begin(catalog: &Catalog, id: &MatchId, first: &[u8]) -> Result<Self, LogError> {
        let invalid = |error| LogError::damaged(format_args!("match {id}, entry 1: {error}"));
        let Version { version } = serde_json::from_slice(first).map_err(invalid)?;
        let checksum = match version {
            UNCHAINED => None,
            CHAINED => Some(Checksum::of_header(id, first)),
            _ => {
                return Err(LogError::new(format_args!(
                    "match {id} has log version {version}, this server reads {UNCHAINED} to {CHAINED}"
                )));
            }
        };
        let header: Header = serde_json::from_slice(first).map_err(invalid)?;
        let start = DynMatch::new(header.settings.clone(), |name| catalog.game(name))
            .map_err(|error| LogError::new(format_args!("match {id}: {error}")))?;
        Ok(Self::new(id, header, start, checksum))
    }

    fn new(id: &MatchId, header: Header, start: DynMatch, checksum: Option<Checksum>) -> Self {
        Self {
            id: id.clone(),
            header,
            sequencer: Sequencer::new(start),
            holders: <[Credentials; 2]>::default(),
            milestones: Vec::new(),
            checksum,
        }
    }

    pub(super) const fn id(&self) -> &MatchId {
        &self.id
    }

    pub(super) const fn header(&self) -> &Header {
        &self.header
    }

    pub(super) const fn sequencer(&self) -> &Sequencer<DynMatch> {
        &self.sequencer
    }

    /// What identifies the holder of a seat.
    pub(super) const fn holder(&self, seat: Seat) -> &Credentials {
        &self.holders[seat.index()]
    }

    /// The start of the match and the ends of its games so far: the milestone `n` is
    /// the end of the game `n`.
    pub(super) fn milestones(&self) -> &[Milestone] {
        &self.milestones
    }

    /// The log position of the last entry: behind the header.
    pub(super) fn position(&self) -> Sequence {
        self.sequencer.sequence().next()
    }

    /// The next entry of the log, with a draft for the current state. `holder` is for
    /// a join.
    pub(super) fn encode(&self, draft: &Draft<DynMatch>, holder: Credentials) -> EncodedEntry {
        let LogEntry {
            client,
            number,
            transition,
        } = draft.entry().clone();
        let mut bytes = to_json(&Record {
            client,
            number,
            transition,
            token_hash: holder.token_hash,
            player: holder.player,
        });
        let checksum = self.checksum.map(|last| last.next(&bytes));
        if let Some(checksum) = checksum {
            bytes.push(b' ');
            bytes.extend(checksum.digits());
        }
        EncodedEntry {
            bytes: bytes.into(),
            checksum,
        }
    }

    /// Applies a draft whose entry has been stored.
    pub(super) fn commit(
        &mut self,
        draft: Draft<DynMatch>,
        stored: &EncodedEntry,
        holder: Credentials,
    ) -> LogEntry<Transition> {
        let entry = draft.entry().clone();
        self.sequencer.commit(draft);
        self.checksum = stored.checksum;
        self.note(&entry.transition, holder);
        entry
    }

    /// Applies the next entry of the log.
    pub(super) fn apply(&mut self, bytes: &[u8]) -> Result<LogEntry<Transition>, LogError> {
        let (id, number) = (&self.id, self.position().next());
        let damaged = |cause: &dyn core::fmt::Display| {
            LogError::damaged(format_args!("match {id}, entry {number}: {cause}"))
        };
        let (json, checksum) = match self.checksum {
            None => (bytes, None),
            Some(last) => {
                let (json, checksum) = last
                    .verified(bytes)
                    .ok_or_else(|| damaged(&"wrong checksum"))?;
                (json, Some(checksum))
            }
        };
        let record: Record = serde_json::from_slice(json).map_err(|error| damaged(&error))?;
        let entry = LogEntry {
            client: record.client,
            number: record.number,
            transition: record.transition,
        };
        let replayed = self.sequencer.replay(entry.clone());
        replayed.map_err(|conflict| damaged(&format_args!("illegal: {conflict}")))?;
        self.checksum = checksum;
        let holder = Credentials {
            token_hash: record.token_hash,
            player: record.player,
        };
        self.note(&entry.transition, holder);
        Ok(entry)
    }

    /// Notes what a change that was just applied has done besides.
    fn note(&mut self, transition: &Transition, holder: Credentials) {
        if let (Actor::Server, Act::Join { seat, .. }) = (transition.by, &transition.act) {
            self.holders[seat.index()] = holder;
        }
        let state = self.sequencer.state();
        let (at, verdict) = (state.at(), state.verdict());
        if self.milestones.is_empty() && state.has_started() {
            self.milestones.push(Milestone { at, verdict: None });
        }
        let is_new = self.milestones.len() as u64 == u64::from(state.number());
        if verdict.is_some() && is_new {
            self.milestones.push(Milestone { at, verdict });
        }
    }
}

fn to_json(value: &impl Serialize) -> Vec<u8> {
    // These types always serialize.
    serde_json::to_vec(value).unwrap_or_default()
}

/// The checksum of an entry and of all before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Checksum(Fnv1a);

impl Checksum {
    /// Number of digits of a checksum in an entry.
    const DIGITS: usize = 16;

    /// That of a header, which is not stored but part of all others. The id
    /// tells entries of different matches apart.
    fn of_header(id: &MatchId, header: &[u8]) -> Self {
        Self(Fnv1a::EMPTY.extended(id.as_str().as_bytes())).next(header)
    }

    /// That of the entry behind the one with this checksum.
    fn next(self, json: &[u8]) -> Self {
        let Self(Fnv1a(last)) = self;
        Self(Fnv1a::EMPTY.extended(&last.to_le_bytes()).extended(json))
    }

    /// The JSON and the checksum of the next entry; `None` if they differ.
    fn verified(self, entry: &[u8]) -> Option<(&[u8], Self)> {
        let at = entry.len().checked_sub(Self::DIGITS + 1)?;
        let (json, stored) = entry.split_at(at);
        let checksum = self.next(json);
        let expected = [b" ", &checksum.digits()[..]].concat();
        (stored == expected).then_some((json, checksum))
    }

    /// Lower-case hexadecimal digits.
    fn digits(self) -> [u8; Self::DIGITS] {
        core::array::from_fn(|index| {
            let digit = (self.0.0 >> (60 - 4 * index)) & 0xf;
            b"0123456789abcdef"[digit as usize]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_has_sixteen_digits() {
        let check = |sum, digits: &[u8; 16]| assert_eq!(&Checksum(Fnv1a(sum)).digits(), digits);
        check(0x8594_4171_f739_67e8, b"85944171f73967e8");
        check(0xa, b"000000000000000a");
    }
}
