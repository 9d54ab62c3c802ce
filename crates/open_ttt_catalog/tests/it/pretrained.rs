//! The networks that come with the library play as well as they are said to.

use std::sync::Arc;

use open_ttt_catalog::CatalogGame;
use open_ttt_lib::games::{ConnectFour, LineSet, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, Margin, Outcome, Side, TwoPlayerGame};
use open_ttt_nn::Network;
use open_ttt_players::{Decision, GumbelPlayer, NetworkModel, Player, Turn};
use open_ttt_search::{Budget, Grade, Prover, StopFlag, analyze_by_layers};

fn pretrained<G: CatalogGame + Encode>(game: &G) -> Network {
    let bytes = game.pretrained().unwrap();
    assert!(bytes.len() < 500_000, "{} bytes", bytes.len());
    let network = Network::from_bytes(bytes).unwrap();
    assert_eq!(network.check_compatible(game), Ok(()));
    // The card says where it comes from.
    assert!(network.card.games > 1_000);
    assert!(
        network
            .card
            .strength
            .contains("simulations a move: random +")
    );
    network
}

fn chosen<G: TwoPlayerGame>(player: &mut impl Player<G>, game: &G) -> G::Move {
    match player.take_turn(&Turn::new(game)) {
        Decision::Play(m) => m,
        Decision::Resign => panic!("it plays"),
    }
}

/// It never loses, with either side and against any replies, by its policy
/// alone as with a search.
#[test]
fn tic_tac_toe_is_never_lost() {
    let network = Arc::new(pretrained(&TicTacToe::new()));
    for simulations in [0, 64] {
        let mut player = GumbelPlayer::new(NetworkModel::new(Arc::clone(&network)), simulations);
        for side in [Side::First, Side::Second] {
            let mut lines = 0;
            let mut open = vec![TicTacToe::new()];
            while let Some(game) = open.pop() {
                match game.outcome() {
                    Some(outcome) => {
                        lines += 1;
                        assert_ne!(outcome, Outcome::Win(!side), "{game:?}");
                    }
                    None if game.to_move() == side => {
                        open.push(game.after(chosen(&mut player, &game)));
                    }
                    None => open.extend(game.moves().map(|m| game.after(m))),
                }
            }
            assert!(lines > 50, "{lines}");
        }
    }
}

/// What it loses in a game of pegs, from either side, against perfect play.
#[test]
fn pegs_are_played_within_a_third_of_a_line_of_perfect_play() {
    let network = pretrained(&Pegs::new());
    let mut player = GumbelPlayer::new(NetworkModel::new(&network), 64);
    let mut rng = Rng::new(1);
    let (games, mut lost) = (24, 0);
    for number in 0..games {
        let side = [Side::First, Side::Second][number % 2];
        let mut game = Pegs::new();
        for _ in 0..4 + rng.below(4) {
            game.play_unchecked(rng.pick(game.moves()).unwrap());
        }
        let for_side = |lines: i32, whose| if whose == side { lines } else { -lines };
        let best = analyze_by_layers(&game, &StopFlag::new()).unwrap();
        let Grade::Evaluation(lines) = best.score.grade() else {
            panic!("pegs are solved for points");
        };
        let due = for_side(lines, game.to_move());
        while game.outcome().is_none() {
            let m = if game.to_move() == side {
                chosen(&mut player, &game)
            } else {
                analyze_by_layers(&game, &StopFlag::new()).unwrap().best[0]
            };
            game.play_unchecked(m);
        }
        let got = for_side(game.margin(), Side::First);
        assert!(got <= due, "nobody does better than perfect play");
        lost += due - got;
    }
    assert!(3 * lost <= games as i32, "{lost} lines in {games} games");
}

/// Connect Four after so many random moves, if it is not over.
fn after_random_moves(plies: usize, rng: &mut Rng) -> Option<ConnectFour> {
    let mut game = ConnectFour::new();
    for _ in 0..plies {
        game.play_unchecked(rng.pick(game.moves())?);
    }
    game.outcome().is_none().then_some(game)
}

/// Positions of random games of Connect Four in which some move is worse than
/// the best.
#[test]
fn connect_four_is_mostly_played_right() {
    let network = pretrained(&ConnectFour::new());
    let mut prover = Prover::new(16 << 20);
    let mut rng = Rng::new(1);
    let [mut all, mut policy, mut search] = [0, 0, 0];
    while all < 200 {
        let Some(game) = after_random_moves(16 + rng.below(18), &mut rng) else {
            continue;
        };
        let moves = prover.moves(&game, &Budget::UNLIMITED, &StopFlag::new());
        let worths: Vec<_> = moves
            .unwrap()
            .into_iter()
            .map(|(m, score)| (m, worth(score.grade())))
            .collect();
        let best = worths.iter().map(|&(_, worth)| worth).max().unwrap();
        if worths.iter().all(|&(_, worth)| worth == best) {
            continue;
        }
        all += 1;
        for (simulations, right) in [(0, &mut policy), (64, &mut search)] {
            let m = chosen(
                &mut GumbelPlayer::new(NetworkModel::new(&network), simulations),
                &game,
            );
            *right += i32::from(worths.contains(&(m, best)));
        }
    }
    assert!(policy >= 188, "{policy} of {all} by the policy alone");
    assert!(search >= 194, "{search} of {all} with 64 simulations");
}

/// Against a defence that holds out as long as it can, a won position is won not
/// much later than it could be.
#[test]
fn connect_four_is_won_without_dawdling() {
    let network = pretrained(&ConnectFour::new());
    let mut player = GumbelPlayer::new(NetworkModel::new(&network), 64);
    let mut prover = Prover::new(16 << 20);
    let mut prove = |game: &ConnectFour| {
        let moves = prover.moves(game, &Budget::UNLIMITED, &StopFlag::new());
        moves.unwrap()[0]
    };
    let mut rng = Rng::new(5);
    let [mut won, mut plies, mut fewest] = [0, 0, 0];
    for _ in 0..1200 {
        let Some(mut game) = after_random_moves(18 + rng.below(8), &mut rng) else {
            continue;
        };
        let (_, score) = prove(&game);
        let Some(due) = score.plies().filter(|&plies| plies >= 5) else {
            continue;
        };
        if score.grade() != Grade::Win {
            continue;
        }
        let (side, mut took) = (game.to_move(), 0);
        while game.outcome().is_none() {
            let m = if game.to_move() == side {
                chosen(&mut player, &game)
            } else {
                prove(&game).0
            };
            game.play_unchecked(m);
            took += 1;
        }
        if game.outcome() == Some(Outcome::Win(side)) {
            won += 1;
            plies += took;
            fewest += due;
        }
    }
    assert!(won >= 40, "{won} won");
    let later = f64::from(plies - fewest) / f64::from(won);
    assert!(
        later <= 0.6,
        "{later} plies later, {won} times, of {fewest} plies"
    );
}

const fn worth(grade: Grade) -> i32 {
    match grade {
        Grade::Win => 1,
        Grade::Evaluation(_) => 0,
        Grade::Loss => -1,
    }
}

#[test]
fn other_games_come_without_a_network() {
    assert!(
        Pegs::with_lines(LineSet::ThirtyEight)
            .pretrained()
            .is_none()
    );
    assert!(Qubic::new().pretrained().is_none());
    assert!(Ultimate::new().pretrained().is_none());
    assert!(Mnk::new(3, 3, 3).unwrap().pretrained().is_none());
}
