use open_ttt_lib::games::{ConnectFour, TicTacToe};
use open_ttt_lib::rules::FromName;
use open_ttt_lib::state_machine::{GameConflict, GameMachine, GameMove};
use open_ttt_net::matches::{Act, Actor, MatchMachine, Player, Seat, Settings, Transition};
use open_ttt_net::replication::{
    CatchUp, Decision, Digest, LogEntry, Proposal, ProposalVerdict, Sequence, Sequencer,
};

use super::{Machine, after, at, entry, id, proposal};

/// A sequencer after `b2` by Ann and `a1` by Bob.
fn two_moves() -> Sequencer<Machine> {
    let mut sequencer = Sequencer::new(after(&[]));
    for entry in [entry("ann", 1, "b2"), entry("bob", 1, "a1")] {
        sequencer.replay(entry).unwrap();
    }
    sequencer
}

#[track_caller]
fn check(client: &str, proposal: &Proposal<GameMove>, expected: ProposalVerdict<GameConflict>) {
    let decision = two_moves().decide(&id(client), proposal);
    assert_eq!(decision, Decision::Settled(expected));
}

#[test]
fn proposal_becomes_the_entry_after_its_base() {
    let mut sequencer = two_moves();
    let Decision::Append(draft) = sequencer.decide(&id("ann"), &proposal(2, 2, "c3")) else {
        panic!("it is possible");
    };
    assert_eq!(draft.base(), at(2));
    assert_eq!(*draft.entry(), entry("ann", 2, "c3"));
    // Deciding does not change the sequencer.
    assert_eq!(sequencer, two_moves());

    assert_eq!(sequencer.commit(draft), at(3));
    assert_eq!(*sequencer.state(), after(&["b2", "a1", "c3"]));
    assert_eq!(sequencer.digest(), Digest::of(sequencer.state()));
    let after_first = [entry("bob", 1, "a1"), entry("ann", 2, "c3")];
    assert_eq!(sequencer.entries_after(at(1)), Some(&after_first[..]));
}

#[test]
fn known_proposal_is_a_duplicate() {
    check(
        "ann",
        &proposal(1, 0, "b2"),
        ProposalVerdict::Duplicate(at(1)),
    );
    check(
        "bob",
        &proposal(1, 1, "a1"),
        ProposalVerdict::Duplicate(at(2)),
    );
}

#[test]
fn amended_duplicate_is_recognized_by_its_number() {
    check(
        "ann",
        &proposal(1, 0, "c1"),
        ProposalVerdict::Duplicate(at(1)),
    );
}

#[test]
fn proposal_for_an_older_state_is_overtaken() {
    // The same number of another client, another number, and the same number with
    // another base: none of them is a duplicate.
    check(
        "cid",
        &proposal(1, 0, "b2"),
        ProposalVerdict::Overtaken(at(2)),
    );
    check(
        "ann",
        &proposal(2, 0, "b2"),
        ProposalVerdict::Overtaken(at(2)),
    );
    check(
        "ann",
        &proposal(1, 1, "b2"),
        ProposalVerdict::Overtaken(at(2)),
    );
}

#[test]
fn the_id_and_number_of_another_author_are_not_a_duplicate() {
    let state = MatchMachine::new(Settings::of_game("ttt"), TicTacToe::from_name).unwrap();
    let mut sequencer = Sequencer::new(state);
    let by_server = |act| Transition {
        at: 1000,
        by: Actor::Server,
        act,
    };
    let player = Player::person("Ann");
    for seat in Seat::ALL {
        let player = player.clone();
        let entry = LogEntry {
            client: id("server"),
            number: 1,
            transition: by_server(Act::Join { seat, player }),
        };
        sequencer.replay(entry).unwrap();
    }
    let resigns = |seat| Proposal {
        number: 7,
        base: at(2),
        transition: Transition {
            at: 2000,
            by: Actor::Seat(seat),
            act: Act::Resign,
        },
    };
    let Decision::Append(draft) = sequencer.decide(&id("ann"), &resigns(Seat::B)) else {
        panic!("it is possible");
    };
    sequencer.commit(draft);
    let decide = |seat| sequencer.decide(&id("ann"), &resigns(seat));
    let overtaken = ProposalVerdict::Overtaken(at(3));
    assert_eq!(decide(Seat::A), Decision::Settled(overtaken));
    let duplicate = ProposalVerdict::Duplicate(at(3));
    assert_eq!(decide(Seat::B), Decision::Settled(duplicate));
}

#[test]
fn impossible_transition_is_refused() {
    let occupied = ProposalVerdict::Refused(GameConflict::Occupied);
    check("ann", &proposal(2, 2, "b2"), occupied);
    let no_move = ProposalVerdict::Refused(GameConflict::NotAMove);
    check("ann", &proposal(2, 2, "d4"), no_move);
}

#[test]
fn proposal_for_a_later_state_is_not_decided() {
    let proposal = proposal(2, 3, "c3");
    let mut sequencer = two_moves();
    let decision = sequencer.decide(&id("ann"), &proposal);
    assert_eq!(decision, Decision::Behind);

    // Another node has stored it.
    sequencer.replay(entry("bob", 2, "c1")).unwrap();
    sequencer.replay(entry("ann", 2, "c3")).unwrap();
    let decision = sequencer.decide(&id("ann"), &proposal);
    let duplicate = ProposalVerdict::Duplicate(at(4));
    assert_eq!(decision, Decision::Settled(duplicate));
}

#[test]
#[should_panic(expected = "a draft for another state")]
fn draft_for_another_state_is_not_committed() {
    let mut sequencer = two_moves();
    let Decision::Append(draft) = sequencer.decide(&id("ann"), &proposal(2, 2, "c3")) else {
        panic!("it is possible");
    };
    sequencer.replay(entry("bob", 2, "c3")).unwrap();
    sequencer.commit(draft);
}

#[test]
fn impossible_entry_is_not_replayed() {
    let mut sequencer = two_moves();
    let replayed = sequencer.replay(entry("ann", 2, "a1"));
    assert_eq!(replayed, Err(GameConflict::Occupied));
    assert_eq!(sequencer, two_moves());
}

#[test]
fn there_are_no_entries_after_later_states() {
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
fn catch_up_has_the_missed_entries() {
    let missed = [entry("ann", 1, "b2"), entry("bob", 1, "a1")];
    let known = |moves: &[&str]| (at(moves.len() as u64), Digest::of(&after(moves)));
    check_catch_up(Some(known(&[])), 2, Some(&missed));
    check_catch_up(Some(known(&["b2"])), 2, Some(&missed[1..]));
    check_catch_up(Some(known(&["b2", "a1"])), 0, Some(&[]));
}

#[test]
fn catch_up_falls_back_to_a_snapshot() {
    let known = |moves: &[&str]| (at(moves.len() as u64), Digest::of(&after(moves)));
    // No state, or a wrong one.
    check_catch_up(None, 2, None);
    check_catch_up(Some(known(&["b2", "c1"])), 2, None);
    // Too many missed entries.
    check_catch_up(Some(known(&[])), 1, None);
    // A later state of another history.
    check_catch_up(Some(known(&["b2", "a1", "c3"])), 2, None);
}

/// Twelve moves of Connect Four by two clients, and the entries that lead there.
fn long_log(kept: usize) -> (Sequencer<GameMachine<ConnectFour>>, Vec<LogEntry<GameMove>>) {
    let start = GameMachine::new(ConnectFour::new()).unwrap();
    let mut sequencer = Sequencer::keeping(kept, start);
    let columns = ["1", "2", "3", "4", "5", "6"];
    let entries = columns.into_iter().chain(columns).zip(0..);
    let entries =
        entries.map(|(column, index)| entry(["ann", "bob"][index % 2], index as u64, column));
    let entries: Vec<_> = entries.collect();
    for entry in &entries {
        sequencer.replay(entry.clone()).unwrap();
        let newest = sequencer.entries_after(Sequence::new(sequencer.sequence().get() - 1));
        assert_eq!(newest, Some(std::slice::from_ref(entry)));
        assert_eq!(sequencer.last_entry(), Some(entry));
    }
    assert_eq!(sequencer.sequence(), at(12));
    (sequencer, entries)
}

#[test]
fn the_last_entries_are_kept() {
    for kept in 0..15 {
        let (sequencer, entries) = long_log(kept);
        let all = 0..=entries.len();
        let has =
            |&from: &usize| sequencer.entries_after(at(from as u64)) == Some(&entries[from..]);
        let first = all.clone().find(has).unwrap();
        // At least those, and never more than twice as many.
        let (least, most) = (kept.max(1), 2 * kept.max(1));
        let number = entries.len() - first;
        assert!(number >= least.min(entries.len()), "{kept}: {number}");
        assert!(number <= most, "{kept}: {number}");
        for from in all {
            let after = sequencer.entries_after(at(from as u64));
            assert_eq!(after, (from >= first).then(|| &entries[from..]), "{kept}");
        }
    }
}

#[test]
fn the_log_tells_what_became_of_a_proposal_that_is_not_kept() {
    let (sequencer, entries) = long_log(2);
    let old = Proposal {
        number: 4,
        base: at(4),
        transition: "5".into(),
    };
    assert_eq!(sequencer.decide(&id("ann"), &old), Decision::LookUp(at(5)));
    let verdict = |client, entry| sequencer.verdict_after(entry, &id(client), &old);
    assert_eq!(
        verdict("ann", &entries[4]),
        ProposalVerdict::Duplicate(at(5))
    );
    assert_eq!(
        verdict("bob", &entries[4]),
        ProposalVerdict::Overtaken(at(12))
    );
    // That of another proposal.
    assert_eq!(
        verdict("ann", &entries[6]),
        ProposalVerdict::Overtaken(at(12))
    );
    // All who have missed what is not kept get the whole state.
    let known = Some((at(4), Digest::of(sequencer.state())));
    let snapshot = CatchUp::Snapshot(sequencer.state());
    assert_eq!(sequencer.catch_up(known, 100), snapshot);
}
