//! A minimal server: it orders proposals and answers as the protocol requires.

use crate::games::find;
use open_ttt_net::matches::{
    Act, Actor, DynMatch, MatchConflict, Player, SavedMatch, Seat, Settings, Transition,
};
use open_ttt_net::protocol::{
    Change, ClientMessage, Hello, KnownState, Presence, ServerMessage, VERSION, Welcome,
    WelcomeState,
};
use open_ttt_net::replication::{
    CatchUp, Decision, Proposal, ProposalVerdict, Sequence, Sequencer,
};
use open_ttt_net::{ClientId, MatchId};

pub(super) const NOW: u64 = 1_700_000_000_000;

pub(super) struct MiniServer {
    pub(super) sequencer: Sequencer<DynMatch>,
    /// The most missed entries for which no snapshot is sent.
    pub(super) max_entries: usize,
    pub(super) time: u64,
}

impl MiniServer {
    /// A match with two players and no moves.
    pub(super) fn new(game: &str) -> Self {
        let state = DynMatch::new(Settings::of_game(game), find).unwrap();
        let mut server = Self {
            sequencer: Sequencer::new(state),
            max_entries: 100,
            time: NOW,
        };
        for (seat, name) in [(Seat::A, "Ann"), (Seat::B, "Bob")] {
            let player = Player::person(name);
            server.append(Actor::Server, Act::Join { seat, player });
        }
        server
    }

    /// Appends an act of the server or of another client.
    pub(super) fn append(&mut self, by: Actor, act: Act) -> ServerMessage {
        let proposal = Proposal {
            number: self.sequencer.sequence().get(),
            base: self.sequencer.sequence(),
            transition: self.transition(by, act),
        };
        let author = "other".parse().unwrap();
        let Decision::Append(draft) = self.sequencer.decide(&author, &proposal) else {
            panic!("{proposal:?} is not possible");
        };
        self.sequencer.commit(draft);
        ServerMessage::Change(self.last_change())
    }

    fn transition(&mut self, by: Actor, act: Act) -> Transition {
        self.time += 1_000;
        Transition {
            at: self.time,
            by,
            act,
        }
    }

    fn last_change(&self) -> Change {
        let sequence = self.sequencer.sequence();
        let entry = self.sequencer.entries_after(Sequence::START);
        let entry = entry.unwrap().last().unwrap().clone();
        Change {
            sequence,
            digest: self.sequencer.digest(),
            entry,
            view: None,
        }
    }

    /// The response to a message of the client with this seat.
    pub(super) fn respond(
        &mut self,
        client: &ClientId,
        seat: Option<Seat>,
        message: ClientMessage,
    ) -> ServerMessage {
        match message {
            ClientMessage::Hello(Hello { have, .. }) => self.welcome(seat, have),
            ClientMessage::Ping { number } => ServerMessage::Pong {
                number,
                now: self.time,
            },
            ClientMessage::Propose { number, base, act } => {
                let transition = self.transition(Actor::Seat(seat.unwrap()), act);
                let proposal = Proposal {
                    number,
                    base,
                    transition,
                };
                match self.sequencer.decide(client, &proposal) {
                    Decision::Append(draft) => {
                        self.sequencer.commit(draft);
                        ServerMessage::Accepted {
                            number,
                            change: self.last_change(),
                        }
                    }
                    Decision::Settled(verdict) => verdict_message(number, &verdict),
                    Decision::Behind | Decision::LookUp(_) => panic!("there is no state {base}"),
                }
            }
        }
    }

    fn welcome(&self, seat: Option<Seat>, have: Option<KnownState>) -> ServerMessage {
        let have = have.map(|have| (have.sequence, have.digest));
        let state = match self.sequencer.catch_up(have, self.max_entries) {
            CatchUp::Entries(entries) => WelcomeState::Entries(entries.to_vec()),
            CatchUp::Snapshot(state) => WelcomeState::Snapshot(Box::new(SavedMatch::of(state))),
        };
        ServerMessage::Welcome(Welcome {
            protocol: VERSION,
            id: id(),
            seat,
            now: self.time,
            sequence: self.sequencer.sequence(),
            digest: self.sequencer.digest(),
            state,
            presence: Presence {
                seats: [true; 2],
                watchers: 0,
            },
        })
    }
}

fn verdict_message(number: u64, verdict: &ProposalVerdict<MatchConflict>) -> ServerMessage {
    match *verdict {
        ProposalVerdict::Accepted(_) => panic!("nothing was stored"),
        ProposalVerdict::Duplicate(sequence) => ServerMessage::Duplicate { number, sequence },
        ProposalVerdict::Overtaken(sequence) => ServerMessage::Overtaken { number, sequence },
        ProposalVerdict::Refused(conflict) => ServerMessage::Refused {
            number,
            conflict,
            text: conflict.to_string(),
        },
    }
}

pub(super) fn id() -> MatchId {
    "table1".parse().unwrap()
}
