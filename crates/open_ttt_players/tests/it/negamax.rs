//! The player by alpha-beta search.

use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{Decision, Negamax, Player, Turn};
use open_ttt_search::{Budget, HeuristicEvaluator, RootMoves, StopFlag, deepen};

#[test]
fn the_kept_table_does_not_change_the_moves() {
    let playing = |seed| {
        Negamax::new(HeuristicEvaluator, Budget::depth(4)).with_difficulty(Difficulty::seeded(seed))
    };
    let mut rng = Rng::new(3);
    for seed in 0..10 {
        let mut game = ConnectFour::new();
        let mut keeps_table = playing(seed);
        let mut choices = Difficulty::seeded(seed).rng;
        while game.outcome().is_none() {
            let decision = keeps_table.take_turn(&Turn::new(&game));
            let stop = StopFlag::new();
            let fresh = deepen(
                &game,
                RootMoves::BestOnly,
                &HeuristicEvaluator,
                &Budget::depth(4),
                &stop,
            );
            // The player first draws whether to make a mistake.
            choices.next_u64();
            let expected = choices.pick(fresh.best).unwrap();
            assert_eq!(decision, Decision::Play(expected), "{game:?}");
            game.play_unchecked(expected);
            if let Some(reply) = rng.pick(game.moves()) {
                game.play_unchecked(reply);
            }
        }
    }
}
