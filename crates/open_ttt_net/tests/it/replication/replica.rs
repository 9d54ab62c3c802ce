use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::FromName;
use open_ttt_lib::state_machine::{GameConflict, GameMove, StateMachine};
use open_ttt_net::matches::{Act, Actor, MatchMachine, Player, Seat, Settings, Transition};
use open_ttt_net::replication::{
    Digest, LogEntry, ProposalVerdict, Replica, ReplicaUpdate, Rollback,
};

use super::{Machine, after, at, entry, id, proposal};

/// Ann's replica with these moves proposed.
fn ann(moves: &[&str]) -> Replica<Machine> {
    let mut replica = Replica::new(id("ann"), after(&[]));
    for m in moves {
        replica.propose((*m).into()).unwrap();
    }
    replica
}

fn rolled_back<C>(moves: &[&str], conflict: Option<C>) -> ReplicaUpdate<GameMove, C> {
    ReplicaUpdate::RolledBack(Rollback {
        transitions: moves.iter().map(|m| GameMove::from(*m)).collect(),
        conflict,
    })
}

#[track_caller]
fn check(replica: &Replica<Machine>, confirmed: &[&str], optimistic: &[&str]) {
    assert_eq!(*replica.confirmed(), after(confirmed));
    assert_eq!(*replica.optimistic(), after(optimistic));
    assert_eq!(replica.sequence(), at(confirmed.len() as u64));
}

#[test]
fn proposals_are_applied_optimistically() {
    let replica = ann(&["b2", "a1"]);
    check(&replica, &[], &["b2", "a1"]);
    assert!(replica.has_pending());
    assert_eq!(replica.outgoing(), Some(proposal(1, 0, "b2")));
}

#[test]
fn impossible_transition_is_not_proposed() {
    let mut replica = ann(&[]);
    assert_eq!(replica.propose("d4".into()), Err(GameConflict::NotAMove));
    assert!(!replica.has_pending());
    assert_eq!(replica.outgoing(), None);
    check(&replica, &[], &[]);
}

#[test]
fn proposals_are_sent_one_at_a_time() {
    let mut replica = ann(&["b2", "a1"]);
    let digest = Digest::of(&after(&["b2"]));
    let update = replica.receive_entry(at(1), &entry("ann", 1, "b2"), Some(digest));
    assert_eq!(update, ReplicaUpdate::Confirmed);
    check(&replica, &["b2"], &["b2", "a1"]);
    assert_eq!(replica.outgoing(), Some(proposal(2, 1, "a1")));
    let update = replica.receive_entry(at(2), &entry("ann", 2, "a1"), None);
    assert_eq!(update, ReplicaUpdate::Confirmed);
    check(&replica, &["b2", "a1"], &["b2", "a1"]);
    assert!(!replica.has_pending());
}

#[test]
fn replica_without_proposals_advances() {
    let mut replica = ann(&[]);
    let update = replica.receive_entry(at(1), &entry("bob", 1, "c3"), None);
    assert_eq!(update, ReplicaUpdate::Advanced);
    check(&replica, &["c3"], &["c3"]);
}

#[test]
fn overtaken_proposal_is_rolled_back_with_those_built_on_it() {
    let mut replica = ann(&["b2", "a1"]);
    let update = replica.receive_entry(at(1), &entry("bob", 1, "b2"), None);
    assert_eq!(update, rolled_back(&["b2", "a1"], None));
    check(&replica, &["b2"], &["b2"]);
    assert!(!replica.has_pending());
    // The later verdict has no effect.
    let update = replica.receive_verdict(1, ProposalVerdict::Overtaken(at(1)));
    assert_eq!(update, ReplicaUpdate::Unchanged);
}

#[test]
fn verdict_may_arrive_before_the_overtaking_entry() {
    let mut replica = ann(&["b2", "a1"]);
    let update = replica.receive_verdict(1, ProposalVerdict::Overtaken(at(1)));
    assert_eq!(update, rolled_back(&["b2", "a1"], None));
    check(&replica, &[], &[]);
}

#[test]
fn refused_proposal_is_rolled_back_with_the_conflict() {
    let mut replica = ann(&["b2", "a1"]);
    let update = replica.receive_verdict(1, ProposalVerdict::Refused(GameConflict::Occupied));
    assert_eq!(
        update,
        rolled_back(&["b2", "a1"], Some(GameConflict::Occupied))
    );
    check(&replica, &[], &[]);
    // Numbers are not reused.
    replica.propose("c3".into()).unwrap();
    assert_eq!(replica.outgoing(), Some(proposal(3, 0, "c3")));
}

#[test]
fn verdict_on_another_proposal_is_ignored() {
    let mut replica = ann(&["b2", "a1"]);
    for number in [0, 2, 3] {
        let update = replica.receive_verdict(number, ProposalVerdict::Overtaken(at(9)));
        assert_eq!(update, ReplicaUpdate::Unchanged);
    }
    check(&replica, &[], &["b2", "a1"]);
}

#[test]
fn accepted_proposal_is_confirmed_by_its_entry() {
    let mut replica = ann(&["b2"]);
    let update = replica.receive_verdict(1, ProposalVerdict::Accepted(at(1)));
    assert_eq!(update, ReplicaUpdate::OutOfSync);
    check(&replica, &[], &["b2"]);
    let update = replica.receive_entry(at(1), &entry("ann", 1, "b2"), None);
    assert_eq!(update, ReplicaUpdate::Confirmed);
    let update = replica.receive_verdict(1, ProposalVerdict::Accepted(at(1)));
    assert_eq!(update, ReplicaUpdate::Unchanged);
}

#[test]
fn own_number_from_another_client_is_not_own() {
    let mut replica = ann(&["b2"]);
    let update = replica.receive_entry(at(1), &entry("bob", 1, "b2"), None);
    assert_eq!(update, rolled_back(&["b2"], None));
}

#[test]
fn gap_is_detected_and_filled() {
    let mut replica = ann(&["b2"]);
    let update = replica.receive_entry(at(2), &entry("bob", 1, "a1"), None);
    assert_eq!(update, ReplicaUpdate::OutOfSync);
    check(&replica, &[], &["b2"]);
    assert_eq!(replica.sync_point(), Some((at(0), Digest::of(&after(&[])))));
    replica.receive_entry(at(1), &entry("ann", 1, "b2"), None);
    replica.receive_entry(at(2), &entry("bob", 1, "a1"), None);
    check(&replica, &["b2", "a1"], &["b2", "a1"]);
}

#[test]
fn repeated_entry_is_applied_once() {
    let mut replica = ann(&[]);
    let entries = [entry("bob", 1, "b2"), entry("bob", 2, "a1")];
    for (index, is_new) in [(0, true), (0, false), (1, true), (0, false), (1, false)] {
        let expected = if is_new {
            ReplicaUpdate::Advanced
        } else {
            ReplicaUpdate::Unchanged
        };
        let update = replica.receive_entry(at(index as u64 + 1), &entries[index], None);
        assert_eq!(update, expected);
    }
    check(&replica, &["b2", "a1"], &["b2", "a1"]);
}

#[test]
fn wrong_copy_is_detected_and_replaced() {
    let mut replica = Replica::resume(id("ann"), at(1), after(&["c3"]));
    let digest = Digest::of(&after(&["b2", "a1"]));
    let update = replica.receive_entry(at(2), &entry("bob", 1, "a1"), Some(digest));
    assert_eq!(update, ReplicaUpdate::OutOfSync);
    assert_eq!(replica.sync_point(), None);
    // Only a snapshot helps now, even one older than the copy.
    let update = replica.receive_entry(at(2), &entry("bob", 1, "a1"), None);
    assert_eq!(update, ReplicaUpdate::OutOfSync);
    check(&replica, &["c3"], &["c3"]);
    let update = replica.receive_snapshot(at(0), after(&[]));
    assert_eq!(update, ReplicaUpdate::Advanced);
    check(&replica, &[], &[]);
    assert_eq!(replica.sync_point(), Some((at(0), Digest::of(&after(&[])))));
}

#[test]
fn impossible_entry_marks_the_copy_as_wrong() {
    let mut replica = Replica::resume(id("ann"), at(1), after(&["b2"]));
    let update = replica.receive_entry(at(2), &entry("bob", 1, "b2"), None);
    assert_eq!(update, ReplicaUpdate::OutOfSync);
    assert_eq!(replica.sync_point(), None);
}

#[test]
fn contradicting_verdict_marks_the_copy_as_wrong() {
    let mut replica = Replica::resume(id("ann"), at(3), after(&["b2", "a1", "c3"]));
    replica.propose("c1".into()).unwrap();
    // The proposal's base is 3, so it cannot be entry 2.
    let update = replica.receive_verdict(1, ProposalVerdict::Duplicate(at(2)));
    assert_eq!(update, ReplicaUpdate::OutOfSync);
    assert_eq!(replica.sync_point(), None);
}

#[test]
fn older_snapshot_is_ignored() {
    let mut replica = Replica::resume(id("ann"), at(2), after(&["b2", "a1"]));
    replica.propose("c3".into()).unwrap();
    for moves in [&[][..], &["b2"], &["b2", "a1"]] {
        let update = replica.receive_snapshot(at(moves.len() as u64), after(moves));
        assert_eq!(update, ReplicaUpdate::Unchanged);
    }
    check(&replica, &["b2", "a1"], &["b2", "a1", "c3"]);
    // Unless the log was reset.
    replica.mark_diverged();
    replica.receive_snapshot(at(1), after(&["b2"]));
    check(&replica, &["b2"], &["b2"]);
}

#[test]
fn different_state_with_the_same_number_replaces_the_copy() {
    let mut replica = Replica::resume(id("ann"), at(1), after(&["b2"]));
    let update = replica.receive_snapshot(at(1), after(&["c3"]));
    assert_eq!(update, ReplicaUpdate::Advanced);
    check(&replica, &["c3"], &["c3"]);
}

/// Ann's replica, which received a snapshot after proposing `b2` and `a1`.
fn in_doubt() -> Replica<Machine> {
    let mut replica = ann(&["b2", "a1"]);
    let update = replica.receive_snapshot(at(2), after(&["b2", "c3"]));
    assert_eq!(update, rolled_back(&["a1"], None));
    check(&replica, &["b2", "c3"], &["b2", "c3"]);
    assert!(replica.has_pending());
    replica
}

#[test]
fn proposal_is_in_doubt_after_a_snapshot() {
    // It is sent again unchanged, with its old base.
    let mut replica = in_doubt();
    assert_eq!(replica.outgoing(), Some(proposal(1, 0, "b2")));
    let update = replica.receive_verdict(1, ProposalVerdict::Duplicate(at(1)));
    assert_eq!(update, ReplicaUpdate::Confirmed);
    assert_eq!(replica.outgoing(), None);

    let update = in_doubt().receive_verdict(1, ProposalVerdict::Overtaken(at(2)));
    assert_eq!(update, rolled_back(&["b2"], None));
    let update = in_doubt().receive_verdict(1, ProposalVerdict::Refused(GameConflict::Occupied));
    assert_eq!(update, rolled_back(&["b2"], Some(GameConflict::Occupied)));
}

#[test]
fn proposal_in_doubt_does_not_block_new_ones() {
    let mut replica = in_doubt();
    replica.propose("a3".into()).unwrap();
    check(&replica, &["b2", "c3"], &["b2", "c3", "a3"]);
    assert_eq!(replica.outgoing(), Some(proposal(1, 0, "b2")));
    replica.receive_verdict(1, ProposalVerdict::Overtaken(at(2)));
    check(&replica, &["b2", "c3"], &["b2", "c3", "a3"]);
    assert_eq!(replica.outgoing(), Some(proposal(3, 2, "a3")));
}

#[test]
fn second_snapshot_keeps_the_proposal_in_doubt() {
    let mut replica = in_doubt();
    replica.propose("a3".into()).unwrap();
    let update = replica.receive_snapshot(at(3), after(&["b2", "c3", "c1"]));
    assert_eq!(update, rolled_back(&["a3"], None));
    assert_eq!(replica.outgoing(), Some(proposal(1, 0, "b2")));
}

#[test]
fn proposal_in_doubt_is_confirmed_once_its_entry_arrives() {
    // A snapshot replaces a wrong copy by the state before the proposal.
    let mut replica = Replica::resume(id("ann"), at(1), after(&["c3"]));
    replica.propose("a1".into()).unwrap();
    replica.receive_snapshot(at(1), after(&["b2"]));
    let update = replica.receive_verdict(1, ProposalVerdict::Accepted(at(2)));
    assert_eq!(update, ReplicaUpdate::OutOfSync);
    assert_eq!(replica.outgoing(), Some(proposal(1, 1, "a1")));
    replica.receive_entry(at(2), &entry("ann", 1, "a1"), None);
    let update = replica.receive_verdict(1, ProposalVerdict::Duplicate(at(2)));
    assert_eq!(update, ReplicaUpdate::Confirmed);
    check(&replica, &["b2", "a1"], &["b2", "a1"]);
}

fn act(at: u64, by: Actor, act: Act) -> Transition {
    Transition { at, by, act }
}

fn join(seat: Seat) -> Transition {
    let player = Player::person("Ann");
    act(1000, Actor::Server, Act::Join { seat, player })
}

/// A match that has begun, with the number 2.
fn begun() -> MatchMachine<TicTacToe> {
    let state = MatchMachine::new(Settings::of_game("ttt"), TicTacToe::from_name).unwrap();
    let join = |state: MatchMachine<_>, seat| state.apply(&join(seat)).unwrap();
    Seat::ALL.into_iter().fold(state, join)
}

#[test]
fn own_id_and_number_of_another_author_are_not_own() {
    let mut replica = Replica::resume(id("ann"), at(2), begun());
    let resigns = |seat| act(2000, Actor::Seat(seat), Act::Resign);
    replica.propose(resigns(Seat::A)).unwrap();
    let stolen = |seat| LogEntry {
        client: id("ann"),
        number: 1,
        transition: resigns(seat),
    };
    let update = replica.clone().receive_entry(at(3), &stolen(Seat::B), None);
    let rolled_back = ReplicaUpdate::RolledBack(Rollback {
        transitions: vec![resigns(Seat::A)],
        conflict: None,
    });
    assert_eq!(update, rolled_back);
    let update = replica.receive_entry(at(3), &stolen(Seat::A), None);
    assert_eq!(update, ReplicaUpdate::Confirmed);
}

#[test]
fn amended_transition_replaces_the_proposed_one() {
    let state = begun();
    let by = Actor::Seat(state.to_move().unwrap());
    let mut replica = Replica::resume(id("ann"), at(2), state);
    // Both with the times of Ann's clock, which is slow.
    replica.propose(act(2000, by, Act::play("b2"))).unwrap();
    replica.propose(act(2500, by, Act::OfferDraw)).unwrap();
    let amended = LogEntry {
        client: id("ann"),
        number: 1,
        transition: act(2400, by, Act::play("b2")),
    };
    assert_eq!(
        replica.receive_entry(at(3), &amended, None),
        ReplicaUpdate::Confirmed
    );
    assert_eq!(replica.confirmed().at(), 2400);
    assert_eq!(replica.optimistic().at(), 2500);
    assert!(replica.optimistic().draw_offer().is_some());

    // A proposal that is no longer possible is not applied, but still sent.
    replica.propose(act(2600, by, Act::Resign)).unwrap();
    let amended = LogEntry {
        client: id("ann"),
        number: 2,
        transition: act(9000, by, Act::OfferDraw),
    };
    assert_eq!(
        replica.receive_entry(at(4), &amended, None),
        ReplicaUpdate::Confirmed
    );
    assert_eq!(replica.optimistic(), replica.confirmed());
    assert_eq!(replica.outgoing().map(|own| own.number), Some(3));
}
