//! Searches that are driven from frame to frame, as in a browser: with no
//! thread, no clock and no random numbers from outside.
//!
//! `cargo run --example frames` does it here, `cargo xtask platform wasm` in
//! WebAssembly, where it also shows that what asks for threads does without.

use open_ttt_catalog::Catalog;
use open_ttt_lib::games::{ConnectFour, Mnk};
use open_ttt_lib::random::{Probability, Rng};
use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, play_text};
use open_ttt_lib::tic_tac_toe::{AiMove, Game, GameState};
use open_ttt_players::{Decision, Turn};
use open_ttt_search::{
    Budget, Clock, Playout, Prover, Score, SearchOptions, Searcher, StopFlag, TreeOptions,
    TreeSearch, WinLoss,
};
use std::error::Error;
use std::num::NonZero;

/// What is done between two frames.
const SLICE: Budget = Budget::nodes(500);

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    alpha_beta_frame_by_frame();
    tree_search_frame_by_frame()?;
    proofs()?;
    computers_of_tic_tac_toe()?;
    threads_where_there_may_be_none()
}

/// Three in a row on four columns of three: the first player wins.
fn alpha_beta_frame_by_frame() {
    let Some(game) = Mnk::new(4, 3, 3) else {
        return;
    };
    let mut searcher = Searcher::new(&game, WinLoss, SearchOptions::default());
    let mut frames = 1;
    while !searcher.step(&SLICE, &StopFlag::new()) {
        frames += 1; // draw the board meanwhile
    }
    assert!(frames > 1);
    assert_eq!(searcher.result().score, Score::win_in(7));
}

/// The tree sees a win that is two moves away, and goes on after it.
fn tree_search_frame_by_frame() -> Result<(), Box<dyn Error>> {
    let mut game = ConnectFour::new();
    play_text(&mut game, "4455")?;
    let mut search = TreeSearch::new(&game, Playout, TreeOptions::default(), Rng::new(1));
    let mut frames = 0;
    while search.answer().proved.is_none() && frames < 1_000 {
        search.step(&SLICE, &StopFlag::new());
        frames += 1;
    }
    let answer = search.answer();
    assert_eq!(answer.proved, Some(Outcome::Win(Side::First)));
    search.advance(answer.moves[0].m)?;
    assert_eq!(search.answer().proved, Some(Outcome::Win(Side::First)));
    Ok(())
}

fn proofs() -> Result<(), Box<dyn Error>> {
    let mut game = ConnectFour::new();
    play_text(&mut game, "12345671234567")?;
    let mut prover = Prover::new(1 << 20);
    let few = Budget::nodes(50);
    assert_eq!(prover.score(&game, &few, &StopFlag::new()), None);
    let proof = prover.score(&game, &Budget::UNLIMITED, &StopFlag::new());
    assert_eq!(proof.map(|(score, _)| score), Some(Score::win_in(7)));
    Ok(())
}

/// Two computers that never err never win.
fn computers_of_tic_tac_toe() -> Result<(), Box<dyn Error>> {
    let mut game = Game::new();
    while !game.state().is_game_over() {
        let computer = AiMove::with_rng(&game, Probability::NEVER, &mut Rng::new(1))?;
        game.try_move(computer.position())?;
    }
    assert_eq!(game.state(), GameState::CatsGame);
    Ok(())
}

/// Every computer answers, however many threads it is given.
fn threads_where_there_may_be_none() -> Result<(), Box<dyn Error>> {
    let clock = Clock::new(|| std::time::Duration::ZERO);
    for game in Catalog::bundled().games() {
        let game = Catalog::bundled().game(game.key)?;
        for spec in [
            "negamax(nodes=20000,threads=3)",
            "mcts(iterations=600,threads=3)",
        ] {
            let mut player = game.player(&spec.parse()?, clock)?;
            let decision = player.take_turn(&Turn::new(&game));
            assert!(matches!(decision, Decision::Play(m) if game.check(m).is_ok()));
        }
    }
    let mut game = Catalog::bundled().game("connect4")?;
    play_text(&mut game, "12345671234567")?;
    let threads = NonZero::new(3).unwrap_or(NonZero::<usize>::MIN);
    let analysis = game.analyze(threads, &Budget::UNLIMITED, &StopFlag::new());
    assert_eq!((analysis.exact, analysis.value.plies), (true, Some(7)));
    let game = Catalog::bundled().game("ttt")?;
    let solved = game.solve(threads, &StopFlag::new(), |_| {});
    assert!(matches!(solved, Some(Ok(solved)) if solved.moves.len() == 9));
    Ok(())
}
