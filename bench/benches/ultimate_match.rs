//! Ultimate tic-tac-toe at equal time: this library's tree search, which proves and
//! keeps its tree, against plain UCT of `arbor`, the fastest found in another
//! crate, with the same random games.
//!
//! ```text
//! cargo bench --manifest-path bench/Cargo.toml --bench ultimate_match
//! ```
//!
//! Needs an idle machine: both players are limited by time.

use std::num::NonZero;
use std::time::{Duration, Instant};

use bench::{ArborBoard, ArborMove, clock};
use open_ttt_lib::games::Ultimate;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{Decision, Match, MonteCarlo, Openings, Participant, Player, Turn};
use open_ttt_search::{Budget, StopFlag};

const GAMES: u32 = 200;
const TIME: Duration = Duration::from_millis(20);

fn main() {
    let budget = Budget::time(TIME, clock());
    let report = Match {
        start: Ultimate::default(),
        a: Participant::new(1, move |seed| {
            Box::new(MonteCarlo::new(budget).with_difficulty(Difficulty::seeded(seed)))
        }),
        b: Participant::new(2, |_| Box::new(PlainUct)),
        games: GAMES,
        openings: Openings::random(4, 1),
        sprt: None,
    }
    .play(NonZero::<usize>::MIN, &StopFlag::new(), |_, _| {});
    let score = report.statistics.score;
    assert_eq!(score.games(), GAMES);
    println!("ultimate, {TIME:?} a move, {GAMES} games from random openings of 4 plies");
    println!(
        "this library against arbor's UCT: {}-{}-{}",
        score.wins, score.draws, score.losses
    );
    if let Some(elo) = report.statistics.elo() {
        println!(
            "Elo {:+.0} ({:+.0} to {:+.0})",
            elo.difference, elo.low, elo.high
        );
    }
}

/// Plain UCT, from the crate `arbor`.
struct PlainUct;

impl Player<Ultimate> for PlainUct {
    fn player_name(&self) -> &'static str {
        "arbor"
    }

    fn take_turn(
        &mut self,
        turn: &Turn<'_, Ultimate>,
    ) -> Decision<<Ultimate as TwoPlayerGame>::Move> {
        let since = Instant::now();
        let mut search = arbor::MCTS::new(ArborBoard(*turn.game))
            .with_exploration(std::f32::consts::SQRT_2)
            .with_custom_evaluation();
        while since.elapsed() < TIME {
            search.ponder(16);
        }
        let best = search.best().map(|ArborMove(m)| m);
        Decision::Play(best.expect("the game is not over"))
    }
}
