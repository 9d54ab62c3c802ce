//! Positions to look at and to learn from.

use open_ttt_catalog::{Catalog, DynGame, PlayerSpec};
use open_ttt_lib::rules::{History, Notation, Outcome, Side, TwoPlayerGame};
use open_ttt_players::{Turn, request_move};
use open_ttt_search::{Clock, StopFlag};

use super::analysis::played;
use super::bad_request;
use crate::matches::Seat;
use crate::protocol::{
    BoardView, ErrorReport, GameLesson, GameResult, PositionBoard, ShowPosition,
};

/// The number of games in which a position for a lesson is looked for.
const MAX_GAMES: u64 = 16;

/// The most moves of such a game.
const MAX_MOVES: usize = 300;

/// A position of which at most a third of the moves win is good enough.
const FEW: usize = 3;

/// A position as it is drawn.
pub(crate) fn show(
    catalog: &Catalog,
    request: &ShowPosition,
) -> Result<PositionBoard, ErrorReport> {
    let texts: Vec<&str> = request.moves.iter().map(|m| m.0.as_str()).collect();
    let game = played(catalog, &request.game, &texts)?;
    let mut before = game.clone();
    let last = before.undo().map(|m| (before.position(), m));
    let mut board = BoardView::of(game.position(), last, |side| Seat::ALL[side.index()]);
    let outcome = game.outcome();
    if outcome.is_some() {
        board.end();
    }
    Ok(PositionBoard {
        moves: game.move_texts(),
        result: outcome.map(|outcome| match outcome {
            Outcome::Win(Side::First) => GameResult::First,
            Outcome::Win(Side::Second) => GameResult::Second,
            Outcome::Draw => GameResult::Draw,
        }),
        board,
    })
}

/// A position in which a move wins at once, of games between players that see one move
/// ahead and err: the first one in which few of the moves do, else that with the fewest.
pub(crate) fn lesson(
    catalog: &Catalog,
    name: &str,
    clock: Clock,
    stop: &StopFlag,
) -> Result<GameLesson, ErrorReport> {
    let start = catalog.game(name).map_err(bad_request)?;
    let mut found: Option<(usize, GameLesson)> = None;
    for seed in 1..=MAX_GAMES {
        if stop.is_raised() {
            break;
        }
        let Some((share, lesson)) = position_to_win(&start, seed, clock) else {
            continue;
        };
        if share >= FEW {
            return Ok(lesson);
        }
        if found.as_ref().is_none_or(|(most, _)| share > *most) {
            found = Some((share, lesson));
        }
    }
    Ok(found.map_or_else(GameLesson::default, |(_, lesson)| lesson))
}

/// The first position of a game in which a move wins, and of how many moves one does.
fn position_to_win(start: &DynGame, seed: u64, clock: Clock) -> Option<(usize, GameLesson)> {
    let spec: PlayerSpec = format!("negamax(depth=1,mistakes=0.3,seed={seed})")
        .parse()
        .ok()?;
    let mut player = start.player(&spec, clock).ok()?;
    let mut game = History::new(start.clone());
    while game.outcome().is_none() && game.moves().len() < MAX_MOVES {
        let position = game.position();
        let side = position.to_move();
        let moves: Vec<_> = position.moves().collect();
        let wins = |m| {
            let mut next = game.clone();
            next.play(m).is_ok() && next.outcome() == Some(Outcome::Win(side))
        };
        let winning: Vec<_> = moves.iter().copied().filter(|&m| wins(m)).collect();
        if !winning.is_empty() {
            let lesson = GameLesson {
                moves: game.move_texts(),
                wins: winning.iter().map(|&m| position.move_text(m)).collect(),
            };
            return Some((moves.len() / winning.len(), lesson));
        }
        let m = request_move(Turn::of(&game), &mut player).ok()?;
        game.play(m).ok()?;
    }
    None
}
