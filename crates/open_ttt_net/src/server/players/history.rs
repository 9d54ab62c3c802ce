use bytes::Bytes;
use serde::{Deserialize, Serialize};
use skillratings::Outcomes;

use super::rating::Rating;
use crate::MatchId;
use crate::log::{AppendError, LogError, MAX_ENTRY, MatchLog};
use crate::matches::{GameVerdict, Seat};
use crate::protocol::{Opponent, PlayedGame, PlayerId, PlayerScore, RatingChange};
use crate::replication::Sequence;

/// The prefix of the ids of the players' logs. No match has such an id.
const PREFIX: &str = "_p";

/// Number of entries per read.
const PAGE: usize = 64;

/// The history of a player, which is a log in the store.
///
/// The times of its entries never decrease, and no entry is earlier than what it tells
/// of. So what happened at some time is among the entries from that time on, and those
/// are found by binary search.
pub(super) struct History<'a> {
    log: &'a dyn MatchLog,
    id: MatchId,
}

/// What a player's history is told: a match began, or a game of it ended.
#[derive(Clone, Debug)]
pub(super) struct Event<'a> {
    pub(super) id: &'a MatchId,
    /// The number of the game; 0 where the match began.
    pub(super) number: u32,
    /// When it happened, in milliseconds since 1970.
    pub(super) at: u64,
    pub(super) game: &'a str,
    pub(super) seat: Seat,
    pub(super) opponent: &'a Opponent,
    pub(super) verdict: Option<GameVerdict>,
    /// In a rated game: the opponent's rating before it.
    pub(super) rated_against: Option<Rating>,
}

/// An entry of a history. Later versions may add fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HistoryEntry {
    /// When it was stored, in milliseconds since 1970.
    stored: u64,
    #[serde(rename = "match")]
    id: MatchId,
    number: u32,
    at: u64,
    game: String,
    seat: Seat,
    opponent: Opponent,
    verdict: Option<GameVerdict>,
    /// The ratings before and after the game, if it was rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rating: Option<[Rating; 2]>,
    /// After this event; the game last played is the first.
    scores: Vec<Score>,
}

/// A player's score in a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Score {
    game: String,
    wins: u32,
    draws: u32,
    losses: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rating: Option<Rating>,
}

/// The last entry of a history and its number; of an empty one, [`Sequence::START`].
pub(super) struct Tail {
    number: Sequence,
    entry: Option<HistoryEntry>,
}

/// Checks that the log of a player can be read; `None` for another log.
pub(in crate::server) fn check_history(
    id: &MatchId,
    entries: &[Bytes],
) -> Option<Result<(), LogError>> {
    id.as_str().strip_prefix(PREFIX)?.parse::<PlayerId>().ok()?;
    let mut numbers = entries.iter().zip(1..);
    Some(numbers.try_for_each(|(entry, number)| parse(id, Sequence::new(number), entry).map(drop)))
}

impl<'a> History<'a> {
    pub(super) fn of(log: &'a dyn MatchLog, player: &PlayerId) -> Self {
        let id = format!("{PREFIX}{player}").parse();
        Self {
            log,
            // A prefix of two characters and thirty digits.
            id: id.expect("an identifier"),
        }
    }

    pub(super) async fn tail(&self) -> Result<Tail, LogError> {
        let last = self.log.last(&self.id).await?;
        let Some((number, bytes)) = last else {
            return Ok(Tail {
                number: Sequence::START,
                entry: None,
            });
        };
        let entry = Some(parse(&self.id, number, &bytes)?);
        Ok(Tail { number, entry })
    }

    /// At most a page of entries behind a number.
    async fn read(&self, after: u64, limit: usize) -> Result<Vec<HistoryEntry>, LogError> {
        let page = self.log.read(&self.id, Sequence::new(after), limit).await?;
        let numbered = page.iter().zip(after + 1..);
        let parsed = numbered.map(|(bytes, number)| parse(&self.id, Sequence::new(number), bytes));
        parsed.collect()
    }

    /// A page of at most `limit` entries, newest first, behind the `from` newest ones.
    pub(super) async fn page(
        &self,
        tail: &Tail,
        from: u64,
        limit: usize,
    ) -> Result<Vec<PlayedGame>, LogError> {
        let end = tail.total().saturating_sub(from);
        let after = end.saturating_sub(limit as u64);
        let limit = usize::try_from(end - after).unwrap_or(limit);
        let mut entries = self.read(after, limit).await?;
        entries.reverse();
        Ok(entries.into_iter().map(HistoryEntry::into_played).collect())
    }

    /// The entry that tells of this game of a match, which ended at `at`.
    pub(super) async fn find(
        &self,
        tail: &Tail,
        id: &MatchId,
        number: u32,
        at: u64,
    ) -> Result<Option<HistoryEntry>, LogError> {
        let is_wanted = |entry: &HistoryEntry| entry.id == *id && entry.number == number;
        let Some(last) = tail.entry.as_ref().filter(|last| last.stored >= at) else {
            return Ok(None);
        };
        if is_wanted(last) {
            return Ok(Some(last.clone()));
        }
        // All entries up to `low` are earlier, those behind `high` are not.
        let (mut low, mut high) = (0, tail.total() - 1);
        while low < high {
            let middle = low.midpoint(high);
            let page = self.read(middle, 1).await?;
            if page.first().is_some_and(|entry| entry.stored < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        loop {
            let page = self.read(low, PAGE).await?;
            let is_last = page.len() < PAGE;
            low += page.len() as u64;
            let found = page.into_iter().find(is_wanted);
            if found.is_some() || is_last {
                return Ok(found);
            }
        }
    }

    /// Appends an event, unless the history has it already. Returns its entry.
    pub(super) async fn record(
        &self,
        event: &Event<'_>,
        now: impl Fn() -> u64,
    ) -> Result<HistoryEntry, LogError> {
        loop {
            let tail = self.tail().await?;
            let found = self.find(&tail, event.id, event.number, event.at).await?;
            if let Some(entry) = found {
                return Ok(entry);
            }
            let entry = tail.next(event, now());
            let bytes = entry.to_bytes();
            match self.log.append(&self.id, tail.number, bytes).await {
                Ok(()) => return Ok(entry),
                // The next round finds out.
                Err(AppendError::Conflict | AppendError::Unknown(_)) => {}
                Err(AppendError::Refused(cause)) => return Err(cause),
            }
        }
    }
}

impl Tail {
    /// The number of all entries.
    pub(super) fn total(&self) -> u64 {
        self.number.get()
    }

    fn scores(&self) -> &[Score] {
        self.entry.as_ref().map_or(&[], |entry| &entry.scores)
    }

    /// The player's rating in a game.
    pub(super) fn rating(&self, game: &str) -> Rating {
        let score = self.scores().iter().find(|score| score.game == game);
        score.and_then(|score| score.rating).unwrap_or_default()
    }

    pub(super) fn shown_scores(&self) -> Vec<PlayerScore> {
        let played = self.scores().iter();
        let played = played.filter(|score| score.wins + score.draws + score.losses > 0);
        let shown = played.map(|score| PlayerScore {
            game: score.game.clone(),
            wins: score.wins,
            draws: score.draws,
            losses: score.losses,
            rating: score.rating.map(Rating::shown),
        });
        shown.collect()
    }

    /// The entry to append for an event.
    fn next(&self, event: &Event<'_>, now: u64) -> HistoryEntry {
        let mut scores = self.scores().to_vec();
        let place = scores.iter().position(|score| score.game == event.game);
        let mut score = place.map_or_else(
            || Score {
                game: event.game.to_owned(),
                ..Score::default()
            },
            |place| scores.remove(place),
        );
        let rating = event.verdict.and_then(|verdict| score.add(verdict, event));
        scores.insert(0, score);
        let last = self.entry.as_ref().map_or(0, |last| last.stored);
        HistoryEntry {
            stored: now.max(last).max(event.at),
            id: event.id.clone(),
            number: event.number,
            at: event.at,
            game: event.game.to_owned(),
            seat: event.seat,
            opponent: event.opponent.clone(),
            verdict: event.verdict,
            rating,
            scores,
        }
    }
}

impl Score {
    /// Counts a game. Returns the ratings before and after it if it is rated.
    fn add(&mut self, verdict: GameVerdict, event: &Event<'_>) -> Option<[Rating; 2]> {
        let (count, outcome) = match verdict.winner {
            Some(winner) if winner == event.seat => (&mut self.wins, Outcomes::WIN),
            Some(_) => (&mut self.losses, Outcomes::LOSS),
            None => (&mut self.draws, Outcomes::DRAW),
        };
        *count = count.saturating_add(1);
        let before = self.rating.unwrap_or_default();
        let after = before.after_game(event.rated_against?, outcome);
        self.rating = Some(after);
        Some([before, after])
    }
}

impl HistoryEntry {
    /// The rating before the game, if it was rated.
    pub(super) fn rating_before(&self) -> Option<Rating> {
        self.rating.map(|[before, _]| before)
    }

    /// The entry as stored. Of too many scores, it loses those of the games that were
    /// not played for longest.
    fn to_bytes(&self) -> Bytes {
        let mut kept = self.clone();
        loop {
            // This type always serializes.
            let bytes = serde_json::to_vec(&kept).unwrap_or_default();
            if bytes.len() <= MAX_ENTRY || kept.scores.pop().is_none() {
                return bytes.into();
            }
        }
    }

    fn into_played(self) -> PlayedGame {
        PlayedGame {
            id: self.id,
            number: self.number,
            at: self.at,
            game: self.game,
            seat: self.seat,
            opponent: self.opponent,
            verdict: self.verdict,
            rating: self.rating.map(|[before, after]| RatingChange {
                before: before.shown(),
                after: after.shown(),
            }),
        }
    }
}

fn parse(id: &MatchId, number: Sequence, bytes: &[u8]) -> Result<HistoryEntry, LogError> {
    serde_json::from_slice(bytes)
        .map_err(|error| LogError::damaged(format_args!("history {id}, entry {number}: {error}")))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use open_ttt_lib::random::Rng;

    use super::*;
    use crate::log::MemoryLog;
    use crate::matches::Ending;

    const PLAYER: &str = "0123456789abcdef0123456789abcd";

    /// The result of a future of a store in memory, which waits for nothing.
    fn ready<T>(future: impl Future<Output = Result<T, LogError>>) -> T {
        let result = future.now_or_never().expect("nothing to wait for");
        result.expect("a store in memory")
    }

    fn match_id(number: usize) -> MatchId {
        format!("m{number}").parse().expect("an identifier")
    }

    /// A won game, against a new player if it is rated.
    fn won<'a>(id: &'a MatchId, game: &'a str, at: u64, opponent: &'a Opponent) -> Event<'a> {
        Event {
            id,
            number: 1,
            at,
            game,
            seat: Seat::A,
            opponent,
            verdict: Some(GameVerdict {
                winner: Some(Seat::A),
                by: Ending::Rules,
            }),
            rated_against: Some(Rating::default()),
        }
    }

    fn nobody() -> Opponent {
        Opponent {
            name: "Bob".to_owned(),
            computer: None,
            player: None,
        }
    }

    #[test]
    fn every_event_is_found_and_kept_once_whenever_it_is_told() {
        let player = PLAYER.parse().expect("an id");
        let opponent = nobody();
        let mut rng = Rng::new(11);
        for _ in 0..20 {
            let log = MemoryLog::new();
            let history = History::of(&log, &player);
            let mut now = 1_000;
            let mut told: Vec<(MatchId, u64)> = Vec::new();
            for number in 0..rng.below(150) {
                // Clocks of servers differ, so time may go back; many events coincide.
                now = (now + rng.below(3) as u64).saturating_sub(rng.below(2) as u64);
                let at = now.saturating_sub(rng.below(40) as u64);
                told.push((match_id(number), at));
                for index in [number, rng.below(told.len())] {
                    let (id, at) = &told[index];
                    ready(history.record(&won(id, "ttt", *at, &opponent), || now));
                }
            }
            let tail = ready(history.tail());
            assert_eq!(tail.total(), told.len() as u64);
            assert!(
                tail.scores()
                    .iter()
                    .all(|score| u64::from(score.wins) == tail.total())
            );
            for (id, at) in &told {
                let found = ready(history.find(&tail, id, 1, *at)).expect("it was told");
                assert_eq!((&found.id, found.at), (id, *at));
                assert_eq!(ready(history.find(&tail, id, 2, *at)), None);
            }
            let pages = (0..)
                .step_by(7)
                .map(|from| ready(history.page(&tail, from, 7)));
            let newest_first: Vec<_> = pages
                .take_while(|page| !page.is_empty())
                .flatten()
                .collect();
            let ids = newest_first.into_iter().rev().map(|game| game.id);
            let mut stored: Vec<_> = ids.collect();
            assert_eq!(stored.len(), told.len());
            stored.sort_unstable();
            stored.dedup();
            assert_eq!(stored.len(), told.len());
        }
    }

    #[test]
    fn the_scores_of_the_games_last_played_are_kept() {
        let player = PLAYER.parse().expect("an id");
        let opponent = nobody();
        let log = MemoryLog::new();
        let history = History::of(&log, &player);
        let name = |number: usize| format!("a game with a rather long name {number}");
        for number in 0..100 {
            let (id, game) = (match_id(number), name(number));
            // The first game is played again and again.
            ready(history.record(&won(&id, &name(0), 1, &opponent), || 1));
            let other = won(&id, &game, 1, &opponent);
            ready(history.record(&Event { number: 2, ..other }, || 1));
            let last = ready(log.last(&history.id)).map(|(_, bytes)| bytes.len());
            assert!(last.is_some_and(|length| length <= MAX_ENTRY));
        }
        let scores = ready(history.tail()).shown_scores();
        assert!((10..60).contains(&scores.len()), "{}", scores.len());
        assert_eq!((&scores[0].game, scores[0].wins), (&name(99), 1));
        assert_eq!((&scores[1].game, scores[1].wins), (&name(0), 101));
        for (score, number) in scores[2..].iter().zip((0..99).rev()) {
            assert_eq!((&score.game, score.wins), (&name(number), 1));
        }
    }
}
