use std::collections::BTreeMap;
use std::net::IpAddr;

use super::World;
use crate::MatchId;
use crate::matches::{GameVerdict, Seat};
use crate::protocol::{PlayedGame, PlayerHistory, PlayerProfile, PlayerRating};

/// An entry of a history, as the log of its match tells it.
#[derive(Clone, Debug, PartialEq)]
struct Event {
    id: MatchId,
    number: u32,
    at: u64,
    game: String,
    seat: Seat,
    opponent: Option<String>,
    opponent_id: Option<String>,
    verdict: Option<GameVerdict>,
    is_rated: bool,
}

/// The rating of a new player.
const NEW: PlayerRating = PlayerRating {
    rating: 1500,
    deviation: 350,
};

impl World {
    /// The histories have every event of the logs once, and what follows from them.
    pub(super) async fn verify_histories(&self) {
        let logs = self.store.all().await;
        let mut expected = BTreeMap::<String, Vec<Event>>::new();
        for (id, entries) in logs.iter().filter(|(id, _)| !id.is_reserved()) {
            let story = self.story(entries);
            if story.players[0] == story.players[1] {
                continue;
            }
            for seat in Seat::ALL {
                let Some(player) = &story.players[seat.index()] else {
                    continue;
                };
                let events = story.events.iter().map(|&(number, at, verdict)| Event {
                    id: id.clone(),
                    number,
                    at,
                    game: story.model.settings.game.clone(),
                    seat,
                    opponent: story.model.face.names[(!seat).index()].clone(),
                    opponent_id: story.players[(!seat).index()].clone(),
                    verdict,
                    is_rated: story.model.settings.rated && verdict.is_some(),
                });
                expected.entry(player.clone()).or_default().extend(events);
            }
        }
        let mut histories = BTreeMap::new();
        for id in logs.keys() {
            if let Some(player) = id.as_str().strip_prefix("_p") {
                histories.insert(player.to_owned(), self.history(player).await);
            }
        }
        for (player, found) in &histories {
            let mut expected = expected.remove(player).unwrap_or_default();
            expected.sort_by_key(Event::key);
            let mut events: Vec<_> = found.iter().map(Event::of).collect();
            events.sort_by_key(Event::key);
            assert_eq!(events, expected, "the history of {player}");
            check_ratings(player, found);
            let path = format!("/api/v1/players/{player}");
            let profile = self.get(IpAddr::from([192, 0, 2, 254]), &path).await;
            let profile = serde_json::from_value(profile.expect("a server")).expect("a profile");
            check_profile(&profile, found);
            for own in found.iter().filter(|played| played.rating.is_some()) {
                let opponent = own.opponent.player.expect("a player with a key");
                let of_game =
                    |other: &&PlayedGame| (&other.id, other.number) == (&own.id, own.number);
                let other = histories[&opponent.to_string()].iter().find(of_game);
                check_exchange(own, other.expect("the same game"));
                self.ledger.borrow_mut().count("rated games");
            }
        }
        expected.retain(|_, events| !events.is_empty());
        assert!(expected.is_empty(), "no history for {expected:?}");
    }

    /// All pages of a history, the oldest entry first.
    async fn history(&self, player: &str) -> Vec<PlayedGame> {
        let mut found = Vec::new();
        loop {
            let path = format!("/api/v1/players/{player}/games?from={}", found.len());
            let page = self.get(IpAddr::from([192, 0, 2, 254]), &path).await;
            let page: PlayerHistory =
                serde_json::from_value(page.expect("a server")).expect("a history");
            found.extend(page.games);
            if found.len() as u64 >= page.total {
                assert_eq!(found.len() as u64, page.total);
                found.reverse();
                return found;
            }
        }
    }
}

impl Event {
    /// What an entry tells, with the fields that every entry of the seat has.
    fn of(played: &PlayedGame) -> Self {
        Self {
            id: played.id.clone(),
            number: played.number,
            at: played.at,
            game: played.game.clone(),
            seat: played.seat,
            opponent: Some(played.opponent.name.clone()),
            opponent_id: played.opponent.player.map(|player| player.to_string()),
            verdict: played.verdict,
            is_rated: played.rating.is_some(),
        }
    }

    fn key(&self) -> (MatchId, u32) {
        (self.id.clone(), self.number)
    }
}

/// The ratings in each game go on from each other.
fn check_ratings(player: &str, found: &[PlayedGame]) {
    let mut ratings = BTreeMap::new();
    for played in found {
        if let Some(change) = played.rating {
            let last = ratings.insert(&played.game, change.after);
            assert_eq!(change.before, last.unwrap_or(NEW), "{player}: {played:?}");
        }
    }
}

fn check_profile(profile: &PlayerProfile, found: &[PlayedGame]) {
    for score in &profile.games {
        let of_game = || found.iter().filter(|played| played.game == score.game);
        let count = |is: &dyn Fn(&PlayedGame, GameVerdict) -> bool| {
            let games = of_game().filter(|played| {
                let verdict = played.verdict;
                verdict.is_some_and(|verdict| is(played, verdict))
            });
            games.count() as u32
        };
        let wins = count(&|played, verdict| verdict.winner == Some(played.seat));
        let draws = count(&|_, verdict| verdict.winner.is_none());
        let losses = count(&|played, verdict| verdict.winner == Some(!played.seat));
        assert_eq!(
            (score.wins, score.draws, score.losses),
            (wins, draws, losses),
            "{profile:?}"
        );
        let rating = of_game().filter_map(|played| played.rating).next_back();
        assert_eq!(
            score.rating,
            rating.map(|change| change.after),
            "{profile:?}"
        );
    }
    let finished = found.iter().filter(|played| played.verdict.is_some());
    let games: std::collections::BTreeSet<_> = finished.map(|played| &played.game).collect();
    assert_eq!(games.len(), profile.games.len(), "{profile:?}");
}

/// Both players' ratings change as Glicko-2 says, each by that of the other before the
/// game.
fn check_exchange(own: &PlayedGame, other: &PlayedGame) {
    let (Some(change), Some(against)) = (own.rating, other.rating) else {
        panic!("rated for one player: {own:?} {other:?}");
    };
    let score = match own.verdict.expect("a finished game").winner {
        Some(winner) if winner == own.seat => 1.0,
        Some(_) => 0.0,
        None => 0.5,
    };
    let [rating, deviation] = glicko2(change.before, against.before, score);
    // Both are rounded, and the volatility varies a little.
    let is_right = (f64::from(change.after.rating) - rating).abs() < 3.0
        && (f64::from(change.after.deviation) - deviation).abs() < 3.0;
    assert!(is_right, "{own:?} {other:?}: not {rating} {deviation}");
}

/// Rating and deviation after a game (Glickman, "Example of the Glicko-2 system",
/// 2012), with the volatility of a new player.
fn glicko2(own: PlayerRating, other: PlayerRating, score: f64) -> [f64; 2] {
    const SCALE: f64 = 173.7178;
    let scaled = |rating: PlayerRating| {
        let mu = (f64::from(rating.rating) - 1500.0) / SCALE;
        (mu, f64::from(rating.deviation) / SCALE)
    };
    let ((mu, phi), (mu_other, phi_other)) = (scaled(own), scaled(other));
    let pi = std::f64::consts::PI;
    let g = 1.0 / (1.0 + 3.0 * phi_other.powi(2) / pi.powi(2)).sqrt();
    let expected = 1.0 / (1.0 + (-g * (mu - mu_other)).exp());
    let variance = 1.0 / (g.powi(2) * expected * (1.0 - expected));
    let before = phi.powi(2) + 0.06_f64.powi(2);
    let after = 1.0 / (1.0 / before + 1.0 / variance);
    let rating = mu + after * g * (score - expected);
    [rating * SCALE + 1500.0, (after.sqrt() * SCALE).min(350.0)]
}
