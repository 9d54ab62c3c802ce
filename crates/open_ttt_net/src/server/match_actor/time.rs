use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::ClientId;
use crate::matches::{Act, DynMatch, Seat};
use crate::replication::Sequence;
use crate::server::clock::{ServerClock, milliseconds};
use crate::server::outages::{self, Outage};

/// Shortest time that is given back, in milliseconds. Storing a change always takes
/// some milliseconds, and so does it to tell another server the time.
const MIN_RETURN_MS: u64 = outages::MIN_SKIPPED_MS;

/// Time after loading a match within which time is only given back with the next
/// change. The clients that reconnect now may have a proposal for the current
/// state, which any change would overtake.
const RESEND_MS: u64 = 2_000;

/// How long the server waits for a proposal to be sent again that it could not
/// store, before it lets the proposal's author run out of time.
const RESEND_LIMIT: Duration = Duration::from_secs(15);

/// The time of one match, in milliseconds since 1970, as its actor counts it: that
/// of the server's clock, unless servers disagree, and without the time that is not
/// charged to the players.
///
/// It is never set back. A change of another server can't tell that its time is behind:
/// it may have been stamped long before it was stored, or stored long before it is read.
///
/// An act is stamped with the time at which its author could have acted. If it is
/// stored much later, the server gives the difference back
/// ([`Act::ReturnTime`]) to the player whose clock runs then.
pub(super) struct MatchTime {
    clock: ServerClock,
    /// That of the server's clock, unless the match's time is ahead of it, or the clock
    /// was set forward since it was last [kept up](Self::keep_up) with.
    reading: u64,
    loaded: u64,
    outages: Arc<[Outage]>,
    /// A change, and the time after it that is not charged because it was stored late,
    /// or because the clock was set forward, in milliseconds.
    late: Option<(Sequence, u64)>,
    /// By seat.
    unstored: [Option<Box<Unstored>>; 2],
    /// Whether time can be given back.
    returns: bool,
}

/// Identifies a proposal of a seat.
pub(super) type ProposalId<'a> = (&'a ClientId, u64, Sequence);

/// A proposal that the store did not take.
struct Unstored {
    proposal: (ClientId, u64, Sequence),
    act: Act,
    /// The match's time when it arrived first.
    arrived: u64,
    /// When it arrived last.
    seen: Instant,
}

impl MatchTime {
    /// The time of a match that has just been loaded.
    pub(super) fn new(clock: ServerClock, outages: Arc<[Outage]>, state: &DynMatch) -> Self {
        let mut time = Self {
            loaded: 0,
            reading: clock.reading(),
            clock,
            outages,
            late: None,
            unstored: [None, None],
            returns: true,
        };
        time.follow(state.at());
        time.loaded = time.now();
        time
    }

    /// The time of a match whose log can't tell that time is given back: all time is
    /// charged.
    pub(super) fn without_returns(self) -> Self {
        Self {
            returns: false,
            ..self
        }
    }

    /// The time now, uncharged time included.
    pub(super) fn now(&self) -> u64 {
        self.clock.now_of(self.reading)
    }

    /// Another server has stored a change with this time. If its clock is ahead of this
    /// one's, the match goes on from there, or it would stand still until then.
    pub(super) fn follow(&mut self, at: u64) {
        let ahead = at.saturating_sub(self.now());
        self.reading = self.reading.saturating_add(ahead);
    }

    /// Follows the server's clock where it was set forward, because it was behind those
    /// of other servers. No player used the time in between.
    pub(super) fn keep_up(&mut self, state: &DynMatch, sequence: Sequence) {
        let skipped = self.clock.reading().saturating_sub(self.reading);
        // Time that can't be given back is not skipped.
        if skipped == 0 || !self.returns {
            return;
        }
        if skipped >= MIN_RETURN_MS {
            let uncharged = self.uncharged(state, sequence).saturating_add(skipped);
            self.late = Some((sequence, uncharged));
        }
        self.reading = self.reading.saturating_add(skipped);
    }

    /// The time since the last change that is not charged, in milliseconds.
    fn uncharged(&self, state: &DynMatch, sequence: Sequence) -> u64 {
        if !self.returns || !state.is_timed() {
            return 0;
        }
        let late = self.late.filter(|(change, _)| *change == sequence);
        let late = late.map_or(0, |(_, ms)| ms);
        let down = outages::uncharged(&self.outages, state.at(), self.now());
        if down < MIN_RETURN_MS {
            late
        } else {
            late.max(down)
        }
    }

    /// The time to stamp an act with that arrives now.
    pub(super) fn of_act(&self, state: &DynMatch, sequence: Sequence) -> u64 {
        self.now().saturating_sub(self.uncharged(state, sequence))
    }

    /// The time to stamp a proposal with: of its first arrival, if the store did
    /// not take it before.
    pub(super) fn of_proposal(
        &self,
        seat: Seat,
        proposal: ProposalId<'_>,
        act: &Act,
        state: &DynMatch,
        sequence: Sequence,
    ) -> u64 {
        let unstored = self.unstored[seat.index()].as_ref().filter(|unstored| {
            let (client, number, base) = &unstored.proposal;
            (client, *number, *base) == proposal && unstored.act == *act
        });
        unstored.map_or_else(|| self.of_act(state, sequence), |unstored| unstored.arrived)
    }

    /// A proposal with this time could not be stored now.
    pub(super) fn not_stored(
        &mut self,
        seat: Seat,
        (client, number, base): ProposalId<'_>,
        act: Act,
        arrived: u64,
    ) {
        self.unstored[seat.index()] = Some(Box::new(Unstored {
            proposal: (client.clone(), number, base),
            act,
            arrived,
            seen: Instant::now(),
        }));
    }

    /// A change of this server with the time `at` has been stored as this one.
    pub(super) fn stored(&mut self, sequence: Sequence, at: u64) {
        self.unstored = [None, None];
        let late = self.now().saturating_sub(at);
        self.late = (late >= MIN_RETURN_MS).then_some((sequence, late));
    }

    /// When to give time back, and how much in milliseconds.
    pub(super) fn time_to_return(
        &self,
        state: &DynMatch,
        sequence: Sequence,
    ) -> Option<(u64, u64)> {
        let ms = self.uncharged(state, sequence);
        if ms == 0 {
            return None;
        }
        let is_late = self.late.is_some_and(|(change, _)| change == sequence);
        let due = if is_late {
            state.at()
        } else {
            outages::end(&self.outages).max(self.loaded.saturating_add(RESEND_MS))
        };
        Some((due, ms))
    }

    /// When an act of the server is due that is due at the time `at` of the match.
    pub(super) fn due(&self, at: u64, state: &DynMatch, sequence: Sequence) -> u64 {
        let due = at.saturating_add(self.uncharged(state, sequence));
        let unstored = self.unstored.iter().flatten();
        let waiting = unstored.filter(|unstored| {
            let (_, _, base) = unstored.proposal;
            base == sequence && unstored.arrived < at
        });
        let left = waiting.map(|unstored| RESEND_LIMIT.saturating_sub(unstored.seen.elapsed()));
        left.max().map_or(due, |left| {
            due.max(self.now().saturating_add(milliseconds(left)))
        })
    }
}

#[cfg(test)]
mod tests {
    use open_ttt_catalog::Catalog;
    use open_ttt_lib::state_machine::StateMachine;

    use super::*;
    use crate::matches::{Actor, Player, Settings, TimeControl, Transition};

    const LAST: Sequence = Sequence::new(3);

    /// A match in which seat B's clock has been running since `at`.
    fn running_since(at: u64) -> DynMatch {
        let settings = Settings {
            clock: Some(TimeControl {
                initial_ms: 60_000,
                increment_ms: 0,
            }),
            ..Settings::of_game("ttt")
        };
        let find = |name: &str| Catalog::bundled().game(name);
        let mut state = DynMatch::new(settings, find).expect("a game");
        let join = |seat| {
            let player = Player::person("Ann");
            (Actor::Server, Act::Join { seat, player })
        };
        let first = (Actor::Seat(Seat::A), Act::play("b2"));
        for (by, act) in [join(Seat::A), join(Seat::B), first] {
            state = state.apply(&Transition { at, by, act }).expect("possible");
        }
        state
    }

    fn clock_at(now: u64) -> ServerClock {
        let clock = ServerClock::of_system();
        clock.set(now);
        clock
    }

    async fn pass(ms: u64) {
        tokio::time::advance(Duration::from_millis(ms)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn time_follows_changes_of_the_future_only() {
        let state = running_since(100_000);
        let mut time = MatchTime::new(clock_at(101_000), Arc::default(), &state);
        // Read late, or stamped before the store took it.
        time.follow(100_001);
        pass(500).await;
        assert_eq!(time.of_act(&state, LAST), 101_500);
        // Another server's clock is ahead, a little or far.
        time.follow(101_503);
        pass(2).await;
        assert_eq!(time.of_act(&state, LAST), 101_505);
        time.follow(9_000_000);
        pass(1).await;
        time.follow(8_000_000);
        assert_eq!(time.now(), 9_000_001);
    }

    #[tokio::test(start_paused = true)]
    async fn time_that_the_clock_skips_is_given_back() {
        let state = running_since(100_000);
        let clock = clock_at(101_000);
        let mut time = MatchTime::new(clock.clone(), Arc::default(), &state);
        let mut earlier = MatchTime::new(clock.clone(), Arc::default(), &state).without_returns();
        clock.set_forward(7_300_000);
        // Nothing happens before the match keeps up.
        pass(500).await;
        assert_eq!(time.of_act(&state, LAST), 101_500);
        assert_eq!(time.due(160_500, &state, LAST), 160_500);
        for _ in 0..2 {
            time.keep_up(&state, LAST);
            assert_eq!(time.now(), 7_300_500);
            assert_eq!(time.of_act(&state, LAST), 101_500);
            assert_eq!(time.due(160_500, &state, LAST), 7_359_500);
            // At once.
            let returned = Some((100_000, 7_199_000));
            assert_eq!(time.time_to_return(&state, LAST), returned);
        }
        // Again before it was given back.
        clock.set_forward(7_310_500);
        time.keep_up(&state, LAST);
        pass(250).await;
        assert_eq!(time.of_act(&state, LAST), 101_750);
        time.stored(LAST.next(), 7_310_750);
        assert_eq!(time.time_to_return(&state, LAST.next()), None);
        // The time that it takes to tell the time is charged.
        clock.set_forward(7_310_760);
        time.keep_up(&state, LAST.next());
        assert_eq!(time.of_act(&state, LAST.next()), 7_310_760);
        // A match in which no time can be given back keeps its time.
        earlier.keep_up(&state, LAST);
        assert_eq!(earlier.of_act(&state, LAST), 101_750);
    }

    #[tokio::test(start_paused = true)]
    async fn a_match_whose_time_is_ahead_skips_less() {
        let state = running_since(100_000);
        let clock = clock_at(40_000);
        let mut time = MatchTime::new(clock.clone(), Arc::default(), &state);
        // The match's time is 100 seconds, as is that of the other servers.
        pass(30).await;
        clock.set_forward(100_032);
        time.keep_up(&state, LAST);
        assert_eq!(time.of_act(&state, LAST), 100_032);
        clock.set_forward(104_032);
        time.keep_up(&state, LAST);
        assert_eq!(time.of_act(&state, LAST), 100_032);
        assert_eq!(time.time_to_return(&state, LAST), Some((100_000, 4_000)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_match_does_not_stand_still() {
        let state = running_since(100_000);
        let time = MatchTime::new(clock_at(40_000), Arc::default(), &state);
        pass(700).await;
        assert_eq!(time.of_act(&state, LAST), 100_700);
        assert_eq!(time.time_to_return(&state, LAST), None);
        assert_eq!(time.due(160_500, &state, LAST), 160_500);
    }

    fn after_outage(from: u64, to: u64) -> Arc<[Outage]> {
        let outage = serde_json::json!([{"from": from, "to": to}]);
        let outages: Vec<_> = serde_json::from_value(outage).expect("outages");
        outages.into()
    }

    #[tokio::test(start_paused = true)]
    async fn an_outage_is_given_back_once_the_clients_have_reconnected() {
        let state = running_since(100_000);
        let clock = clock_at(200_000);
        // Down from 110 to 200 seconds. Clients have five seconds to reconnect.
        let mut time = MatchTime::new(clock, after_outage(110_000, 200_000), &state);
        pass(3_000).await;
        assert_eq!(time.of_act(&state, LAST), 110_000);
        assert_eq!(time.time_to_return(&state, LAST), Some((205_000, 93_000)));
        // 50.5 seconds are left, and nobody runs out of time in the outage.
        assert_eq!(time.due(160_500, &state, LAST), 253_500);
        pass(4_000).await;
        assert_eq!(time.of_act(&state, LAST), 112_000);
        assert_eq!(time.time_to_return(&state, LAST), Some((205_000, 95_000)));
        assert_eq!(time.due(160_500, &state, LAST), 255_500);

        // A move is stored with the time at which it was possible, and the time is
        // given back to the opponent at once.
        let moved = Transition {
            at: 112_000,
            by: Actor::Seat(Seat::B),
            act: Act::play("a1"),
        };
        let state = state.apply(&moved).expect("possible");
        time.stored(LAST.next(), 112_000);
        let due = time.time_to_return(&state, LAST.next());
        assert_eq!(due, Some((112_000, 95_000)));
        let returned = Transition {
            at: time.now(),
            by: Actor::Server,
            act: Act::ReturnTime { ms: 95_000 },
        };
        let state = state.apply(&returned).expect("possible");
        time.stored(LAST.next().next(), time.now());
        assert_eq!(time.time_to_return(&state, LAST.next().next()), None);
        assert_eq!(time.of_act(&state, LAST.next().next()), 207_000);
        let running = state.clock().and_then(|clock| clock.running);
        assert_eq!(running, Some((Seat::A, 207_000)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_match_that_is_loaded_late_waits_for_proposals() {
        let state = running_since(100_000);
        let time = MatchTime::new(clock_at(500_000), after_outage(110_000, 200_000), &state);
        let returned = Some((502_000, 95_000));
        assert_eq!(time.time_to_return(&state, LAST), returned);
    }

    #[tokio::test(start_paused = true)]
    async fn an_outage_is_charged_where_no_time_can_be_given_back() {
        let state = running_since(100_000);
        let outages = after_outage(110_000, 130_000);
        let time = MatchTime::new(clock_at(140_000), outages, &state).without_returns();
        assert_eq!(time.of_act(&state, LAST), 140_000);
        assert_eq!(time.time_to_return(&state, LAST), None);
        assert_eq!(time.due(160_500, &state, LAST), 160_500);
    }

    #[tokio::test(start_paused = true)]
    async fn an_unstored_proposal_keeps_the_time_of_its_first_arrival() {
        let state = running_since(100_000);
        let mut time = MatchTime::new(clock_at(150_000), Arc::default(), &state);
        let client: ClientId = "bob".parse().expect("an identifier");
        let id = (&client, 7, LAST);
        let act = Act::play("a1");
        time.not_stored(Seat::B, id, act.clone(), time.of_act(&state, LAST));
        pass(12_000).await;
        let other_act = Act::play("c3");
        let at = |time: &MatchTime, seat, id, act| time.of_proposal(seat, id, act, &state, LAST);
        assert_eq!(at(&time, Seat::B, id, &act), 150_000);
        // Not another proposal, another act, or another seat's.
        let now = 162_000;
        assert_eq!(at(&time, Seat::B, (&client, 8, LAST), &act), now);
        assert_eq!(at(&time, Seat::B, id, &other_act), now);
        assert_eq!(at(&time, Seat::A, id, &act), now);
        // The opponent's proposals change nothing about it.
        time.not_stored(Seat::A, (&client, 7, LAST), Act::OfferDraw, now);
        assert_eq!(at(&time, Seat::B, id, &act), 150_000);
        // It came before the deadline, so it may be sent again.
        assert_eq!(time.due(160_500, &state, LAST), 165_000);
        pass(3_000).await;
        assert_eq!(time.due(160_500, &state, LAST), 165_000);
        pass(1_000).await;
        // But not for ever.
        assert!(time.due(160_500, &state, LAST) <= time.now());
        // A proposal that came too late does not delay anything.
        let mut time = MatchTime::new(clock_at(160_600), Arc::default(), &state);
        time.not_stored(Seat::B, id, act, time.of_act(&state, LAST));
        assert_eq!(time.due(160_500, &state, LAST), 160_500);
    }
}
