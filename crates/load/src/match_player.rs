use core::time::Duration;

use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, Side, SpecError, TwoPlayerGame};
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::client::Link;
use open_ttt_net::matches::{Act, DynMatch, SavedMatch, Seat};
use open_ttt_net::protocol::{
    Change, CreateMatch, SeatRequest, ServerMessage, UpdateShape, Welcome, WelcomeState,
};
use open_ttt_net::replication::Digest;
use tokio::time::{Instant, sleep_until};

use crate::connection::{ActError, Connection, create_match};
use crate::source::Source;

/// Plays random moves over two connections: game after game, and a new match when
/// the current one has reached the server's limit of changes.
pub(crate) struct MatchPlayer {
    source: Source,
    game: String,
    /// Whether to compute the states and compare their digests.
    checks: bool,
    rng: Rng,
    current: CurrentMatch,
    pub(crate) measurements: Measurements,
}

/// The match that is being played.
struct CurrentMatch {
    /// The link of seat A.
    link: Link,
    connections: [Connection; 2],
    start: DynGame,
    position: DynGame,
    /// The seat that moves first in the current game.
    first: Seat,
    sequence: u64,
    /// A copy of the state, if it is checked.
    copy: Option<DynMatch>,
}

/// The measurements of a player since the last reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measurements {
    /// The times from sending a move until both seats have received it.
    pub(crate) latencies: Vec<Duration>,
    /// The number of moves and rematch requests.
    pub(crate) changes: u64,
    /// The number of states with a checked digest.
    pub(crate) checked: u64,
    /// The longest delay of a move behind its schedule.
    pub(crate) late: Duration,
}

impl CurrentMatch {
    /// Creates a match and connects both seats.
    async fn open(
        source: &Source,
        game: &str,
        rng: &mut Rng,
        checks: bool,
    ) -> Result<Self, String> {
        let start = find(game).map_err(|error| error.to_string())?;
        let mut client = || format!("load-{:016x}", rng.next_u64()).parse();
        let mut open = async |link| {
            let client = client().map_err(|_| "invalid client id")?;
            Connection::open(source, link, client, UpdateShape::Transitions).await
        };
        let [a, b] = create_match(source, game).await?;
        let link = a.clone();
        let (a, _) = open(a).await?;
        let (b, welcome) = open(b).await?;
        let ServerMessage::Welcome(Welcome {
            sequence,
            state: WelcomeState::Snapshot(state),
            ..
        }) = welcome
        else {
            return Err(format!("expected a welcome, got {welcome:?}"));
        };
        let copy = checks.then(|| read_match(*state)).transpose()?;
        Ok(Self {
            link,
            connections: [a, b],
            position: start.clone(),
            start,
            first: Seat::A,
            sequence: sequence.get(),
            copy,
        })
    }

    /// The seat of a side; the seats alternate moving first.
    fn seat(&self, side: Side) -> Seat {
        match side {
            Side::First => self.first,
            Side::Second => !self.first,
        }
    }

    /// Makes an act and waits until both seats have received the change.
    async fn change(
        &mut self,
        seat: Seat,
        act: Act,
        measurements: &mut Measurements,
    ) -> Result<(), ActError> {
        let base = self.sequence;
        self.sequence += 1;
        self.connections[seat.index()].propose(base, act).await?;
        // Reading one after the other gives the later of both times. Only the proposer
        // is told that the match is full.
        let [a, b] = &mut self.connections;
        let (proposer, other) = match seat {
            Seat::A => (a, b),
            Seat::B => (b, a),
        };
        let text = proposer.wait(self.sequence).await?;
        other.wait(self.sequence).await?;
        measurements.changes += 1;
        let Some(copy) = &mut self.copy else {
            return Ok(());
        };
        let message: ServerMessage =
            serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let (ServerMessage::Change(change) | ServerMessage::Accepted { change, .. }) = message
        else {
            return Err(format!("{text} is not a change").into());
        };
        let Change { entry, digest, .. } = change;
        *copy = copy
            .apply(&entry.transition)
            .map_err(|conflict| format!("the server accepted an impossible act: {conflict}"))?;
        if Digest::of(copy) != digest {
            return Err(format!("the digest does not match after {text}").into());
        }
        measurements.checked += 1;
        Ok(())
    }
}

impl MatchPlayer {
    /// Creates a match and connects both seats.
    pub(crate) async fn open(
        source: &Source,
        game: &str,
        seed: u64,
        checks: bool,
    ) -> Result<Self, String> {
        let mut rng = Rng::new(seed);
        Ok(Self {
            source: source.clone(),
            game: game.to_owned(),
            current: CurrentMatch::open(source, game, &mut rng, checks).await?,
            checks,
            rng,
            measurements: Measurements::default(),
        })
    }

    /// The link of seat A to the current match.
    pub(crate) fn link(&self) -> Link {
        self.current.link.clone()
    }

    /// Plays one game against a computer. Returns the longest time in which it answered.
    pub(crate) async fn play_computer(
        source: &Source,
        game: &str,
        computer: &str,
        seed: u64,
        end: Instant,
    ) -> Result<Duration, String> {
        let mut rng = Rng::new(seed);
        let wanted = CreateMatch {
            game: game.to_owned(),
            clock: None,
            first: Some(Seat::A),
            seats: [
                Some(SeatRequest::Person("Ann".to_owned())),
                Some(SeatRequest::Computer(computer.to_owned())),
            ],
            listed: false,
            rated: false,
            moves: Vec::new(),
            key: None,
        };
        let created = source.create(&wanted).await?;
        let link = source.server().clone().link(created.id);
        let client = format!("load-{:016x}", rng.next_u64()).parse();
        let client = client.map_err(|_| "invalid client id")?;
        let link = link.with_token(created.token);
        let opened = Connection::open(source, link, client, UpdateShape::Transitions).await?;
        let (mut connection, mut sequence) = (opened.0, 2);
        let mut position = find(game).map_err(|error| error.to_string())?;
        let mut longest = Duration::ZERO;
        while position.outcome().is_none() && Instant::now() < end {
            let m = rng.pick(position.moves());
            let m = m.ok_or("a running game has no moves")?;
            let act = Act::play(&position.move_text(m));
            connection.propose(sequence, act).await?;
            sequence += 1;
            connection
                .wait(sequence)
                .await
                .map_err(ActError::into_text)?;
            position.play_unchecked(m);
            if position.outcome().is_some() {
                break;
            }
            let begun = Instant::now();
            sequence += 1;
            let text = connection
                .wait(sequence)
                .await
                .map_err(ActError::into_text)?;
            longest = longest.max(begun.elapsed());
            let message = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            let ServerMessage::Change(Change { entry, .. }) = message else {
                return Err(format!("{text} is not a change"));
            };
            let Act::Move { text, .. } = entry.transition.act else {
                return Err(format!("the computer did {:?}", entry.transition.act));
            };
            let m = position
                .parse_move(&text.0)
                .map_err(|error| error.to_string())?;
            position.play_unchecked(m);
        }
        Ok(longest)
    }

    /// Makes a random move, or starts the next game or match.
    pub(crate) async fn step(&mut self) -> Result<(), String> {
        match self.act().await {
            Ok(()) => Ok(()),
            Err(ActError::Full) => {
                let Self {
                    source, game, rng, ..
                } = self;
                self.current = CurrentMatch::open(source, game, rng, self.checks).await?;
                Ok(())
            }
            Err(ActError::Failed(text)) => Err(text),
        }
    }

    async fn act(&mut self) -> Result<(), ActError> {
        let Self {
            current,
            measurements,
            ..
        } = self;
        if current.position.outcome().is_some() {
            current.change(Seat::A, Act::Rematch, measurements).await?;
            current.change(Seat::B, Act::Rematch, measurements).await?;
            current.position = current.start.clone();
            current.first = !current.first;
            return Ok(());
        }
        let m = self.rng.pick(current.position.moves());
        let m = m.ok_or("a running game has no moves".to_owned())?;
        let seat = current.seat(current.position.to_move());
        let act = Act::play(&current.position.move_text(m));
        current.position.play_unchecked(m);
        let sent = Instant::now();
        current.change(seat, act, measurements).await?;
        measurements.latencies.push(sent.elapsed());
        Ok(())
    }

    /// Plays until a time: each move right after the previous one, or by a schedule
    /// with a move each `every`, the first after `offset`.
    pub(crate) async fn play_until(
        &mut self,
        end: Instant,
        pace: Option<(Duration, Duration)>,
    ) -> Result<(), String> {
        let mut due = Instant::now() + pace.map_or(Duration::ZERO, |(_, offset)| offset);
        while Instant::now() < end {
            if let Some((every, _)) = pace {
                sleep_until(due).await;
                self.measurements.late = self.measurements.late.max(due.elapsed());
                due += every;
            }
            self.step().await?;
            if pace.is_some() && self.current.position.outcome().is_some() {
                // Starting the next game is not part of the schedule.
                self.step().await?;
            }
        }
        Ok(())
    }

    /// Receives messages until an error, which answers the server's pings.
    pub(crate) async fn idle(mut self) -> String {
        let [a, b] = &mut self.current.connections;
        loop {
            let received = tokio::select! {
                received = a.receive() => received,
                received = b.receive() => received,
            };
            if let Err(error) = received {
                return error;
            }
        }
    }
}

/// The bundled game with this name.
pub(crate) fn find(name: &str) -> Result<DynGame, SpecError> {
    Catalog::bundled().game(name)
}

fn read_match(saved: SavedMatch) -> Result<DynMatch, String> {
    saved.restore(find).map_err(|error| error.to_string())
}
