//! The perfect player of games that fill a board.

use open_ttt_lib::games::{LineSet, Pegs};
use open_ttt_lib::rules::Margin;
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{Negamax, PerfectRetrograde, play_game};
use open_ttt_search::{Budget, Points};

#[test]
fn pegs_is_a_second_player_win() {
    for (line_set, margin) in [(LineSet::ThirtyFour, -1), (LineSet::ThirtyEight, -2)] {
        let start = Pegs::with_lines(line_set);
        let mut perfect = PerfectRetrograde::new(Difficulty::seeded(1));
        let mut opponent = PerfectRetrograde::new(Difficulty::seeded(2));
        let record = play_game(&start, &mut perfect, &mut opponent);
        assert_eq!(record.position.margin(), margin, "best play of both sides");
        let mut other =
            Negamax::new(Points, Budget::depth(3)).with_difficulty(Difficulty::seeded(3));
        let record = play_game(&start, &mut other, &mut perfect);
        assert!(record.position.margin() <= margin, "{record:?}");
    }
}
