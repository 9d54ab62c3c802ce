use bytes::Bytes;
use open_ttt_catalog::Catalog;
use serde::{Deserialize, Serialize};

use super::moderation::check_decisions;
use super::players::check_history;
use super::secrets::{Credentials, TokenHash};
use crate::fnv::Fnv1a;
use crate::json::to_json;
use crate::log::LogError;
use crate::matches::{
    Act, Actor, DynMatch, GameVerdict, RollingDigest, Seat, Settings, Transition,
};
use crate::protocol::PlayerId;
use crate::replication::{Digest, Draft, LogEntry, Sequence, Sequencer};
use crate::{ClientId, MatchId};

/// The format of a match that begins after given moves: the settings in its header
/// have them.
const WITH_MOVES: u32 = 3;

/// The format of other new logs: each entry but the first ends with its checksum.
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
    is_listed: bool,
    created_at: u64,
    sequencer: Sequencer<DynMatch>,
    /// By seat.
    holders: [Credentials; 2],
    /// The start of the match, then the end of each game.
    milestones: Vec<Milestone>,
    /// The checksum of the last entry; `None` in a log without checksums.
    checksum: Option<Checksum>,
    /// That of the current state; `None` if nobody has asked for it since the last
    /// change that is not a move.
    digest: Option<RollingDigest>,
}

/// The first entry of a log. In every format it is JSON with a version, so that
/// earlier servers refuse what they cannot read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: u32,
    settings: Settings,
    listed: bool,
    at: u64,
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

/// Every other entry of a log, as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    client: ClientId,
    number: u64,
    transition: Transition,
    #[serde(rename = "key", default)]
    token_hash: Option<TokenHash>,
    #[serde(default)]
    player: Option<PlayerId>,
}

impl Record {
    /// The entry, and who takes a seat with it if it is a join.
    fn parse(json: &[u8]) -> serde_json::Result<(LogEntry<Transition>, Credentials)> {
        let record: Self = serde_json::from_slice(json)?;
        let entry = LogEntry {
            client: record.client,
            number: record.number,
            transition: record.transition,
        };
        let holder = Credentials {
            token_hash: record.token_hash,
            player: record.player,
        };
        Ok((entry, holder))
    }
}

/// What a join adds to the fields of its entry, for the server only.
#[derive(Serialize)]
struct HolderFields {
    /// The hash of the seat's token.
    #[serde(rename = "key", skip_serializing_if = "Option::is_none")]
    token_hash: Option<TokenHash>,
    /// With a key: the player's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<PlayerId>,
}

/// An entry to be stored, and the checksum that the log ends with then.
#[derive(Debug)]
pub(super) struct EncodedEntry {
    pub(super) bytes: Bytes,
    /// The end of the fields that anybody may see, within the bytes.
    fields_end: usize,
    checksum: Option<Checksum>,
}

impl EncodedEntry {
    /// The JSON of the fields that anybody may see, without braces.
    pub(super) fn fields(&self) -> Bytes {
        self.bytes.slice(1..self.fields_end)
    }
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
    /// A new match, and the header to be stored. Of the entries that follow, at least the
    /// last `kept` are kept.
    pub(super) fn create(
        id: &MatchId,
        start: DynMatch,
        listed: bool,
        at: u64,
        kept: usize,
    ) -> (Self, Bytes) {
        let header = Header {
            version: if start.settings().moves.is_empty() {
                CHAINED
            } else {
                WITH_MOVES
            },
            settings: start.settings().clone(),
            listed,
            at,
        };
        let bytes = Bytes::from(to_json(&header));
        let checksum = Some(Checksum::of_header(id, &bytes));
        let sequencer = Sequencer::keeping(kept, start);
        (Self::new(id, sequencer, listed, at, checksum), bytes)
    }

    /// Reads the whole log of a match, and keeps all entries.
    pub(super) fn of(catalog: &Catalog, id: &MatchId, entries: &[Bytes]) -> Result<Self, LogError> {
        let Some((header, entries)) = entries.split_first() else {
            return Err(LogError::damaged(format_args!("match {id} has no entries")));
        };
        let mut replay = Self::begin(catalog, id, header, usize::MAX)?;
        for entry in entries {
            replay.apply(entry)?;
        }
        Ok(replay)
    }

    /// Reads the first entry of the log of a match. Of those that follow, at least the last
    /// `kept` are kept.
    pub(super) fn begin(
        catalog: &Catalog,
        id: &MatchId,
        first: &[u8],
        kept: usize,
    ) -> Result<Self, LogError> {
        let invalid = |error| LogError::damaged(format_args!("match {id}, entry 1: {error}"));
        let Version { version } = serde_json::from_slice(first).map_err(invalid)?;
        let checksum = match version {
            UNCHAINED => None,
            CHAINED | WITH_MOVES => Some(Checksum::of_header(id, first)),
            _ => {
                return Err(LogError::new(format_args!(
                    "match {id} has log version {version}, this server reads {UNCHAINED} to {WITH_MOVES}"
                )));
            }
        };
        let header: Header = serde_json::from_slice(first).map_err(invalid)?;
        if !header.settings.moves.is_empty() && version != WITH_MOVES {
            let cause = format_args!("match {id}, entry 1: moves in log version {version}");
            return Err(LogError::damaged(cause));
        }
        let start = DynMatch::new(header.settings, |name| catalog.game(name))
            .map_err(|error| LogError::new(format_args!("match {id}: {error}")))?;
        let sequencer = Sequencer::keeping(kept, start);
        Ok(Self::new(id, sequencer, header.listed, header.at, checksum))
    }

    fn new(
        id: &MatchId,
        sequencer: Sequencer<DynMatch>,
        is_listed: bool,
        created_at: u64,
        checksum: Option<Checksum>,
    ) -> Self {
        Self {
            id: id.clone(),
            is_listed,
            created_at,
            sequencer,
            holders: <[Credentials; 2]>::default(),
            milestones: Vec::new(),
            checksum,
            digest: None,
        }
    }

    pub(super) const fn id(&self) -> &MatchId {
        &self.id
    }

    /// Whether the lobby lists the match.
    pub(super) const fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// When the match was created, in milliseconds since 1970.
    pub(super) const fn created_at(&self) -> u64 {
        self.created_at
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

    /// Whether the log is in the first format, which earlier servers read, too.
    pub(super) const fn is_of_format_1(&self) -> bool {
        self.checksum.is_none()
    }

    /// The log position of the last entry: behind the header.
    pub(super) fn position(&self) -> Sequence {
        self.sequencer.sequence().next()
    }

    /// The next entry of the log, with a draft for the current state. `holder` is for
    /// a join.
    pub(super) fn encode(&self, draft: &Draft<DynMatch>, holder: Credentials) -> EncodedEntry {
        let mut bytes = to_json(draft.entry());
        let fields_end = bytes.len() - 1;
        if holder.token_hash.is_some() || holder.player.is_some() {
            let more = to_json(&HolderFields {
                token_hash: holder.token_hash,
                player: holder.player,
            });
            bytes.truncate(fields_end);
            bytes.push(b',');
            bytes.extend_from_slice(&more[1..]);
        }
        let checksum = self.checksum.map(|last| last.next(&bytes));
        if let Some(checksum) = checksum {
            bytes.push(b' ');
            bytes.extend_from_slice(checksum.0.hex().as_bytes());
        }
        EncodedEntry {
            bytes: bytes.into(),
            fields_end,
            checksum,
        }
    }

    /// Applies a draft whose entry has been stored.
    pub(super) fn commit(
        &mut self,
        draft: Draft<DynMatch>,
        stored: &EncodedEntry,
        holder: Credentials,
    ) {
        self.sequencer.commit(draft);
        self.checksum = stored.checksum;
        self.note(holder);
    }

    /// Applies the next entry of the log.
    pub(super) fn apply(&mut self, bytes: &[u8]) -> Result<&LogEntry<Transition>, LogError> {
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
        let (entry, holder) = Record::parse(json).map_err(|error| damaged(&error))?;
        let replayed = self.sequencer.replay(entry);
        replayed.map_err(|conflict| damaged(&format_args!("illegal: {conflict}")))?;
        self.checksum = checksum;
        self.note(holder);
        let last = self.sequencer.last_entry();
        last.ok_or_else(|| LogError::new("no entry was applied"))
    }

    /// An entry that was applied before, from its bytes in the log. Their checksum is not
    /// compared again, which would take that of the entry before.
    pub(super) fn applied(&self, bytes: &[u8]) -> Result<LogEntry<Transition>, LogError> {
        let json = match self.checksum {
            None => Some(bytes),
            Some(_) => Checksum::split(bytes).map(|(json, _)| json),
        };
        let entry = json.and_then(|json| Record::parse(json).ok());
        let (entry, _) = entry.ok_or_else(|| {
            let id = &self.id;
            LogError::damaged(format_args!("match {id}: an earlier entry has changed"))
        })?;
        Ok(entry)
    }

    /// The digest of the current state.
    pub(super) fn digest(&mut self) -> Digest {
        let state = self.sequencer.state();
        let rolling = &mut self.digest;
        rolling
            .get_or_insert_with(|| RollingDigest::of(state))
            .digest(state)
    }

    /// Notes what the change that was just applied has done besides. `holder` is for a
    /// join.
    fn note(&mut self, holder: Credentials) {
        let last = self.sequencer.last_entry().map(|entry| &entry.transition);
        let (by, act) = last.map(|last| (last.by, &last.act)).unzip();
        let joined = match act {
            Some(Act::Join { seat, .. }) if by == Some(Actor::Server) => Some(*seat),
            _ => None,
        };
        let is_move = matches!(act, Some(Act::Move { .. }));
        // Any other act changes nothing that the rolling digest has read.
        let changes_more = matches!(
            act,
            None | Some(Act::Join { .. } | Act::GrantTakeBack | Act::Rematch)
        );
        if let Some(seat) = joined {
            self.holders[seat.index()] = holder;
        }
        match &mut self.digest {
            Some(digest) if is_move => digest.play(self.sequencer.state()),
            Some(_) if changes_more => self.digest = None,
            _ => {}
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

/// The checksum of an entry and of all before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Checksum(Fnv1a);

impl Checksum {
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
        let (json, digits) = Self::split(entry)?;
        let checksum = self.next(json);
        (checksum.0.hex().as_bytes() == digits).then_some((json, checksum))
    }

    /// The JSON of an entry and the digits of its checksum.
    fn split(entry: &[u8]) -> Option<(&[u8], &[u8; 16])> {
        let (rest, digits) = entry.split_last_chunk::<16>()?;
        let (b' ', json) = rest.split_last()? else {
            return None;
        };
        Some((json, digits))
    }
}

#[cfg(test)]
mod tests {
    use open_ttt_lib::random::Rng;
    use open_ttt_lib::rules::{Notation, TwoPlayerGame};

    use super::*;
    use crate::matches::Player;
    use crate::replication::{Decision, Proposal};

    /// An act that may be possible, mostly a move.
    fn random_act(state: &DynMatch, rng: &mut Rng) -> (Actor, Act) {
        let seat = Seat::ALL[rng.below(2)];
        let player = || Player::person("Ann \"Ä\"");
        let others = [
            (
                Actor::Server,
                Act::Join {
                    seat,
                    player: player(),
                },
            ),
            (Actor::Seat(seat), Act::Resign),
            (Actor::Seat(seat), Act::OfferDraw),
            (Actor::Seat(seat), Act::RefuseDraw),
            (Actor::Seat(seat), Act::AskTakeBack),
            (Actor::Seat(seat), Act::GrantTakeBack),
            (Actor::Seat(seat), Act::Rematch),
            (Actor::Seat(seat), Act::Claim),
            (Actor::Server, Act::ReturnTime { ms: 1 }),
        ];
        let moves: Vec<_> = state.game().position().moves().collect();
        if let Some(seat) = state.to_move()
            && !moves.is_empty()
            && rng.below(3) > 0
        {
            let m = moves[rng.below(moves.len())];
            let text = state.game().position().move_text(m).to_uppercase();
            return (Actor::Seat(seat), Act::play(&text));
        }
        others[rng.below(others.len())].clone()
    }

    /// Whatever happens, and although not each state is asked for its digest.
    #[test]
    fn the_digest_follows_all_changes() {
        let mut rng = Rng::new(17);
        let id = "k3h9zq4m2x7d".parse().expect("an identifier");
        let client: ClientId = "ann".parse().expect("an identifier");
        for game in ["ttt", "pegs", "connect4", "ultimate"] {
            let mut settings = Settings::of_game(game);
            settings.clock = Some(crate::matches::TimeControl {
                initial_ms: 1_000_000,
                increment_ms: 10,
            });
            let start = DynMatch::new(settings, |name| Catalog::bundled().game(name));
            let (mut replay, _) = Replay::create(&id, start.expect("a game"), false, 0, 1);
            let (mut changes, mut rolled) = (0, 0);
            for number in 0..2_000 {
                let state = replay.sequencer().state();
                let (by, act) = random_act(state, &mut rng);
                let at = state.at() + rng.below(50) as u64;
                let proposal = Proposal {
                    number,
                    base: replay.sequencer().sequence(),
                    transition: Transition { at, by, act },
                };
                let Decision::Append(draft) = replay.sequencer().decide(&client, &proposal) else {
                    continue;
                };
                let encoded = replay.encode(&draft, Credentials::default());
                replay.commit(draft, &encoded, Credentials::default());
                changes += 1;
                if rng.below(4) > 0 {
                    rolled += u32::from(replay.digest.is_some());
                    let state = replay.sequencer().state();
                    let expected = Digest::of(state);
                    assert_eq!(replay.digest(), expected, "{game}, change {changes}");
                }
            }
            assert!(changes > 500 && rolled > 200, "{game}: {changes}, {rolled}");
        }
    }
}
