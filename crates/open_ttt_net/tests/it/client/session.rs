use core::time::Duration;

use open_ttt_catalog::Catalog;
use open_ttt_net::ClientId;
use open_ttt_net::client::{MatchEvent, ProposeError, Session, SessionError};
use open_ttt_net::matches::{Act, Actor, MatchConflict, Seat};
use open_ttt_net::protocol::{
    ClientMessage, ErrorCode, ErrorReport, Hello, PlayerKey, Presence, ServerMessage, Token,
    Welcome,
};
use open_ttt_net::replication::{Digest, Sequence};

use super::mini_server::{MiniServer, NOW, id};

const fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A session and its server, which exchange messages one by one.
struct Pair {
    server: MiniServer,
    session: Session,
    client: ClientId,
    seat: Option<Seat>,
}

impl Pair {
    fn new(game: &str, seat: Option<Seat>) -> Self {
        let client: ClientId = "me".parse().unwrap();
        Self {
            server: MiniServer::new(game),
            session: Session::new(Catalog::bundled(), id(), client.clone(), None),
            client,
            seat,
        }
    }

    /// A pair in which the welcome has been received.
    fn established(game: &str, seat: Option<Seat>) -> Self {
        let mut pair = Self::new(game, seat);
        assert_eq!(
            pair.connect(at(0)),
            Ok(vec![MatchEvent::Snapshot, presence_event()])
        );
        pair
    }

    fn connect(&mut self, now: Duration) -> Result<Vec<MatchEvent>, SessionError> {
        self.session.connected(now);
        let hello = self.session.outgoing(now).unwrap();
        assert!(matches!(hello, ClientMessage::Hello(_)));
        assert_eq!(self.session.outgoing(now), None);
        let response = self.send(hello);
        self.receive(&response, now)
    }

    fn send(&mut self, message: ClientMessage) -> ServerMessage {
        self.server.respond(&self.client, self.seat, message)
    }

    fn receive(
        &mut self,
        message: &ServerMessage,
        now: Duration,
    ) -> Result<Vec<MatchEvent>, SessionError> {
        let text = serde_json::to_string(message).unwrap();
        self.session.received(&text, now)
    }

    #[track_caller]
    fn check_in_sync(&self) {
        let session = &self.session;
        assert_eq!(session.confirmed(), Some(self.server.sequencer.state()));
        assert_eq!(session.optimistic(), session.confirmed());
        assert!(!session.has_pending());
    }

    fn moves(&self) -> usize {
        self.session.optimistic().unwrap().game().moves().len()
    }
}

fn presence_event() -> MatchEvent {
    MatchEvent::Presence(Presence {
        seats: [true; 2],
        watchers: 0,
    })
}

fn is_own_change(events: &[MatchEvent]) -> bool {
    matches!(events, [MatchEvent::Change { own: true, .. }])
}

#[test]
fn the_hello_has_the_key() {
    let hello = |session: Session| {
        let mut session = session;
        session.connected(at(0));
        match session.outgoing(at(0)) {
            Some(ClientMessage::Hello(hello)) => hello,
            other => panic!("{other:?}"),
        }
    };
    let session = || Session::new(Catalog::bundled(), id(), "me".parse().unwrap(), None);
    assert_eq!(hello(session()).key, None);
    let key = PlayerKey(Token::from_bytes([7; 16]));
    let hello = hello(session().with_key(key.clone()));
    assert_eq!((hello.key, hello.token), (Some(key), None));
}

#[test]
fn move_is_applied_optimistically_and_confirmed_with_the_server_time() {
    let mut pair = Pair::established("ttt", Some(Seat::A));
    pair.session.propose(Act::play("b2"), at(1)).unwrap();
    assert_eq!(pair.moves(), 1);
    assert_eq!(pair.session.confirmed().unwrap().game().moves().len(), 0);

    let proposal = pair.session.outgoing(at(1)).unwrap();
    assert_eq!(
        pair.session.outgoing(at(1)),
        None,
        "a proposal is sent once"
    );
    let response = pair.send(proposal);
    assert!(is_own_change(&pair.receive(&response, at(1)).unwrap()));
    // The confirmed move has the server's time, so the digests agree.
    pair.check_in_sync();

    let reply = pair.server.append(Actor::Seat(Seat::B), Act::play("a1"));
    let events = pair.receive(&reply, at(2)).unwrap();
    assert!(matches!(
        &events[..],
        [MatchEvent::Change { own: false, .. }]
    ));
    pair.check_in_sync();
    // A repeated change is ignored.
    assert_eq!(pair.receive(&reply, at(2)), Ok(vec![]));
    pair.check_in_sync();
}

/// Checks that a move is made once if the response is lost with the connection.
/// `by_verdict`: the move is confirmed by a verdict instead of an entry.
#[track_caller]
fn check_lost_response(max_entries: usize, by_verdict: bool) {
    let mut pair = Pair::established("connect4", Some(Seat::A));
    pair.server.max_entries = max_entries;
    pair.session.propose(Act::play("4"), at(1)).unwrap();
    let proposal = pair.session.outgoing(at(1)).unwrap();
    let _lost = pair.send(proposal);
    pair.server.append(Actor::Seat(Seat::B), Act::play("4"));
    pair.session.disconnected();
    assert_eq!(pair.session.outgoing(at(5)), None);
    assert_eq!(pair.moves(), 1, "the move is still pending");

    pair.connect(at(6)).unwrap();
    assert_eq!(pair.session.has_pending(), by_verdict);
    if let Some(again) = pair.session.outgoing(at(6)) {
        let response = pair.send(again);
        assert!(matches!(response, ServerMessage::Duplicate { .. }));
        assert_eq!(pair.receive(&response, at(6)), Ok(vec![]));
    }
    pair.check_in_sync();
    assert_eq!(pair.moves(), 2);
}

#[test]
fn move_with_a_lost_response_is_made_once() {
    check_lost_response(100, false);
    check_lost_response(0, true);
}

#[test]
fn lost_proposal_is_sent_again() {
    let mut pair = Pair::established("ttt", Some(Seat::A));
    pair.session.propose(Act::play("b2"), at(1)).unwrap();
    let first = pair.session.outgoing(at(1)).unwrap();
    // Over the same connection after a delay,
    assert_eq!(pair.session.outgoing(at(10)), None);
    assert_eq!(pair.session.deadline(), Some(at(11)));
    assert_eq!(pair.session.outgoing(at(11)), Some(first.clone()));
    // and over the next one at once.
    pair.session.disconnected();
    pair.connect(at(12)).unwrap();
    let again = pair.session.outgoing(at(12)).unwrap();
    assert_eq!(again, first);
    let response = pair.send(again);
    assert!(is_own_change(&pair.receive(&response, at(12)).unwrap()));
    pair.check_in_sync();
}

#[test]
fn delayed_proposal_is_sent_again_after_the_requested_delay() {
    let mut pair = Pair::established("ttt", Some(Seat::A));
    pair.session.propose(Act::play("b2"), at(1)).unwrap();
    let Some(ClientMessage::Propose { number, .. }) = pair.session.outgoing(at(1)) else {
        panic!("not a proposal");
    };
    let delayed = |retry_ms| ServerMessage::Delayed { number, retry_ms };
    assert_eq!(pair.receive(&delayed(3_000), at(2)), Ok(vec![]));
    assert_eq!(pair.session.outgoing(at(4)), None);
    assert!(pair.session.outgoing(at(5)).is_some());
    // The delay is limited.
    assert_eq!(pair.receive(&delayed(u64::MAX), at(6)), Ok(vec![]));
    let resent_at = (7..=66).find(|&s| {
        matches!(
            pair.session.outgoing(at(s)),
            Some(ClientMessage::Propose { .. })
        )
    });
    assert_eq!(resent_at, Some(66));
}

#[test]
fn overtaken_and_refused_acts_are_rolled_back() {
    let mut pair = Pair::established("ttt", Some(Seat::A));
    pair.session.propose(Act::OfferDraw, at(1)).unwrap();
    let late = pair.session.outgoing(at(1)).unwrap();
    let resigned = pair.server.append(Actor::Seat(Seat::B), Act::Resign);
    let response = pair.send(late);
    assert!(matches!(response, ServerMessage::Overtaken { .. }));
    let events = pair.receive(&resigned, at(1)).unwrap();
    let rolled_back = MatchEvent::RolledBack {
        acts: vec![Act::OfferDraw],
        conflict: None,
    };
    assert_eq!(events[1..], [rolled_back]);
    assert_eq!(
        pair.receive(&response, at(1)),
        Ok(vec![]),
        "the rollback has been reported"
    );
    pair.check_in_sync();

    // The server may refuse what the copy allows.
    pair.session.propose(Act::Rematch, at(2)).unwrap();
    let Some(ClientMessage::Propose { number, .. }) = pair.session.outgoing(at(2)) else {
        panic!("not a proposal");
    };
    let conflict = MatchConflict::NotYours;
    let refused = ServerMessage::Refused {
        number,
        conflict,
        text: conflict.to_string(),
    };
    let rolled_back = MatchEvent::RolledBack {
        acts: vec![Act::Rematch],
        conflict: Some(conflict),
    };
    assert_eq!(pair.receive(&refused, at(2)), Ok(vec![rolled_back]));
    pair.check_in_sync();
}

#[test]
fn impossible_acts_are_not_proposed() {
    let mut pair = Pair::new("ttt", None);
    let play = || Act::play("b2");
    assert_eq!(
        pair.session.propose(play(), at(0)),
        Err(ProposeError::NoState)
    );
    pair.connect(at(0)).unwrap();
    assert_eq!(
        pair.session.propose(play(), at(0)),
        Err(ProposeError::NoSeat)
    );
    let mut pair = Pair::established("ttt", Some(Seat::B));
    let conflict = ProposeError::Conflict(MatchConflict::NotYourTurn);
    assert_eq!(pair.session.propose(play(), at(0)), Err(conflict));
    assert_eq!(pair.session.outgoing(at(0)), None);
}

/// Checks that an inconsistent change ends the connection, and that the next hello
/// repairs the copy.
#[track_caller]
fn check_repaired(inconsistent: impl Fn(&mut MiniServer) -> ServerMessage, keeps_copy: bool) {
    let mut pair = Pair::established("ttt", Some(Seat::B));
    let message = inconsistent(&mut pair.server);
    assert_eq!(
        pair.receive(&message, at(1)),
        Err(SessionError::OutOfSync),
        "{message:?}"
    );
    pair.session.disconnected();
    pair.session.connected(at(2));
    let hello = pair.session.outgoing(at(2)).unwrap();
    let ClientMessage::Hello(Hello { have, .. }) = &hello else {
        panic!("not a hello");
    };
    assert_eq!(have.is_some(), keeps_copy);
    let response = pair.send(hello);
    pair.receive(&response, at(2)).unwrap();
    pair.check_in_sync();
}

#[test]
fn gaps_and_differences_are_repaired() {
    let gap = |server: &mut MiniServer| {
        server.append(Actor::Seat(Seat::A), Act::play("b2"));
        server.append(Actor::Seat(Seat::B), Act::play("a1"))
    };
    check_repaired(gap, true);
    let wrong_digest = |server: &mut MiniServer| {
        let mut message = server.append(Actor::Seat(Seat::A), Act::play("b2"));
        if let ServerMessage::Change(change) = &mut message {
            change.digest = Digest::of(&"something else");
        }
        message
    };
    check_repaired(wrong_digest, false);
    let impossible = |server: &mut MiniServer| {
        let mut message = server.append(Actor::Seat(Seat::A), Act::play("b2"));
        if let ServerMessage::Change(change) = &mut message {
            change.entry.transition.act = Act::play("z9");
        }
        message
    };
    check_repaired(impossible, false);
}

#[test]
fn older_server_state_is_rejected() {
    let mut pair = Pair::established("ttt", Some(Seat::A));
    pair.session.disconnected();
    let change = pair.server.append(Actor::Seat(Seat::A), Act::play("b2"));
    pair.connect(at(1)).unwrap();
    drop(change);
    pair.session.disconnected();
    pair.server = MiniServer::new("ttt");
    let behind = SessionError::Behind {
        server: Sequence::new(2),
        known: Sequence::new(3),
    };
    assert!(!behind.is_fatal());
    assert_eq!(pair.connect(at(2)), Err(behind));
    assert_eq!(pair.moves(), 1, "the confirmed move remains");
}

#[test]
fn idle_connection_is_pinged_and_times_out() {
    let mut pair = Pair::established("ttt", None);
    assert_eq!(pair.session.deadline(), Some(at(20)));
    assert_eq!(pair.session.outgoing(at(19)), None);
    let ping = pair.session.outgoing(at(20)).unwrap();
    assert_eq!(ping, ClientMessage::Ping { number: 1 });
    assert_eq!(pair.session.outgoing(at(20)), None);
    assert!(!pair.session.is_timed_out(at(59)));
    assert!(pair.session.is_timed_out(at(60)));

    let pong = pair.send(ping);
    pair.receive(&pong, at(30)).unwrap();
    assert!(!pair.session.is_timed_out(at(89)));
    assert!(pair.session.is_timed_out(at(90)));
    // The server time advances from the last reading.
    assert_eq!(pair.session.server_time(at(31)), Some(NOW + 3_000));
}

#[test]
fn malformed_messages_end_the_connection() {
    let mut pair = Pair::new("ttt", None);
    pair.session.connected(at(0));
    pair.session.outgoing(at(0)).unwrap();
    for text in [
        "",
        "{}",
        "[]",
        r#"{"type":"welcome"}"#,
        r#"{"type":"presence","seats":[true,false],"watchers":3}"#,
        r#"{"type":"pong","number":1,"now":-1}"#,
    ] {
        let error = pair.session.received(text, at(1)).unwrap_err();
        assert!(matches!(error, SessionError::BadMessage(_)), "{text}");
        assert!(error.is_fatal());
    }
    for (code, is_fatal) in [
        (ErrorCode::BadToken, true),
        (ErrorCode::NoSuchMatch, true),
        (ErrorCode::ShuttingDown, false),
        (ErrorCode::TooSlow, false),
    ] {
        let text = "for some reason".to_owned();
        let error = pair.receive(&ServerMessage::Error(ErrorReport { code, text }), at(1));
        assert_eq!(error.unwrap_err().is_fatal(), is_fatal);
    }
}

#[test]
fn unexpected_welcome_is_rejected() {
    let mut pair = Pair::new("ttt", None);
    let welcome = |pair: &mut Pair| {
        pair.session.connected(at(0));
        let hello = pair.session.outgoing(at(0)).unwrap();
        pair.send(hello)
    };
    let mut response = welcome(&mut pair);
    if let ServerMessage::Welcome(Welcome { protocol, .. }) = &mut response {
        *protocol = 2;
    }
    assert_eq!(
        pair.receive(&response, at(0)),
        Err(SessionError::BadVersion(2))
    );

    let mut response = welcome(&mut pair);
    let other: open_ttt_net::MatchId = "table2".parse().unwrap();
    if let ServerMessage::Welcome(Welcome { id, .. }) = &mut response {
        id.clone_from(&other);
    }
    assert_eq!(
        pair.receive(&response, at(0)),
        Err(SessionError::OtherMatch(other))
    );

    let mut response = welcome(&mut pair);
    if let ServerMessage::Welcome(Welcome { digest, .. }) = &mut response {
        *digest = Digest::of(&"something else");
    }
    assert!(matches!(
        pair.receive(&response, at(0)),
        Err(SessionError::BadMessage(_))
    ));
    assert_eq!(pair.session.optimistic(), None);
}
