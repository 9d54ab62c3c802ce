use open_ttt_catalog::Catalog;
use open_ttt_lib::random::Rng;
use open_ttt_search::StopFlag;
use serde::{Deserialize, Serialize};

use super::computer::{computer_at, decide, parse_computer, reply};
use super::{Host, bad_request, frames};
use crate::matches::{Act, Actor, DynMatch, MatchConflict, Player, Seat, Settings, Transition};
use crate::protocol::{
    Change, CreateMatch, ErrorCode, ErrorReport, GameFrames, MatchView, Presence, SeatRequest,
    ServerMessage, VERSION, Welcome, WelcomeState,
};
use crate::replication::{Decision, LogEntry, Proposal, ProposalVerdict, Sequence, Sequencer};
use crate::{ClientId, MatchId};

/// The most entries of a match. Whoever plays so many games can begin a new match.
const MAX_ENTRIES: usize = 10_000;

/// A match of a person against a computer, kept by whoever shows it: the settings and the log.
///
/// Every function replays the log, so that there is nothing else to keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoloMatch {
    settings: Settings,
    entries: Vec<LogEntry<Transition>>,
}

/// An act that is proposed in a [`SoloMatch`], by the person or for the computer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoloProposal {
    /// Whether it is the computer's.
    #[serde(default)]
    by_computer: bool,
    /// The client that proposes.
    client: ClientId,
    /// Numbers the client's proposals.
    number: u64,
    /// The state for which it was made.
    base: Sequence,
    /// The act.
    act: Act,
    /// The time, in milliseconds since 1970.
    now: u64,
}

/// What a proposal leads to.
#[derive(Debug, Serialize)]
pub(super) struct SoloAnswer {
    /// The entries to add to the log.
    entries: Vec<LogEntry<Transition>>,
    /// What a server would send.
    messages: Vec<ServerMessage>,
    /// Whether the computer is to move then.
    computer_to_move: bool,
}

impl SoloMatch {
    /// A match with its players in their seats.
    pub(super) fn begin(
        catalog: &Catalog,
        wanted: CreateMatch,
        now: u64,
        host: &Host,
    ) -> Result<Self, ErrorReport> {
        if wanted.rated || wanted.listed || wanted.clock.is_some() {
            let text = "A match without a server has no ratings, no clock and no spectators.";
            return Err(bad_request(text));
        }
        let settings = Settings {
            game: wanted.game,
            clock: None,
            first: wanted.first.unwrap_or_else(|| lot(host.seed)),
            rated: false,
            moves: wanted.moves,
        };
        let start = DynMatch::new(settings, |name| catalog.game(name)).map_err(bad_request)?;
        let game = start.game().position().clone();
        let mut solo = Self {
            settings: start.settings().clone(),
            entries: Vec::new(),
        };
        let mut sequencer = Sequencer::new(start);
        for (seat, seated) in Seat::ALL.into_iter().zip(wanted.seats) {
            let player = match seated {
                Some(SeatRequest::Person(name)) => Player::person(name),
                Some(SeatRequest::Computer(spec)) => {
                    parse_computer(&game, &spec, host.clock).map_err(bad_request)?;
                    Player::computer(spec)
                }
                None => continue,
            };
            let act = Act::Join { seat, player };
            let entry = solo.entry(Actor::Server, act, now)?;
            sequencer.replay(entry.clone()).map_err(bad_request)?;
            solo.entries.push(entry);
        }
        person(sequencer.state()).map(|_| solo)
    }

    /// An entry that isn't the person's.
    fn entry(&self, by: Actor, act: Act, at: u64) -> Result<LogEntry<Transition>, ErrorReport> {
        Ok(LogEntry {
            client: "computer".parse().map_err(bad_request)?,
            number: self.entries.len() as u64 + 1,
            transition: Transition { at, by, act },
        })
    }

    /// The match that the log leads to.
    fn replayed(&self, catalog: &Catalog) -> Result<Sequencer<DynMatch>, ErrorReport> {
        let damaged = |text: String| ErrorReport::new(ErrorCode::Damaged, text);
        let start = DynMatch::new(self.settings.clone(), |name| catalog.game(name));
        let mut sequencer = Sequencer::new(start.map_err(|cause| damaged(cause.to_string()))?);
        for entry in &self.entries {
            let replayed = sequencer.replay(entry.clone());
            replayed.map_err(|cause| damaged(cause.to_string()))?;
        }
        Ok(sequencer)
    }

    /// The first message of a connection.
    pub(super) fn welcome(
        &self,
        catalog: &Catalog,
        id: MatchId,
        now: u64,
    ) -> Result<ServerMessage, ErrorReport> {
        let sequencer = self.replayed(catalog)?;
        let state = sequencer.state();
        Ok(ServerMessage::Welcome(Welcome {
            protocol: VERSION,
            id,
            seat: Some(person(state)?),
            now,
            sequence: sequencer.sequence(),
            digest: sequencer.digest(),
            state: WelcomeState::View(Box::new(MatchView::of(state))),
            presence: Presence {
                seats: [true; 2],
                watchers: 0,
            },
        }))
    }

    /// What becomes of a proposal, and how the computer replies to it at once.
    pub(super) fn propose(
        mut self,
        catalog: &Catalog,
        proposal: &SoloProposal,
    ) -> Result<SoloAnswer, ErrorReport> {
        let mut sequencer = self.replayed(catalog)?;
        let known = self.entries.len();
        let seat = person(sequencer.state())?;
        let seat = if proposal.by_computer { !seat } else { seat };
        let at = proposal.now.max(sequencer.state().at());
        let number = proposal.number;
        let mut messages = Vec::new();
        if known >= MAX_ENTRIES && !proposal.act.ends_game() {
            messages.push(refused(number, MatchConflict::TooLong));
        } else {
            let transition = Transition {
                at,
                by: Actor::Seat(seat),
                act: proposal.act.clone(),
            };
            let proposed = Proposal {
                number,
                base: proposal.base,
                transition,
            };
            let message = self.decide_on(&mut sequencer, &proposal.client, &proposed);
            messages.extend(match message {
                // The person hears of the computer's moves as of anybody's.
                ServerMessage::Accepted { change, .. } if proposal.by_computer => {
                    Some(ServerMessage::Change(change))
                }
                _ if proposal.by_computer => None,
                message => Some(message),
            });
        }
        if self.entries.len() > known {
            while let Some((seat, act)) = reply(sequencer.state()) {
                let entry = self.entry(Actor::Seat(seat), act, at)?;
                if sequencer.replay(entry.clone()).is_err() {
                    break;
                }
                messages.push(ServerMessage::Change(change(&sequencer, entry.clone())));
                self.entries.push(entry);
            }
        }
        let state = sequencer.state();
        Ok(SoloAnswer {
            entries: self.entries.split_off(known),
            messages,
            computer_to_move: state.to_move().is_some_and(|seat| state.has_computer(seat)),
        })
    }

    fn decide_on(
        &mut self,
        sequencer: &mut Sequencer<DynMatch>,
        client: &ClientId,
        proposal: &Proposal<Transition>,
    ) -> ServerMessage {
        let number = proposal.number;
        let proposal = sequencer.state().in_own_text(proposal);
        match sequencer.decide(client, &proposal) {
            Decision::Append(draft) => {
                let entry = draft.entry().clone();
                sequencer.commit(draft);
                self.entries.push(entry.clone());
                let change = change(sequencer, entry);
                ServerMessage::Accepted { number, change }
            }
            Decision::Settled(ProposalVerdict::Duplicate(sequence)) => {
                ServerMessage::Duplicate { number, sequence }
            }
            Decision::Settled(ProposalVerdict::Refused(conflict)) => refused(number, conflict),
            // There are no states but those of this log, all of which is kept.
            Decision::Settled(_) | Decision::Behind | Decision::LookUp(_) => {
                ServerMessage::Overtaken {
                    number,
                    sequence: sequencer.sequence(),
                }
            }
        }
    }

    /// What the computer does, if it is to move.
    pub(super) fn decide(
        &self,
        catalog: &Catalog,
        host: &Host,
    ) -> Result<Option<Act>, ErrorReport> {
        let sequencer = self.replayed(catalog)?;
        let state = sequencer.state();
        let Some(seat) = state.to_move() else {
            return Ok(None);
        };
        let Some(spec) = state.player(seat).and_then(|it| it.computer.as_deref()) else {
            return Ok(None);
        };
        let game = state.game().history();
        let spec = computer_at(game.position(), spec, seat, state.score(), host.clock);
        let mut spec = spec.map_err(bad_request)?;
        spec.seed.get_or_insert(host.seed);
        let nonce = sequencer.sequence().get();
        let stop = StopFlag::new();
        let act = decide(game, &spec, nonce, host.clock, &stop);
        act.map(Some).map_err(bad_request)
    }

    /// One game of the match, with a page of its boards.
    pub(super) fn frames(
        &self,
        catalog: &Catalog,
        number: u32,
        from: usize,
    ) -> Result<GameFrames, ErrorReport> {
        let sequencer = self.replayed(catalog)?;
        // Nobody stops it.
        let frames = frames::frames(&sequencer, number, from, &StopFlag::new());
        let text = "This match has no game of this number.";
        frames.map_err(|_| ErrorReport::new(ErrorCode::NotFound, text))
    }
}

/// The seat of the person; the other one is a computer's.
fn person(state: &DynMatch) -> Result<Seat, ErrorReport> {
    let mut seats = Seat::ALL
        .into_iter()
        .filter(|&seat| !state.has_computer(seat));
    match (seats.next(), seats.next(), state.has_started()) {
        (Some(seat), None, true) => Ok(seat),
        _ => Err(bad_request(
            "A match without a server is between a person and a computer.",
        )),
    }
}

/// A seat drawn by lot.
fn lot(seed: u64) -> Seat {
    Seat::ALL[Rng::new(seed).below(2)]
}

fn refused(number: u64, conflict: MatchConflict) -> ServerMessage {
    ServerMessage::Refused {
        number,
        conflict,
        text: conflict.to_string(),
    }
}

/// The change that has led to the current state.
fn change(sequencer: &Sequencer<DynMatch>, entry: LogEntry<Transition>) -> Change {
    Change {
        sequence: sequencer.sequence(),
        digest: sequencer.digest(),
        entry,
        view: Some(Box::new(MatchView::of(sequencer.state()))),
    }
}
