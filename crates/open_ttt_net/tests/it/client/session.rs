use core::time::Duration;

use open_ttt_net::ClientId;
use open_ttt_net::client::{MatchEvent, ProposeError, Session, SessionError};
use open_ttt_net::matches::{Act, Actor, MatchConflict, Seat};
use open_ttt_net::protocol::{ClientMessage, ErrorCode, ServerMessage};
use open_ttt_net::replication::{Digest, Sequence};

use super::mini_server::{MiniServer, NOW, id};

const fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A session and the desk it talks to, message by message.
struct Talk {
    desk: MiniServer,
    session: Session,
    client: ClientId,
    seat: Option<Seat>,
}

impl Talk {
    fn new(game: &str, seat: Option<Seat>) -> Self {
        let client: ClientId = "me".parse().unwrap();
        Self {
            desk: MiniServer::new(game),
            session: Session::new(id(), client.clone(), None),
            client,
            seat,
        }
    }

    /// With a connection, greeted and answered.
    fn begun(game: &str, seat: Option<Seat>) -> Self {
        let mut talk = Self::new(game, seat);
        assert_eq!(
            talk.connect(at(0)),
            Ok(vec![MatchEvent::Snapshot, presence()])
        );
        talk
    }

    fn connect(&mut self, now: Duration) -> Result<Vec<MatchEvent>, SessionError> {
        self.session.connected(now);
        let hello = self.session.outgoing(now).unwrap();
        assert!(matches!(hello, ClientMessage::Hello { .. }));
        assert_eq!(self.session.outgoing(now), None);
        let answer = self.ask(hello);
        self.hear(&answer, now)
    }

    fn ask(&mut self, message: ClientMessage) -> ServerMessage {
        self.desk.answer(&self.client, self.seat, message)
    }

    fn hear(
        &mut self,
        message: &ServerMessage,
        now: Duration,
    ) -> Result<Vec<MatchEvent>, SessionError> {
        let text = serde_json::to_string(message).unwrap();
        self.session.received(&text, now)
    }

    #[track_caller]
    fn check_in_step(&self) {
        let session = &self.session;
        assert_eq!(session.confirmed(), Some(self.desk.sequencer.state()));
        assert_eq!(session.optimistic(), session.confirmed());
        assert!(!session.has_pending());
    }

    fn moves(&self) -> usize {
        self.session.optimistic().unwrap().game().moves().len()
    }
}

fn presence() -> MatchEvent {
    MatchEvent::Presence(open_ttt_net::protocol::Presence {
        seats: [true; 2],
        watchers: 0,
    })
}

fn own(news: &[MatchEvent]) -> bool {
    matches!(news, [MatchEvent::Change { own: true, .. }])
}

#[test]
fn a_move_is_shown_at_once_and_confirmed_as_the_server_made_it() {
    let mut talk = Talk::begun("ttt", Some(Seat::A));
    talk.session.propose(Act::play("b2"), at(1)).unwrap();
    assert_eq!(talk.moves(), 1);
    assert_eq!(talk.session.confirmed().unwrap().game().moves().len(), 0);

    let proposal = talk.session.outgoing(at(1)).unwrap();
    assert_eq!(talk.session.outgoing(at(1)), None, "once is enough");
    let answer = talk.ask(proposal);
    assert!(own(&talk.hear(&answer, at(1)).unwrap()));
    // The time of the move is the server's, so the sums agree.
    talk.check_in_step();

    let reply = talk.desk.append(Actor::Seat(Seat::B), Act::play("a1"));
    let news = talk.hear(&reply, at(2)).unwrap();
    assert!(matches!(&news[..], [MatchEvent::Change { own: false, .. }]));
    talk.check_in_step();
    // Told twice, it is done once.
    assert_eq!(talk.hear(&reply, at(2)), Ok(vec![]));
    talk.check_in_step();
}

/// A move whose answer is lost with the connection, `missed` entries ago.
#[track_caller]
fn check_lost_answer(most: usize, by_verdict: bool) {
    let mut talk = Talk::begun("connect4", Some(Seat::A));
    talk.desk.most = most;
    talk.session.propose(Act::play("4"), at(1)).unwrap();
    let proposal = talk.session.outgoing(at(1)).unwrap();
    let _lost = talk.ask(proposal);
    talk.desk.append(Actor::Seat(Seat::B), Act::play("4"));
    talk.session.disconnected();
    assert_eq!(talk.session.outgoing(at(5)), None);
    assert_eq!(talk.moves(), 1, "it is still shown");

    talk.connect(at(6)).unwrap();
    assert_eq!(talk.session.has_pending(), by_verdict);
    if let Some(again) = talk.session.outgoing(at(6)) {
        let answer = talk.ask(again);
        assert!(matches!(answer, ServerMessage::Duplicate { .. }));
        assert_eq!(talk.hear(&answer, at(6)), Ok(vec![]));
    }
    talk.check_in_step();
    assert_eq!(talk.moves(), 2);
}

#[test]
fn a_move_whose_answer_is_lost_stands_once() {
    check_lost_answer(100, false);
    check_lost_answer(0, true);
}

#[test]
fn a_move_that_never_arrived_is_sent_again() {
    let mut talk = Talk::begun("ttt", Some(Seat::A));
    talk.session.propose(Act::play("b2"), at(1)).unwrap();
    let first = talk.session.outgoing(at(1)).unwrap();
    // Over the same connection after a while,
    assert_eq!(talk.session.outgoing(at(10)), None);
    assert_eq!(talk.session.deadline(), Some(at(11)));
    assert_eq!(talk.session.outgoing(at(11)), Some(first.clone()));
    // and over the next one at once.
    talk.session.disconnected();
    talk.connect(at(12)).unwrap();
    let again = talk.session.outgoing(at(12)).unwrap();
    assert_eq!(again, first);
    let answer = talk.ask(again);
    assert!(own(&talk.hear(&answer, at(12)).unwrap()));
    talk.check_in_step();
}

#[test]
fn a_server_that_asks_for_patience_is_given_it() {
    let mut talk = Talk::begun("ttt", Some(Seat::A));
    talk.session.propose(Act::play("b2"), at(1)).unwrap();
    let Some(ClientMessage::Propose { number, .. }) = talk.session.outgoing(at(1)) else {
        panic!("a proposal");
    };
    let delayed = |retry_ms| ServerMessage::Delayed { number, retry_ms };
    assert_eq!(talk.hear(&delayed(3_000), at(2)), Ok(vec![]));
    assert_eq!(talk.session.outgoing(at(4)), None);
    assert!(talk.session.outgoing(at(5)).is_some());
    // But not for ever.
    assert_eq!(talk.hear(&delayed(u64::MAX), at(6)), Ok(vec![]));
    let waits = (7..=66).find(|&s| {
        matches!(
            talk.session.outgoing(at(s)),
            Some(ClientMessage::Propose { .. })
        )
    });
    assert_eq!(waits, Some(66));
}

#[test]
fn what_is_overtaken_or_refused_is_taken_back() {
    let mut talk = Talk::begun("ttt", Some(Seat::A));
    talk.session.propose(Act::OfferDraw, at(1)).unwrap();
    let late = talk.session.outgoing(at(1)).unwrap();
    let resigned = talk.desk.append(Actor::Seat(Seat::B), Act::Resign);
    let answer = talk.ask(late);
    assert!(matches!(answer, ServerMessage::Overtaken { .. }));
    let news = talk.hear(&resigned, at(1)).unwrap();
    let taken_back = MatchEvent::RolledBack {
        acts: vec![Act::OfferDraw],
        conflict: None,
    };
    assert_eq!(news[1..], [taken_back]);
    assert_eq!(talk.hear(&answer, at(1)), Ok(vec![]), "it is known");
    talk.check_in_step();

    // What the copy would not refuse, the server may.
    talk.session.propose(Act::Rematch, at(2)).unwrap();
    let Some(ClientMessage::Propose { number, .. }) = talk.session.outgoing(at(2)) else {
        panic!("a proposal");
    };
    let conflict = MatchConflict::NotYours;
    let refused = ServerMessage::Refused {
        number,
        conflict,
        text: conflict.to_string(),
    };
    let taken_back = MatchEvent::RolledBack {
        acts: vec![Act::Rematch],
        conflict: Some(conflict),
    };
    assert_eq!(talk.hear(&refused, at(2)), Ok(vec![taken_back]));
    talk.check_in_step();
}

#[test]
fn what_cannot_be_is_not_proposed() {
    let mut talk = Talk::new("ttt", None);
    let play = || Act::play("b2");
    assert_eq!(
        talk.session.propose(play(), at(0)),
        Err(ProposeError::NoState)
    );
    talk.connect(at(0)).unwrap();
    assert_eq!(
        talk.session.propose(play(), at(0)),
        Err(ProposeError::NoSeat)
    );
    let mut talk = Talk::begun("ttt", Some(Seat::B));
    let conflict = ProposeError::Conflict(MatchConflict::NotYourTurn);
    assert_eq!(talk.session.propose(play(), at(0)), Err(conflict));
    assert_eq!(talk.session.outgoing(at(0)), None);
}

/// A change that does not fit ends the connection; the next greeting has what
/// is to be mended, and after it all is well.
#[track_caller]
fn check_mended(odd: impl Fn(&mut MiniServer) -> ServerMessage, keeps_copy: bool) {
    let mut talk = Talk::begun("ttt", Some(Seat::B));
    let message = odd(&mut talk.desk);
    assert_eq!(
        talk.hear(&message, at(1)),
        Err(SessionError::OutOfSync),
        "{message:?}"
    );
    talk.session.disconnected();
    talk.session.connected(at(2));
    let hello = talk.session.outgoing(at(2)).unwrap();
    let ClientMessage::Hello { have, .. } = &hello else {
        panic!("a greeting");
    };
    assert_eq!(have.is_some(), keeps_copy);
    let answer = talk.ask(hello);
    talk.hear(&answer, at(2)).unwrap();
    talk.check_in_step();
}

#[test]
fn what_is_missed_or_differs_is_mended() {
    let gap = |desk: &mut MiniServer| {
        desk.append(Actor::Seat(Seat::A), Act::play("b2"));
        desk.append(Actor::Seat(Seat::B), Act::play("a1"))
    };
    check_mended(gap, true);
    let wrong_sum = |desk: &mut MiniServer| {
        let mut message = desk.append(Actor::Seat(Seat::A), Act::play("b2"));
        if let ServerMessage::Change(change) = &mut message {
            change.digest = Digest::of(&"something else");
        }
        message
    };
    check_mended(wrong_sum, false);
    let unplayable = |desk: &mut MiniServer| {
        let mut message = desk.append(Actor::Seat(Seat::A), Act::play("b2"));
        if let ServerMessage::Change(change) = &mut message {
            change.entry.transition.act = Act::play("z9");
        }
        message
    };
    check_mended(unplayable, false);
}

#[test]
fn a_server_that_has_forgotten_is_not_believed() {
    let mut talk = Talk::begun("ttt", Some(Seat::A));
    talk.session.disconnected();
    let told = talk.desk.append(Actor::Seat(Seat::A), Act::play("b2"));
    talk.connect(at(1)).unwrap();
    drop(told);
    talk.session.disconnected();
    talk.desk = MiniServer::new("ttt");
    let behind = SessionError::Behind {
        server: Sequence::new(2),
        told: Sequence::new(3),
    };
    assert!(!behind.is_final());
    assert_eq!(talk.connect(at(2)), Err(behind));
    assert_eq!(talk.moves(), 1, "what was told stands");
}

#[test]
fn a_silence_is_broken_and_a_long_one_ends_the_connection() {
    let mut talk = Talk::begun("ttt", None);
    assert_eq!(talk.session.deadline(), Some(at(20)));
    assert_eq!(talk.session.outgoing(at(19)), None);
    let ping = talk.session.outgoing(at(20)).unwrap();
    assert_eq!(ping, ClientMessage::Ping { number: 1 });
    assert_eq!(talk.session.outgoing(at(20)), None);
    assert!(!talk.session.is_timed_out(at(59)));
    assert!(talk.session.is_timed_out(at(60)));

    let pong = talk.ask(ping);
    talk.hear(&pong, at(30)).unwrap();
    assert!(!talk.session.is_timed_out(at(89)));
    assert!(talk.session.is_timed_out(at(90)));
    // The server's time goes on from what it last said.
    assert_eq!(talk.session.server_time(at(31)), Some(NOW + 3_000));
}

#[test]
fn nonsense_ends_the_connection() {
    let mut talk = Talk::new("ttt", None);
    talk.session.connected(at(0));
    talk.session.outgoing(at(0)).unwrap();
    for text in [
        "",
        "{}",
        "[]",
        r#"{"type":"welcome"}"#,
        r#"{"type":"presence","seats":[true,false],"watchers":3}"#,
        r#"{"type":"pong","number":1,"now":-1}"#,
    ] {
        let error = talk.session.received(text, at(1)).unwrap_err();
        assert!(matches!(error, SessionError::BadMessage(_)), "{text}");
        assert!(error.is_final());
    }
    for (code, is_final) in [
        (ErrorCode::BadToken, true),
        (ErrorCode::NoSuchMatch, true),
        (ErrorCode::ShuttingDown, false),
        (ErrorCode::TooSlow, false),
    ] {
        let text = "for some reason".to_owned();
        let error = talk.hear(&ServerMessage::Error { code, text }, at(1));
        assert_eq!(error.unwrap_err().is_final(), is_final);
    }
}

#[test]
fn a_welcome_to_something_else_is_none() {
    let mut talk = Talk::new("ttt", None);
    let welcome = |talk: &mut Talk| {
        talk.session.connected(at(0));
        let hello = talk.session.outgoing(at(0)).unwrap();
        talk.ask(hello)
    };
    let mut answer = welcome(&mut talk);
    if let ServerMessage::Welcome { protocol, .. } = &mut answer {
        *protocol = 2;
    }
    assert_eq!(talk.hear(&answer, at(0)), Err(SessionError::BadVersion(2)));

    let mut answer = welcome(&mut talk);
    let other: open_ttt_net::MatchId = "table2".parse().unwrap();
    if let ServerMessage::Welcome { id, .. } = &mut answer {
        id.clone_from(&other);
    }
    assert_eq!(
        talk.hear(&answer, at(0)),
        Err(SessionError::OtherMatch(other))
    );

    let mut answer = welcome(&mut talk);
    if let ServerMessage::Welcome { digest, .. } = &mut answer {
        *digest = Digest::of(&"something else");
    }
    assert!(matches!(
        talk.hear(&answer, at(0)),
        Err(SessionError::BadMessage(_))
    ));
    assert_eq!(talk.session.optimistic(), None);
}
