//! Scoring games: the search plays for points, as retrograde analysis shows.

use open_ttt_lib::games::{LineSet, Pegs};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, Objective, Side, TwoPlayerGame};
use open_ttt_players::{Decision, GumbelPlayer, Player, Turn};
use open_ttt_search::{
    Estimates, Grade, GumbelOptions, GumbelSearch, PolicyValue, StopFlag, UniformPolicy,
    analyze_by_layers,
};

use crate::unfinished::unfinished;

/// A uniform policy with the objective of the game.
struct MarginUniform;

impl PolicyValue<Pegs> for MarginUniform {
    fn estimate(&mut self, positions: &[&Pegs], estimates: &mut Estimates) {
        UniformPolicy.estimate(positions, estimates);
    }

    fn objective(&self, pegs: &Pegs) -> Objective<Pegs> {
        pegs.objective()
    }
}

/// The best moves, and the lines by which the side to move wins.
fn best(game: &Pegs) -> (Vec<<Pegs as TwoPlayerGame>::Move>, i32) {
    let answer = analyze_by_layers(game, &StopFlag::new()).unwrap();
    match answer.score.grade() {
        Grade::Evaluation(lines) => (answer.best, lines),
        Grade::Win | Grade::Loss => panic!("pegs are solved for points"),
    }
}

#[test]
fn the_endgame_is_played_for_points() {
    for lines in [LineSet::ThirtyFour, LineSet::ThirtyEight] {
        let mut wrong = 0;
        for plies in 20..24 {
            for game in unfinished(&Pegs::with_lines(lines), plies, 40) {
                let options = GumbelOptions::playing(1_000);
                let mut search = GumbelSearch::new(&game, options, &mut Rng::new(1))
                    .with_objective(Pegs::new().objective());
                search.run(&mut UniformPolicy).unwrap();
                let answer = search.answer();
                assert_eq!(answer.proved, None, "a win is no proof of the best margin");
                let (best, lines) = best(&game);
                let chosen = answer.moves.iter().find(|m| Some(m.m) == answer.chosen);
                let chosen = chosen.unwrap();
                if best.contains(&chosen.m) {
                    // The search has reached the end of the game.
                    let expected = (lines as f32 / 8.0).clamp(-1.0, 1.0);
                    let value = chosen.value;
                    assert!(
                        (value - expected).abs() < 0.06,
                        "{value} {expected} {game:?}"
                    );
                } else {
                    // Sequential halving dropped the best move.
                    wrong += 1;
                }
            }
        }
        assert!(wrong <= 4, "{wrong} of 160");
    }
}

#[test]
fn a_player_has_the_objective_of_its_model() {
    let mut lost = [0, 0];
    let options = GumbelOptions::playing(2_000);
    for game in unfinished(&Pegs::new(), 19, 40) {
        let (best, _) = best(&game);
        for (place, m) in [
            GumbelPlayer::with_options(MarginUniform, options).decide(&game),
            GumbelPlayer::with_options(UniformPolicy, options).decide(&game),
        ]
        .into_iter()
        .enumerate()
        {
            lost[place] += u32::from(!best.contains(&m));
        }
    }
    // A player that only wants to win gives points away.
    assert!(lost[0] <= 2 && lost[1] > 5, "{lost:?}");
}

/// The move of a player.
trait Decides {
    fn decide(self, game: &Pegs) -> <Pegs as TwoPlayerGame>::Move;
}

impl<P: Player<Pegs>> Decides for P {
    fn decide(mut self, game: &Pegs) -> <Pegs as TwoPlayerGame>::Move {
        match self.take_turn(&Turn::new(game)) {
            Decision::Play(m) => m,
            Decision::Resign => panic!("it plays"),
        }
    }
}

#[test]
fn the_margin_is_that_of_the_first_side() {
    let Objective::Margin(margin) = Pegs::new().objective() else {
        panic!("pegs are played for points");
    };
    let mut rng = Rng::new(3);
    for _ in 0..20 {
        let mut game = Pegs::new();
        while let Some(m) = rng.pick(game.moves()) {
            game.play_unchecked(m);
        }
        let [red, white] = [Side::First, Side::Second].map(|side| lines_of(&game, side));
        assert!((8.0 * margin(&game) - (red - white)).abs() < 1e-6);
    }
}

/// The lines of three of a side, counted cell by cell.
fn lines_of(game: &Pegs, side: Side) -> f32 {
    let has = |line: &[_; 3]| {
        line.iter()
            .all(|&(peg, height)| game.owner(peg, height) == Some(side))
    };
    LineSet::ThirtyFour.lines().filter(has).count() as f32
}
