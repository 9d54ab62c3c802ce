use open_ttt_lib::state_machine::{GameConflict, GameMove};
use open_ttt_net::replication::{
    CatchUp, Decision, Digest, LogEntry, Proposal, ProposalVerdict, Sequence, Sequencer,
};

use super::{Machine, after, at, entry, id, proposal};

/// A sequencer behind `b2` by Ann and `a1` by Bob.
fn two_moves() -> Sequencer<Machine> {
    let mut sequencer = Sequencer::new(after(&[]));
    for entry in [entry("ann", 1, "b2"), entry("bob", 1, "a1")] {
        sequencer.replay(entry).unwrap();
    }
    sequencer
}

#[track_caller]
fn check(
    client: &str,
    proposal: &Proposal<GameMove>,
    expected: Option<&ProposalVerdict<GameConflict>>,
) {
    let judgement = two_moves().decide(&id(client), proposal);
    assert_eq!(judgement.verdict(), expected);
}

#[test]
fn a_proposal_becomes_the_entry_behind_its_base() {
    let mut sequencer = two_moves();
    let Decision::Append(draft) = sequencer.decide(&id("ann"), &proposal(2, 2, "c3")) else {
        panic!("it is possible");
    };
    assert_eq!(draft.base(), at(2));
    assert_eq!(*draft.entry(), entry("ann", 2, "c3"));
    assert_eq!(*draft.next(), after(&["b2", "a1", "c3"]));
    // Before it is stored nothing has happened.
    assert_eq!(sequencer, two_moves());

    assert_eq!(sequencer.commit(draft), at(3));
    assert_eq!(*sequencer.state(), after(&["b2", "a1", "c3"]));
    assert_eq!(*sequencer.start(), after(&[]));
    assert_eq!(sequencer.digest(), Digest::of(sequencer.state()));
    let behind = [entry("bob", 1, "a1"), entry("ann", 2, "c3")];
    assert_eq!(sequencer.entries_after(at(1)), Some(&behind[..]));
}

#[test]
fn a_proposal_that_is_known_is_a_duplicate() {
    check(
        "ann",
        &proposal(1, 0, "b2"),
        Some(&ProposalVerdict::Duplicate(at(1))),
    );
    check(
        "bob",
        &proposal(1, 1, "a1"),
        Some(&ProposalVerdict::Duplicate(at(2))),
    );
}

#[test]
fn a_duplicate_is_known_by_its_number_though_it_was_amended() {
    check(
        "ann",
        &proposal(1, 0, "c1"),
        Some(&ProposalVerdict::Duplicate(at(1))),
    );
}

#[test]
fn a_proposal_for_an_older_state_is_overtaken() {
    // The same number of somebody else, another number, the same at another
    // place: none of them is a duplicate.
    check(
        "cid",
        &proposal(1, 0, "b2"),
        Some(&ProposalVerdict::Overtaken(at(2))),
    );
    check(
        "ann",
        &proposal(2, 0, "b2"),
        Some(&ProposalVerdict::Overtaken(at(2))),
    );
    check(
        "ann",
        &proposal(1, 1, "b2"),
        Some(&ProposalVerdict::Overtaken(at(2))),
    );
}

#[test]
fn what_the_machine_does_not_do_is_refused() {
    let occupied = ProposalVerdict::Refused(GameConflict::Occupied);
    check("ann", &proposal(2, 2, "b2"), Some(&occupied));
    let no_move = ProposalVerdict::Refused(GameConflict::NotAMove);
    check("ann", &proposal(2, 2, "d4"), Some(&no_move));
}

#[test]
fn who_is_behind_the_log_does_not_judge() {
    let proposal = proposal(2, 3, "c3");
    let mut sequencer = two_moves();
    let judgement = sequencer.decide(&id("ann"), &proposal);
    assert_eq!(judgement, Decision::Behind);
    assert_eq!(judgement.verdict(), None);

    // It was stored by way of another node.
    sequencer.replay(entry("bob", 2, "c1")).unwrap();
    sequencer.replay(entry("ann", 2, "c3")).unwrap();
    let judgement = sequencer.decide(&id("ann"), &proposal);
    assert_eq!(
        judgement.verdict(),
        Some(&ProposalVerdict::Duplicate(at(4)))
    );
}

#[test]
#[should_panic(expected = "a draft for another state")]
fn a_draft_for_another_state_is_not_committed() {
    let mut sequencer = two_moves();
    let Decision::Append(draft) = sequencer.decide(&id("ann"), &proposal(2, 2, "c3")) else {
        panic!("it is possible");
    };
    sequencer.replay(entry("bob", 2, "c3")).unwrap();
    sequencer.commit(draft);
}

#[test]
fn an_impossible_entry_is_not_followed() {
    let mut sequencer = two_moves();
    let followed = sequencer.replay(entry("ann", 2, "a1"));
    assert_eq!(followed, Err(GameConflict::Occupied));
    assert_eq!(sequencer, two_moves());
}

#[test]
fn the_future_has_no_entries() {
    assert_eq!(two_moves().entries_after(at(2)), Some(&[][..]));
    assert_eq!(two_moves().entries_after(at(3)), None);
    assert_eq!(two_moves().entries_after(at(u64::MAX)), None);
}

#[track_caller]
fn check_catch_up(
    has: Option<(Sequence, Digest)>,
    most: usize,
    expected: Option<&[LogEntry<GameMove>]>,
) {
    let sequencer = two_moves();
    let state = after(&["b2", "a1"]);
    let expected = expected.map_or(CatchUp::Snapshot(&state), CatchUp::Entries);
    assert_eq!(sequencer.catch_up(has, most), expected);
}

#[test]
fn who_fell_behind_is_given_what_they_missed() {
    let missed = [entry("ann", 1, "b2"), entry("bob", 1, "a1")];
    let sum = |moves: &[&str]| (at(moves.len() as u64), Digest::of(&after(moves)));
    check_catch_up(Some(sum(&[])), 2, Some(&missed));
    check_catch_up(Some(sum(&["b2"])), 2, Some(&missed[1..]));
    check_catch_up(Some(sum(&["b2", "a1"])), 0, Some(&[]));
}

#[test]
fn who_needs_the_whole_state_is_given_it() {
    let sum = |moves: &[&str]| (at(moves.len() as u64), Digest::of(&after(moves)));
    // Nothing, or nothing right.
    check_catch_up(None, 2, None);
    check_catch_up(Some(sum(&["b2", "c1"])), 2, None);
    // Too much was missed.
    check_catch_up(Some(sum(&[])), 1, None);
    // From another history.
    check_catch_up(Some(sum(&["b2", "a1", "c3"])), 2, None);
}

#[test]
fn a_verdict_knows_its_entry() {
    type V = ProposalVerdict<GameConflict>;
    assert_eq!(V::Accepted(at(4)).entry(), Some(at(4)));
    assert_eq!(V::Duplicate(at(4)).entry(), Some(at(4)));
    assert_eq!(V::Overtaken(at(4)).entry(), None);
    assert_eq!(V::Refused(GameConflict::Full).entry(), None);
}
