//! Iterations per second of UCT from the empty board, with one random game each, on
//! one thread: this library and other crates in turns, on the same bitboards.
//!
//! ```text
//! cargo bench --manifest-path bench/Cargo.toml --bench tree_search
//! ```
//!
//! `mcts` and `treant` leave the random game to their user, so they use this
//! library's; `arbor` is measured with its own and with this library's. Each runs
//! in a process of its own, because fragmented memory slows the next one. The last
//! line shows what a second tree on a second thread adds.

use std::env;
use std::fmt;
use std::hash::Hash;
use std::hint::black_box;
use std::marker::PhantomData;
use std::num::NonZero;
use std::process::Command;
use std::time::Instant;

use bench::{ArborBoard, MinimaxRules, median, points, random_game};
use open_ttt_lib::games::{ConnectFour, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, perft};
use open_ttt_search::{Budget, Playout, StopFlag, TreeOptions, TreeSearch};

const ROUNDS: usize = 9;
const EXPLORATION: f64 = std::f64::consts::SQRT_2;

/// Searches a position with this many iterations and a seed, and returns the
/// iterations made.
type Search<G> = fn(G, u64, u64) -> u64;

fn main() {
    let arguments: Vec<_> = env::args().skip(1).collect();
    if let [game, name, iterations, round] = &arguments[..] {
        let number = |text: &str| text.parse().expect("a number");
        let (iterations, round) = (number(iterations), number(round));
        let rate = match game.as_str() {
            TIC_TAC_TOE => rate(TicTacToe::new(), name, iterations, round),
            _ => rate(ConnectFour::new(), name, iterations, round),
        };
        println!("{rate}");
        return;
    }
    assert_eq!(perft(&ConnectFour::new(), 5), 16_807);
    assert_eq!(perft(&TicTacToe::new(), 9), 127_872);
    // Tic-tac-toe is proved a draw after some 20,000 iterations.
    compare(TIC_TAC_TOE, &[5_000, 10_000]);
    compare("Connect Four", &[10_000, 100_000, 1_000_000]);
    threads();
}

const TIC_TAC_TOE: &str = "tic-tac-toe";

/// A game that every search takes.
trait Game:
    TwoPlayerGame<Move: Send + Sync> + Copy + fmt::Debug + Hash + Send + Sync + 'static
{
}

impl Game for TicTacToe {}
impl Game for ConnectFour {}

/// The searches compared, by name.
fn searches<G: Game>() -> [(&'static str, Search<G>); 7] {
    [
        ("this library", ours),
        ("arbor", arbor::<G, false>),
        ("arbor, our game", arbor::<G, true>),
        ("monte-carlo-tree-search", tree_search),
        ("minimax", minimax),
        ("mcts", mcts),
        ("treant", treant),
    ]
}

fn compare(game: &str, sizes: &[u64]) {
    let names = searches::<ConnectFour>().map(|(name, _)| name);
    for &iterations in sizes {
        let rounds: Vec<_> = (0..ROUNDS)
            .map(|round| names.map(|name| rate_alone(game, name, iterations, round)))
            .collect();
        println!("{game}, {iterations} iterations, medians of {ROUNDS} rounds");
        println!("                           million/s   this library is faster by");
        for (index, name) in names.iter().enumerate() {
            println!(
                "{name:<25} {:>10.2} {:>10.2}",
                median(rounds.iter().map(|rates| rates[index] / 1e6)),
                median(rounds.iter().map(|rates| rates[0] / rates[index])),
            );
        }
    }
}

/// Iterations per second, measured in a new process.
fn rate_alone(game: &str, name: &str, iterations: u64, round: usize) -> f64 {
    let program = env::current_exe().expect("this program has a name");
    let measured = Command::new(program)
        .args([game, name, &iterations.to_string(), &round.to_string()])
        .output()
        .expect("this program can be started again");
    let rate = String::from_utf8_lossy(&measured.stdout);
    rate.trim().parse().expect("it prints a number")
}

/// Iterations per second, over about 200,000 iterations or one search.
fn rate<G: Game>(start: G, name: &str, iterations: u64, round: u64) -> f64 {
    let search = searches().into_iter().find(|(known, _)| *known == name);
    let (_, search) = search.expect("one of the names");
    let repeats = (200_000 / iterations).max(1);
    let since = Instant::now();
    let made: u64 = (0..repeats)
        .map(|repeat| search(start, iterations, round * repeats + repeat))
        .sum();
    made as f64 / since.elapsed().as_secs_f64()
}

/// Two trees on two threads against one on one.
fn threads() {
    let start = ConnectFour::new();
    let rate = |trees: usize, seed: u64| {
        let options = TreeOptions {
            trees: NonZero::new(trees).expect("at least one"),
            max_nodes: usize::MAX,
            ..TreeOptions::default()
        };
        let since = Instant::now();
        let mut search = TreeSearch::new(&start, Playout, options, Rng::new(seed));
        search.step_on_threads(&Budget::nodes(300_000 * trees as u64), &StopFlag::new());
        let iterations = search.answer().iterations;
        assert_eq!(iterations, 300_000 * trees as u64);
        iterations as f64 / since.elapsed().as_secs_f64()
    };
    let ratio = median((0..ROUNDS as u64).map(|seed| rate(2, seed) / rate(1, seed)));
    println!("two threads make {ratio:.2} times the iterations of one");
}

fn ours<G: Game>(start: G, iterations: u64, seed: u64) -> u64 {
    let options = TreeOptions {
        max_nodes: usize::MAX,
        ..TreeOptions::default()
    };
    let mut search = TreeSearch::new(&start, Playout, options, Rng::new(seed));
    search.step(&Budget::nodes(iterations), &StopFlag::new());
    let answer = search.answer();
    assert!(answer.iterations == iterations && answer.proved.is_none());
    answer.iterations
}

fn arbor<G: Game, const OUR_PLAYOUT: bool>(start: G, iterations: u64, _: u64) -> u64 {
    let mut search = arbor::MCTS::new(ArborBoard(start)).with_exploration(EXPLORATION as f32);
    if OUR_PLAYOUT {
        search = search.with_custom_evaluation();
    }
    search.ponder(iterations as usize);
    assert!(search.best().is_some());
    iterations
}

/// A game of this library for the crates with a trait for the board.
#[derive(Clone, Copy)]
struct Board<G>(G);

impl<G: Game> monte_carlo_tree_search::TwoPlayerGame for Board<G> {
    type Move = G::Move;

    fn state<'a>(
        &self,
        moves: &'a mut Vec<G::Move>,
    ) -> monte_carlo_tree_search::GameState<'a, G::Move> {
        use monte_carlo_tree_search::GameState;
        moves.clear();
        match self.0.outcome() {
            Some(Outcome::Win(Side::First)) => GameState::WinPlayerOne,
            Some(Outcome::Win(Side::Second)) => GameState::WinPlayerTwo,
            Some(Outcome::Draw) => GameState::Draw,
            None => {
                moves.extend(self.0.moves());
                GameState::Moves(moves)
            }
        }
    }

    fn play(&mut self, m: &G::Move) {
        self.0.play_unchecked(*m);
    }

    fn current_player(&self) -> monte_carlo_tree_search::Player {
        match self.0.to_move() {
            Side::First => monte_carlo_tree_search::Player::One,
            Side::Second => monte_carlo_tree_search::Player::Two,
        }
    }
}

fn tree_search<G: Game>(start: G, iterations: u64, seed: u64) -> u64 {
    use monte_carlo_tree_search::{Search, Ucb};
    use rand::SeedableRng;
    let board = Board(start);
    let mut rng = rand::rngs::SmallRng::seed_from_u64(seed);
    let search = Search::with_playouts(board, Ucb::new(), iterations as u32, &mut rng);
    assert!(search.best_move().is_some());
    iterations
}

fn minimax<G: Game>(start: G, iterations: u64, _: u64) -> u64 {
    use minimax::Strategy;
    let options = minimax::MCTSOptions::default().with_num_threads(1);
    let mut search = minimax::MonteCarloTreeSearch::<MinimaxRules<G>>::new(options);
    search.set_max_rollouts(iterations as u32);
    assert!(search.choose_move(&start).is_some());
    iterations
}

/// `mcts` and `treant` have the same interface.
macro_rules! mcts_family {
    ($family:ident) => {
        impl<G: Game> $family::GameState for Board<G> {
            type Move = G::Move;
            type Player = Side;
            type MoveList = Vec<G::Move>;

            fn current_player(&self) -> Side {
                self.0.to_move()
            }

            fn available_moves(&self) -> Vec<G::Move> {
                self.0.moves().collect()
            }

            fn make_move(&mut self, m: &G::Move) {
                self.0.play_unchecked(*m);
            }
        }

        impl<G: Game> $family::Evaluator<Spec<G>> for OurPlayout {
            type StateEvaluation = Outcome;

            fn evaluate_new_state(
                &self,
                state: &Board<G>,
                moves: &Vec<G::Move>,
                _: Option<$family::SearchHandle<Spec<G>>>,
            ) -> (Vec<()>, Outcome) {
                (vec![(); moves.len()], random_game(&state.0))
            }

            fn evaluate_existing_state(
                &self,
                state: &Board<G>,
                _: &Outcome,
                _: $family::SearchHandle<Spec<G>>,
            ) -> Outcome {
                random_game(&state.0)
            }

            fn interpret_evaluation_for_player(&self, outcome: &Outcome, side: &Side) -> i64 {
                (points(*outcome, *side) * 2.0) as i64
            }
        }

        impl<G: Game> $family::MCTS for Spec<G> {
            type State = Board<G>;
            type Eval = OurPlayout;
            type NodeData = ();
            type ExtraThreadData = ();
            type TreePolicy = $family::tree_policy::UCTPolicy;
            type TranspositionTable = ();
        }

        fn $family<G: Game>(start: G, iterations: u64, _: u64) -> u64 {
            let board = Board(start);
            // Points are counted in halves, so the exploration constant is doubled.
            let policy = $family::tree_policy::UCTPolicy::new(2.0 * EXPLORATION);
            let spec = Spec(PhantomData);
            let mut search = $family::MCTSManager::new(board, spec, OurPlayout, policy, ());
            search.playout_n(iterations);
            assert!(black_box(search.best_move()).is_some());
            iterations
        }
    };
}

/// This library's random games.
struct OurPlayout;

/// The specification for these two crates.
struct Spec<G>(PhantomData<fn() -> G>);

mcts_family!(mcts);
mcts_family!(treant);
