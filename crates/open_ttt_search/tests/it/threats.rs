//! Threat search and proof-number search against exhaustive search, and known
//! results.

use core::fmt::Debug;
use std::collections::HashMap;

use open_ttt_lib::games::Mnk;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{CompactKey, IndexedMoves, LineGame, Outcome, Side, TwoPlayerGame};
use open_ttt_search::{Budget, ProofNumberSearch, StopFlag, forced_win};

fn find<G: LineGame>(game: &G, threes: u32) -> Option<Vec<G::Move>> {
    forced_win(game, &Budget::depth(threes), &StopFlag::new()).line
}

/// Whether the side to move wins within this many plies, by exhaustive search.
fn wins_within<G: TwoPlayerGame>(game: &G, plies: u32) -> bool {
    plies > 0
        && game.moves().any(|m| {
            let next = game.after(m);
            match next.outcome() {
                Some(outcome) => outcome == Outcome::Win(game.to_move()),
                None => {
                    plies > 2
                        && next.moves().all(|answer| {
                            let later = next.after(answer);
                            later.outcome().is_none() && wins_within(&later, plies - 2)
                        })
                }
            }
        })
}

/// The result for the side to move, by exhaustive search.
fn value<G: CompactKey>(game: &G, known: &mut HashMap<u64, i8>) -> i8 {
    match game.outcome() {
        Some(Outcome::Draw) => return 0,
        Some(Outcome::Win(side)) => return if side == game.to_move() { 1 } else { -1 },
        None => {}
    }
    if let Some(&value) = known.get(&game.key()) {
        return value;
    }
    let wins = |m: &G::Move| game.after(*m).outcome() == Some(Outcome::Win(game.to_move()));
    if game.moves().any(|m| wins(&m)) {
        return 1;
    }
    let mut best = -1;
    for m in game.moves() {
        best = best.max(-value(&game.after(m), known));
        if best == 1 {
            break;
        }
    }
    known.insert(game.key(), best);
    best
}

/// An unfinished position after random moves.
fn random_position<G: TwoPlayerGame>(start: &G, plies: usize, rng: &mut Rng) -> Option<G> {
    let mut game = start.clone();
    for _ in 0..plies {
        game.play_unchecked(rng.pick(game.moves())?);
    }
    game.outcome().is_none().then_some(game)
}

/// Checks that the line is a win, and that its first move wins against every
/// defence.
#[track_caller]
fn check_win<G: CompactKey + Debug>(game: &G, line: &[G::Move], known: &mut HashMap<u64, i8>) {
    check_line(game, line);
    let next = game.after(line[0]);
    assert_eq!(value(&next, known), -1, "{line:?} in {game:?}");
}

/// Checks that wins found are wins, and that every win within three plies, or five
/// with a three, is found.
#[track_caller]
fn check_random_positions(m: u8, n: u8, k: u8, free: usize, positions: usize) -> usize {
    let start = Mnk::new(m, n, k).expect("a game");
    let plies = usize::from(m) * usize::from(n) - free;
    let mut rng = Rng::new(u64::from(m + n + k));
    let mut known = HashMap::new();
    let (mut found, mut checked) = (0, 0);
    while checked < positions {
        let Some(game) = random_position(&start, plies, &mut rng) else {
            continue;
        };
        checked += 1;
        let by_fours = find(&game, 0);
        let by_threes = find(&game, 3);
        for line in [&by_fours, &by_threes].into_iter().flatten() {
            check_win(&game, line, &mut known);
        }
        assert!(by_fours.is_some() || !wins_within(&game, 3), "{game:?}");
        assert!(by_threes.is_some() || !wins_within(&game, 5), "{game:?}");
        found += usize::from(by_fours.is_some());
    }
    found
}

/// Checks that the line is legal and wins for the side that begins it.
#[track_caller]
fn check_line<G: TwoPlayerGame>(game: &G, line: &[G::Move]) {
    let mut at = game.clone();
    for &m in line {
        at.play(m).unwrap_or_else(|_| panic!("{m:?} is illegal"));
    }
    assert_eq!(at.outcome(), Some(Outcome::Win(game.to_move())));
}

#[test]
fn wins_on_small_boards_are_wins_against_all_defences() {
    let mut found = 0;
    for (m, n, k, free, positions) in [
        (4, 4, 3, 8, 50),
        (5, 5, 4, 9, 200),
        (6, 4, 4, 9, 200),
        (6, 5, 4, 10, 200),
        (5, 5, 5, 9, 50),
    ] {
        found += check_random_positions(m, n, k, free, positions);
    }
    assert!(found > 400, "{found} wins");
}

/// Whether the winner makes a move that is no four.
fn has_quiet_move<G: LineGame>(game: &G, line: &[G::Move]) -> bool {
    let winner = game.to_move();
    let mut at = game.clone();
    let mut quiet = false;
    for &m in line {
        at.play_unchecked(m);
        let threatens = at.winning_lines().iter().any(|places| {
            let owned = |owner| places.iter().filter(|&&m| at.owner_of(m) == owner).count();
            owned(None) == 1 && owned(Some(winner)) + 1 == places.len()
        });
        quiet |= at.to_move() != winner && at.outcome().is_none() && !threatens;
    }
    quiet
}

/// Wins by threes need room, which makes exhaustive search slow: only the wins
/// found are checked.
#[test]
fn wins_by_threes_are_wins_against_all_defences() {
    let mut found = 0;
    for (m, n, k, free) in [(6, 4, 4, 12), (6, 5, 4, 12), (7, 4, 4, 12)] {
        let start = Mnk::new(m, n, k).unwrap();
        let plies = start.move_count() - free;
        let mut rng = Rng::new(1);
        let positions = (0..200).filter_map(|_| random_position(&start, plies, &mut rng));
        for game in positions {
            if let Some(line) = find(&game, 4).filter(|line| has_quiet_move(&game, line)) {
                check_win(&game, &line, &mut HashMap::new());
                found += 1;
            }
        }
    }
    assert!(found > 3, "{found} wins");
}

/// Compares proved outcomes with exhaustive search, also with a tiny table.
#[track_caller]
fn check_proved(start: Mnk, free: usize, positions: usize) -> [usize; 3] {
    let places = start.move_count();
    let mut rng = Rng::new(places as u64);
    let mut searches = [ProofNumberSearch::new(0), ProofNumberSearch::new(1 << 20)];
    let mut known = HashMap::new();
    let mut outcomes = [0; 3];
    let mut checked = 0;
    while checked < positions {
        let plies = places - 1 - rng.below(free);
        let Some(game) = random_position(&start, plies, &mut rng) else {
            continue;
        };
        checked += 1;
        let expected = value(&game, &mut known);
        outcomes[(expected + 1) as usize] += 1;
        for search in &mut searches {
            let proved = search
                .prove(&game, &Budget::UNLIMITED, &StopFlag::new(), |_| {})
                .unwrap();
            let relative = match proved.outcome {
                Outcome::Draw => 0,
                Outcome::Win(side) if side == game.to_move() => 1,
                Outcome::Win(_) => -1,
            };
            assert_eq!(relative, expected, "{game:?}");
            assert_eq!(proved.winning_move.is_some(), expected == 1, "{game:?}");
            if let Some(m) = proved.winning_move {
                assert_eq!(value(&game.after(m), &mut known), -1, "{m:?} in {game:?}");
            }
        }
    }
    outcomes
}

#[test]
fn outcomes_match_an_exhaustive_search() {
    let mut outcomes = [0; 3];
    for (m, n, k, free, positions) in [
        (3, 3, 3, 8, 100),
        (4, 3, 3, 8, 100),
        (4, 4, 3, 8, 100),
        (5, 4, 4, 9, 100),
        (4, 4, 4, 8, 50),
        (6, 4, 4, 9, 150),
        (5, 5, 4, 9, 150),
        (1, 9, 3, 8, 50),
        (4, 2, 2, 7, 50),
    ] {
        let start = Mnk::new(m, n, k).unwrap();
        let found = check_proved(start, free, positions);
        for (sum, found) in outcomes.iter_mut().zip(found) {
            *sum += found;
        }
    }
    assert!(outcomes.iter().all(|&count| count > 50), "{outcomes:?}");
}

#[track_caller]
fn check_outcome(m: u8, n: u8, k: u8, outcome: Outcome) {
    let game = Mnk::new(m, n, k).unwrap();
    let proved = ProofNumberSearch::new(1 << 24)
        .prove(&game, &Budget::UNLIMITED, &StopFlag::new(), |_| {})
        .unwrap();
    assert_eq!(proved.outcome, outcome, "{m},{n},{k}");
}

/// Uiterwijk and van den Herik, "The advantage of the initiative", 2000.
#[test]
fn known_games_have_their_known_outcome() {
    const FIRST: Outcome = Outcome::Win(Side::First);
    check_outcome(3, 3, 3, Outcome::Draw);
    check_outcome(4, 3, 3, FIRST);
    check_outcome(4, 4, 3, FIRST);
    check_outcome(4, 4, 4, Outcome::Draw);
    check_outcome(5, 4, 4, Outcome::Draw);
    check_outcome(5, 5, 4, Outcome::Draw);
    check_outcome(6, 5, 4, FIRST);
    check_outcome(5, 6, 4, FIRST);
    check_outcome(6, 6, 4, FIRST);
    check_outcome(6, 4, 4, Outcome::Draw);
    check_outcome(6, 6, 5, Outcome::Draw);
    check_outcome(7, 6, 5, Outcome::Draw);
}

#[test]
fn budget_flag_and_board_size_are_respected() {
    let mut search = ProofNumberSearch::new(1 << 16);
    let game = Mnk::new(7, 7, 5).unwrap();
    let stopped = StopFlag::new();
    stopped.raise();
    assert_eq!(
        search.prove(&game, &Budget::UNLIMITED, &stopped, |_| {}),
        None
    );
    let never = StopFlag::new();
    assert_eq!(
        search.prove(&game, &Budget::nodes(1_000), &never, |_| {}),
        None
    );
    assert!(ProofNumberSearch::supports(&Mnk::new(8, 8, 5).unwrap()));
    let large = Mnk::default();
    assert!(!ProofNumberSearch::supports(&large));
    assert_eq!(
        search.prove(&large, &Budget::UNLIMITED, &never, |_| {}),
        None
    );
    let mut reported = Vec::new();
    let five = Mnk::new(5, 5, 4).unwrap();
    search
        .prove(&five, &Budget::UNLIMITED, &never, |nodes| {
            reported.push(nodes);
        })
        .unwrap();
    assert!(!reported.is_empty());
    assert!(reported.is_sorted());
}
