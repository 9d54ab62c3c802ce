use core::time::Duration;

use open_ttt_catalog::DynGame;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, Side, TwoPlayerGame};
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::client::ServerAddress;
use open_ttt_net::matches::{Act, DynMatch, Seat};
use open_ttt_net::protocol::{Change, ServerMessage, WelcomeState};
use open_ttt_net::replication::Digest;
use tokio::time::{Instant, sleep_until};

use crate::seat::{Halt, SeatLine, make};

/// A table on which two connections play random moves: one game after the
/// other, and another match when the server keeps no more of this one.
pub(crate) struct Pair {
    server: ServerAddress,
    game: String,
    /// Whether the states are worked out here too.
    checks: bool,
    rng: Rng,
    playing: Match,
    pub(crate) tally: Tally,
}

/// The match that is on the table.
struct Match {
    lines: [SeatLine; 2],
    start: DynGame,
    position: DynGame,
    /// Which game of the match it is, from 1.
    number: u64,
    sequence: u64,
    /// A whole copy, on the tables that check what the server says.
    copy: Option<DynMatch>,
}

/// What a table has seen since it was last set back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// From the sending of each move until both seats had seen the new state.
    pub(crate) latencies: Vec<Duration>,
    /// Moves and wishes for another game.
    pub(crate) changes: u64,
    /// States whose sum was worked out here too.
    pub(crate) checked: u64,
    /// By how much the latest move was behind its schedule.
    pub(crate) late: Duration,
}

impl Match {
    /// Makes a match and connects both sides. One that `checks` keeps a whole
    /// copy of it.
    async fn open(
        server: &ServerAddress,
        game: &str,
        rng: &mut Rng,
        checks: bool,
    ) -> Result<Self, String> {
        let start = open_ttt_catalog::game(game).map_err(|error| error.to_string())?;
        let made = make(server, game).await?;
        let mut lines = Vec::new();
        let mut sequence = 0;
        let mut copy = None;
        for token in made.tokens {
            let client = format!("load-{:016x}", rng.next_u64());
            let client = client.parse().map_err(|_| "no name for a client")?;
            let (line, welcome) = SeatLine::open(&made.link, token, client).await?;
            let ServerMessage::Welcome {
                sequence: now,
                state: WelcomeState::Snapshot(state),
                ..
            } = welcome
            else {
                return Err(format!("no welcome: {welcome:?}"));
            };
            sequence = now.get();
            copy = Some(state);
            lines.push(line);
        }
        let copy = copy
            .filter(|_| checks)
            .map(serde_json::from_value)
            .transpose()
            .map_err(|error| error.to_string())?;
        let lines = lines.try_into().map_err(|_| "two seats are expected")?;
        Ok(Self {
            lines,
            position: start.clone(),
            start,
            number: 1,
            sequence,
            copy,
        })
    }

    /// Who sits on the seat of a side: they take turns to begin.
    fn seat(&self, side: Side) -> Seat {
        let first = if self.number % 2 == 1 {
            Seat::A
        } else {
            Seat::B
        };
        match side {
            Side::First => first,
            Side::Second => !first,
        }
    }

    /// Has something done, and waits until both seats have seen it.
    async fn change(&mut self, seat: Seat, act: Act, tally: &mut Tally) -> Result<(), Halt> {
        let base = self.sequence;
        self.sequence += 1;
        self.lines[seat.index()].propose(base, act).await?;
        // Read one after the other: the later of both counts. Who proposed is
        // the one who hears that the match is full.
        let [a, b] = &mut self.lines;
        let (proposer, other) = match seat {
            Seat::A => (a, b),
            Seat::B => (b, a),
        };
        let text = proposer.wait(self.sequence).await?;
        other.wait(self.sequence).await?;
        tally.changes += 1;
        let Some(copy) = &mut self.copy else {
            return Ok(());
        };
        let message: ServerMessage =
            serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let (ServerMessage::Change(change) | ServerMessage::Accepted { change, .. }) = message
        else {
            return Err(format!("{text} is no change").into());
        };
        let Change { entry, digest, .. } = change;
        *copy = copy
            .apply(&entry.transition)
            .map_err(|conflict| format!("the server has let pass: {conflict}"))?;
        if Digest::of(copy) != digest {
            return Err(format!("the state behind {text} has another sum here").into());
        }
        tally.checked += 1;
        Ok(())
    }
}

impl Pair {
    /// Makes a match and connects both sides. One that `checks` keeps a whole
    /// copy of the match.
    pub(crate) async fn open(
        server: &ServerAddress,
        game: &str,
        seed: u64,
        checks: bool,
    ) -> Result<Self, String> {
        let mut rng = Rng::new(seed);
        Ok(Self {
            server: server.clone(),
            game: game.to_owned(),
            playing: Match::open(server, game, &mut rng, checks).await?,
            checks,
            rng,
            tally: Tally::default(),
        })
    }

    /// Makes a random move, or begins another game; another match as well, if
    /// this one is full.
    pub(crate) async fn go_on(&mut self) -> Result<(), String> {
        match self.act().await {
            Ok(()) => Ok(()),
            Err(Halt::Full) => {
                let Self {
                    server, game, rng, ..
                } = self;
                self.playing = Match::open(server, game, rng, self.checks).await?;
                Ok(())
            }
            Err(Halt::Failed(text)) => Err(text),
        }
    }

    async fn act(&mut self) -> Result<(), Halt> {
        let Self { playing, tally, .. } = self;
        if playing.position.outcome().is_some() {
            playing.change(Seat::A, Act::Rematch, tally).await?;
            playing.change(Seat::B, Act::Rematch, tally).await?;
            playing.position = playing.start.clone();
            playing.number += 1;
            return Ok(());
        }
        let m = self.rng.pick(playing.position.moves());
        let m = m.ok_or("a game goes on that has no moves".to_owned())?;
        let seat = playing.seat(playing.position.to_move());
        let act = Act::play(&playing.position.move_text(m));
        playing.position.play_unchecked(m);
        let sent = Instant::now();
        playing.change(seat, act, tally).await?;
        tally.latencies.push(sent.elapsed());
        Ok(())
    }

    /// Plays until a time, each move as soon as the one before it is seen, or
    /// by a schedule: a move each `every`, the first after `offset`.
    pub(crate) async fn play_until(
        &mut self,
        end: Instant,
        pace: Option<(Duration, Duration)>,
    ) -> Result<(), String> {
        let mut due = Instant::now() + pace.map_or(Duration::ZERO, |(_, offset)| offset);
        while Instant::now() < end {
            if let Some((every, _)) = pace {
                sleep_until(due).await;
                self.tally.late = self.tally.late.max(due.elapsed());
                due += every;
            }
            self.go_on().await?;
            if pace.is_some() && self.playing.position.outcome().is_some() {
                // Another game is not among the moves of the schedule.
                self.go_on().await?;
            }
        }
        Ok(())
    }

    /// Waits for whatever comes, so that the server's signs of life are
    /// answered.
    pub(crate) async fn idle(mut self) -> String {
        let [a, b] = &mut self.playing.lines;
        loop {
            let heard = tokio::select! {
                heard = a.hear() => heard,
                heard = b.hear() => heard,
            };
            if let Err(error) = heard {
                return error;
            }
        }
    }
}
