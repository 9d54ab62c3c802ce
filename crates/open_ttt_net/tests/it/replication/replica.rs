use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::state_machine::{GameConflict, GameMove};
use open_ttt_net::matches::{Act, Actor, MatchMachine, Player, Seat, Settings, Transition};
use open_ttt_net::replication::{
    Digest, LogEntry, ProposalVerdict, Replica, ReplicaUpdate, Rollback,
};

use super::{Machine, after, at, entry, id, proposal};

/// Ann's copy, who has proposed these moves.
fn ann(moves: &[&str]) -> Replica<Machine> {
    let mut replica = Replica::new(id("ann"), after(&[]));
    for m in moves {
        replica.propose((*m).into()).unwrap();
    }
    replica
}

fn taken_back<C>(moves: &[&str], conflict: Option<C>) -> ReplicaUpdate<GameMove, C> {
    ReplicaUpdate::RolledBack(Rollback {
        transitions: moves.iter().map(|m| GameMove::from(*m)).collect(),
        conflict,
    })
}

#[track_caller]
fn check(replica: &Replica<Machine>, confirmed: &[&str], shown: &[&str]) {
    assert_eq!(*replica.confirmed(), after(confirmed));
    assert_eq!(*replica.optimistic(), after(shown));
    assert_eq!(replica.sequence(), at(confirmed.len() as u64));
}

#[test]
fn what_is_proposed_is_shown_at_once() {
    let replica = ann(&["b2", "a1"]);
    check(&replica, &[], &["b2", "a1"]);
    assert!(replica.has_pending());
    assert_eq!(replica.outgoing(), Some(proposal(1, 0, "b2")));
}

#[test]
fn what_is_not_possible_is_not_proposed() {
    let mut replica = ann(&[]);
    assert_eq!(replica.propose("d4".into()), Err(GameConflict::NotAMove));
    assert!(!replica.has_pending());
    assert_eq!(replica.outgoing(), None);
    check(&replica, &[], &[]);
}

#[test]
fn proposals_are_sent_one_after_the_other() {
    let mut replica = ann(&["b2", "a1"]);
    let sum = Digest::of(&after(&["b2"]));
    let heard = replica.receive_entry(at(1), &entry("ann", 1, "b2"), Some(sum));
    assert_eq!(heard, ReplicaUpdate::Confirmed);
    check(&replica, &["b2"], &["b2", "a1"]);
    assert_eq!(replica.outgoing(), Some(proposal(2, 1, "a1")));
    let heard = replica.receive_entry(at(2), &entry("ann", 2, "a1"), None);
    assert_eq!(heard, ReplicaUpdate::Confirmed);
    check(&replica, &["b2", "a1"], &["b2", "a1"]);
    assert!(!replica.has_pending());
}

#[test]
fn who_waits_for_nothing_follows() {
    let mut replica = ann(&[]);
    let heard = replica.receive_entry(at(1), &entry("bob", 1, "c3"), None);
    assert_eq!(heard, ReplicaUpdate::Advanced);
    check(&replica, &["c3"], &["c3"]);
}

#[test]
fn what_was_overtaken_is_taken_back_with_all_built_on_it() {
    let mut replica = ann(&["b2", "a1"]);
    let heard = replica.receive_entry(at(1), &entry("bob", 1, "b2"), None);
    assert_eq!(heard, taken_back(&["b2", "a1"], None));
    check(&replica, &["b2"], &["b2"]);
    assert!(!replica.has_pending());
    // The verdict comes later, and is about what no longer matters.
    let heard = replica.receive_verdict(1, ProposalVerdict::Overtaken(at(1)));
    assert_eq!(heard, ReplicaUpdate::Unchanged);
}

#[test]
fn a_verdict_may_say_so_before_the_entry() {
    let mut replica = ann(&["b2", "a1"]);
    let heard = replica.receive_verdict(1, ProposalVerdict::Overtaken(at(1)));
    assert_eq!(heard, taken_back(&["b2", "a1"], None));
    check(&replica, &[], &[]);
}

#[test]
fn what_was_refused_is_taken_back_with_the_reason() {
    let mut replica = ann(&["b2", "a1"]);
    let heard = replica.receive_verdict(1, ProposalVerdict::Refused(GameConflict::Occupied));
    assert_eq!(
        heard,
        taken_back(&["b2", "a1"], Some(GameConflict::Occupied))
    );
    check(&replica, &[], &[]);
    // Numbers are not used again.
    replica.propose("c3".into()).unwrap();
    assert_eq!(replica.outgoing(), Some(proposal(3, 0, "c3")));
}

#[test]
fn an_answer_to_another_proposal_says_nothing() {
    let mut replica = ann(&["b2", "a1"]);
    for number in [0, 2, 3] {
        let heard = replica.receive_verdict(number, ProposalVerdict::Overtaken(at(9)));
        assert_eq!(heard, ReplicaUpdate::Unchanged);
    }
    check(&replica, &[], &["b2", "a1"]);
}

#[test]
fn an_accepted_proposal_is_confirmed_by_its_entry() {
    let mut replica = ann(&["b2"]);
    let heard = replica.receive_verdict(1, ProposalVerdict::Accepted(at(1)));
    assert_eq!(heard, ReplicaUpdate::OutOfSync);
    check(&replica, &[], &["b2"]);
    let heard = replica.receive_entry(at(1), &entry("ann", 1, "b2"), None);
    assert_eq!(heard, ReplicaUpdate::Confirmed);
    let heard = replica.receive_verdict(1, ProposalVerdict::Accepted(at(1)));
    assert_eq!(heard, ReplicaUpdate::Unchanged);
}

#[test]
fn ones_own_number_from_somebody_else_is_somebody_elses() {
    let mut replica = ann(&["b2"]);
    let heard = replica.receive_entry(at(1), &entry("bob", 1, "b2"), None);
    assert_eq!(heard, taken_back(&["b2"], None));
}

#[test]
fn a_gap_is_noticed_and_filled() {
    let mut replica = ann(&["b2"]);
    let heard = replica.receive_entry(at(2), &entry("bob", 1, "a1"), None);
    assert_eq!(heard, ReplicaUpdate::OutOfSync);
    check(&replica, &[], &["b2"]);
    assert_eq!(replica.sync_point(), Some((at(0), Digest::of(&after(&[])))));
    replica.receive_entry(at(1), &entry("ann", 1, "b2"), None);
    replica.receive_entry(at(2), &entry("bob", 1, "a1"), None);
    check(&replica, &["b2", "a1"], &["b2", "a1"]);
}

#[test]
fn what_is_heard_twice_happens_once() {
    let mut replica = ann(&[]);
    let entries = [entry("bob", 1, "b2"), entry("bob", 2, "a1")];
    for (index, is_new) in [(0, true), (0, false), (1, true), (0, false), (1, false)] {
        let expected = if is_new {
            ReplicaUpdate::Advanced
        } else {
            ReplicaUpdate::Unchanged
        };
        let heard = replica.receive_entry(at(index as u64 + 1), &entries[index], None);
        assert_eq!(heard, expected);
    }
    check(&replica, &["b2", "a1"], &["b2", "a1"]);
}

#[test]
fn a_wrong_copy_is_found_and_replaced() {
    let mut replica = Replica::resume(id("ann"), at(1), after(&["c3"]));
    let sum = Digest::of(&after(&["b2", "a1"]));
    let heard = replica.receive_entry(at(2), &entry("bob", 1, "a1"), Some(sum));
    assert_eq!(heard, ReplicaUpdate::OutOfSync);
    assert_eq!(replica.sync_point(), None);
    // From here on nothing but a snapshot helps, be it older than the copy.
    let heard = replica.receive_entry(at(2), &entry("bob", 1, "a1"), None);
    assert_eq!(heard, ReplicaUpdate::OutOfSync);
    check(&replica, &["c3"], &["c3"]);
    let heard = replica.receive_snapshot(at(0), after(&[]));
    assert_eq!(heard, ReplicaUpdate::Advanced);
    check(&replica, &[], &[]);
    assert_eq!(replica.sync_point(), Some((at(0), Digest::of(&after(&[])))));
}

#[test]
fn an_entry_that_is_not_possible_shows_a_wrong_copy() {
    let mut replica = Replica::resume(id("ann"), at(1), after(&["b2"]));
    let heard = replica.receive_entry(at(2), &entry("bob", 1, "b2"), None);
    assert_eq!(heard, ReplicaUpdate::OutOfSync);
    assert_eq!(replica.sync_point(), None);
}

#[test]
fn a_verdict_that_contradicts_the_copy_shows_a_wrong_one() {
    let mut replica = Replica::resume(id("ann"), at(3), after(&["b2", "a1", "c3"]));
    replica.propose("c1".into()).unwrap();
    // Its base is 3, so it cannot be entry 2.
    let heard = replica.receive_verdict(1, ProposalVerdict::Duplicate(at(2)));
    assert_eq!(heard, ReplicaUpdate::OutOfSync);
    assert_eq!(replica.sync_point(), None);
}

#[test]
fn an_older_snapshot_is_thrown_away() {
    let mut replica = Replica::resume(id("ann"), at(2), after(&["b2", "a1"]));
    replica.propose("c3".into()).unwrap();
    for moves in [&[][..], &["b2"], &["b2", "a1"]] {
        let heard = replica.receive_snapshot(at(moves.len() as u64), after(moves));
        assert_eq!(heard, ReplicaUpdate::Unchanged);
    }
    check(&replica, &["b2", "a1"], &["b2", "a1", "c3"]);
    // Unless the log was set back.
    replica.mark_diverged();
    replica.receive_snapshot(at(1), after(&["b2"]));
    check(&replica, &["b2"], &["b2"]);
}

#[test]
fn another_state_of_the_same_number_replaces_the_copy() {
    let mut replica = Replica::resume(id("ann"), at(1), after(&["b2"]));
    let heard = replica.receive_snapshot(at(1), after(&["c3"]));
    assert_eq!(heard, ReplicaUpdate::Advanced);
    check(&replica, &["c3"], &["c3"]);
}

/// Ann's copy, who proposed `b2` and `a1` and was then given a snapshot.
fn in_doubt() -> Replica<Machine> {
    let mut replica = ann(&["b2", "a1"]);
    let heard = replica.receive_snapshot(at(2), after(&["b2", "c3"]));
    assert_eq!(heard, taken_back(&["a1"], None));
    check(&replica, &["b2", "c3"], &["b2", "c3"]);
    assert!(replica.has_pending());
    replica
}

#[test]
fn behind_a_snapshot_a_proposal_is_in_doubt() {
    // It is sent as it was, for the state that it was made for.
    let mut replica = in_doubt();
    assert_eq!(replica.outgoing(), Some(proposal(1, 0, "b2")));
    let heard = replica.receive_verdict(1, ProposalVerdict::Duplicate(at(1)));
    assert_eq!(heard, ReplicaUpdate::Confirmed);
    assert_eq!(replica.outgoing(), None);

    let heard = in_doubt().receive_verdict(1, ProposalVerdict::Overtaken(at(2)));
    assert_eq!(heard, taken_back(&["b2"], None));
    let heard = in_doubt().receive_verdict(1, ProposalVerdict::Refused(GameConflict::Occupied));
    assert_eq!(heard, taken_back(&["b2"], Some(GameConflict::Occupied)));
}

#[test]
fn what_is_in_doubt_does_not_stand_in_the_way() {
    let mut replica = in_doubt();
    replica.propose("a3".into()).unwrap();
    check(&replica, &["b2", "c3"], &["b2", "c3", "a3"]);
    assert_eq!(replica.outgoing(), Some(proposal(1, 0, "b2")));
    replica.receive_verdict(1, ProposalVerdict::Overtaken(at(2)));
    check(&replica, &["b2", "c3"], &["b2", "c3", "a3"]);
    assert_eq!(replica.outgoing(), Some(proposal(3, 2, "a3")));
}

#[test]
fn a_second_snapshot_leaves_the_doubt_as_it_is() {
    let mut replica = in_doubt();
    replica.propose("a3".into()).unwrap();
    let heard = replica.receive_snapshot(at(3), after(&["b2", "c3", "c1"]));
    assert_eq!(heard, taken_back(&["a3"], None));
    assert_eq!(replica.outgoing(), Some(proposal(1, 0, "b2")));
}

#[test]
fn what_was_in_doubt_is_confirmed_when_it_is_part_of_the_copy() {
    // A copy was wrong, and replaced by the state before the proposal.
    let mut replica = Replica::resume(id("ann"), at(1), after(&["c3"]));
    replica.propose("a1".into()).unwrap();
    replica.receive_snapshot(at(1), after(&["b2"]));
    let heard = replica.receive_verdict(1, ProposalVerdict::Accepted(at(2)));
    assert_eq!(heard, ReplicaUpdate::OutOfSync);
    assert_eq!(replica.outgoing(), Some(proposal(1, 1, "a1")));
    replica.receive_entry(at(2), &entry("ann", 1, "a1"), None);
    let heard = replica.receive_verdict(1, ProposalVerdict::Duplicate(at(2)));
    assert_eq!(heard, ReplicaUpdate::Confirmed);
    check(&replica, &["b2", "a1"], &["b2", "a1"]);
}

fn act(at: u64, by: Actor, act: Act) -> Transition {
    Transition { at, by, act }
}

fn join(seat: Seat) -> Transition {
    let player = Player::person("Ann");
    act(1000, Actor::Server, Act::Join { seat, player })
}

#[test]
fn what_was_amended_counts_as_it_stands_in_the_log() {
    let mut table = MatchMachine::<TicTacToe>::new(Settings::of_game("ttt")).unwrap();
    for seat in [Seat::A, Seat::B] {
        table = open_ttt_lib::state_machine::StateMachine::apply(&table, &join(seat)).unwrap();
    }
    let by = Actor::Seat(table.to_move().unwrap());
    let mut replica = Replica::resume(id("ann"), at(2), table);
    // Both by her own clock, which is slow.
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

    // What does not fit behind it is no longer shown, and is sent all the same.
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
