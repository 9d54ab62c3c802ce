//! The final margin under best play, by plain alpha-beta search.

use open_ttt_lib::rules::{Margin, Side};

/// The final margin of the first side under best play of both.
pub(super) fn exact_margin<G: Margin>(game: &G) -> i32 {
    search(game, i32::MIN, i32::MAX)
}

/// The first side raises `alpha` and the second lowers `beta`, whoever moves next.
fn search<G: Margin>(game: &G, mut alpha: i32, mut beta: i32) -> i32 {
    if game.outcome().is_some() {
        return game.margin();
    }
    let side = game.to_move();
    for m in game.moves() {
        let margin = search(&game.after(m), alpha, beta);
        match side {
            Side::First => alpha = alpha.max(margin),
            Side::Second => beta = beta.min(margin),
        }
        if alpha >= beta {
            break;
        }
    }
    match side {
        Side::First => alpha,
        Side::Second => beta,
    }
}
