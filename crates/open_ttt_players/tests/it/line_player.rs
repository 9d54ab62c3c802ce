//! The player of line games.

use open_ttt_lib::games::Mnk;
use open_ttt_lib::rules::{Notation, Outcome, Side, play_text};
use open_ttt_players::{Decision, LinePlayer, MonteCarlo, Player, Turn, play_game};
use open_ttt_search::Budget;

use crate::difficulty;

#[test]
fn beats_tree_search() {
    let game = Mnk::default();
    for swapped in [false, true] {
        let mut player = LinePlayer::new(Budget::nodes(4_000)).with_difficulty(difficulty(0.0, 1));
        let mut other = MonteCarlo::new(Budget::nodes(300)).with_difficulty(difficulty(0.0, 1));
        let (side, record) = if swapped {
            (Side::Second, play_game(&game, &mut other, &mut player))
        } else {
            (Side::First, play_game(&game, &mut player, &mut other))
        };
        assert_eq!(record.end.outcome(), Outcome::Win(side));
    }
}

#[test]
fn a_mistake_excludes_the_best_move() {
    let mut game = Mnk::default();
    play_text(&mut game, "a1 a3 b1 b3 c1 c3 d1 d3").unwrap();
    let take = |mistakes: f64| {
        let player = LinePlayer::new(Budget::depth(1));
        let mut player = player.with_difficulty(difficulty(mistakes, 1));
        match player.take_turn(&Turn::new(&game)) {
            Decision::Play(m) => game.move_text(m),
            Decision::Resign => "resigns".to_owned(),
        }
    };
    assert_eq!(take(0.0), "e1");
    assert_eq!(take(1.0), "e3");
}
