//! Ultimate tic-tac-toe at equal time: this library's tree search, which proves and
//! keeps its tree, against plain UCT of `arbor`, the fastest found in another
//! crate, with the same random games.
//!
//! ```text
//! cargo bench --manifest-path bench/Cargo.toml --bench ultimate_match
//! ```
//!
//! Needs an idle machine: both players are limited by time.

use std::fmt;
use std::num::NonZero;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use open_ttt_lib::games::Ultimate;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{Decision, Match, MonteCarlo, Openings, Participant, Player, Turn};
use open_ttt_search::{Budget, Clock, StopFlag};

const GAMES: u32 = 200;
const TIME: Duration = Duration::from_millis(20);

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

fn main() {
    let budget = Budget::time(TIME, Clock::new(|| START.elapsed()));
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
        let mut search = arbor::MCTS::new(Board(*turn.game))
            .with_exploration(std::f32::consts::SQRT_2)
            .with_custom_evaluation();
        while since.elapsed() < TIME {
            search.ponder(16);
        }
        let best = search.best().map(|Move(m)| m);
        Decision::Play(best.expect("the game is not over"))
    }
}

/// The game for `arbor`.
#[derive(Clone, Copy, Debug)]
struct Board(Ultimate);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Move(<Ultimate as TwoPlayerGame>::Move);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seat(Side);

impl arbor::Action for Move {}
impl arbor::Player for Seat {}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

fn points(outcome: Outcome, side: Side) -> f32 {
    match outcome {
        Outcome::Win(winner) if winner == side => 1.0,
        Outcome::Win(_) => 0.0,
        Outcome::Draw => 0.5,
    }
}

impl arbor::GameState<Seat, Move> for Board {
    fn actions<F: FnMut(Move)>(&self, f: &mut F) {
        self.0.moves().for_each(|m| f(Move(m)));
    }

    fn make(&self, action: Move) -> Self {
        Self(self.0.after(action.0))
    }

    fn gameover(&self) -> Option<arbor::GameResult> {
        let points = points(self.0.outcome()?, self.0.to_move());
        Some(match points {
            1.0 => arbor::GameResult::Win,
            0.0 => arbor::GameResult::Lose,
            _ => arbor::GameResult::Draw,
        })
    }

    fn player(&self) -> Seat {
        Seat(self.0.to_move())
    }

    fn custom_evaluation(&self) -> f32 {
        thread_local! {
            static RNG: std::cell::RefCell<Rng> = const { std::cell::RefCell::new(Rng::new(1)) };
        }
        let played = |rng: &mut Rng| self.0.play_out(&mut || rng.next_u64());
        points(RNG.with_borrow_mut(played), self.0.to_move())
    }
}
