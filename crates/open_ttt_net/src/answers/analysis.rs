//! What moves are worth: positions analyzed, games reviewed.

use core::num::NonZero;
use core::time::Duration;

use open_ttt_catalog::{AnalysisResult, Catalog, DynGame, DynMove};
use open_ttt_coach::{Judge, MoveValue, PositionValues, hint, review};
use open_ttt_lib::rules::{History, Notation, Outcome, Side, TwoPlayerGame};
use open_ttt_lib::state_machine::GameMove;
use open_ttt_players::Turn;
use open_ttt_search::{Budget, Clock, StopFlag};

use super::bad_request;
use crate::protocol::{
    AnalyzePosition, ErrorReport, GameResult, GameReview, MoveWorth, PositionAnalysis,
    PositionHint, ReviewGame, ReviewedMove,
};

/// Maximum length of a game to analyze, in moves.
const MAX_MOVES: usize = 1_000;

/// How long the moves of a game are judged, unless there is less time.
const REVIEW_TIME: Duration = Duration::from_secs(2);

const ONE_THREAD: NonZero<usize> = NonZero::<usize>::MIN;

/// The value of a position, as far as it is found until the flag is raised.
pub(crate) fn analyze(
    catalog: &Catalog,
    request: &AnalyzePosition,
    clock: Clock,
    stop: &StopFlag,
) -> Result<PositionAnalysis, ErrorReport> {
    let game = played(catalog, &request.game, &request.moves)?;
    let limit = request.ms.map(|ms| Duration::from_millis(ms.into()));
    let budget = limit.map_or(Budget::UNLIMITED, |limit| Budget::time(limit, clock));
    if request.values && game.outcome().is_none() {
        return Ok(with_values(&game, &budget, stop));
    }
    let analysis = AnalysisResult::of_game(&game, ONE_THREAD, &budget, stop);
    let best = analysis.best.iter();
    let best = best.map(|&m| game.position().move_text(m));
    Ok(PositionAnalysis {
        result: analysis.value.result.as_str().to_owned(),
        plies: analysis.value.plies,
        margin: analysis.value.margin,
        best: best.collect(),
        exact: analysis.exact,
        values: Vec::new(),
        hint: None,
    })
}

/// The value of every move of an unfinished game.
fn with_values(game: &History<DynGame>, budget: &Budget, stop: &StopFlag) -> PositionAnalysis {
    let position = game.position();
    let turn = Turn::of(game).with_stop(stop.clone());
    let mut judge = position.judge(ONE_THREAD);
    let values: PositionValues<DynMove> = judge.judge(&turn, budget, &mut |_| ());
    let solved = values.result();
    let best = values.best_moves().map(|value| position.move_text(value.m));
    let hint = hint(position, &values).map(|hint| PositionHint {
        m: position.move_text(hint.m),
        why: hint.sentence(position),
        line: line(position, &hint.line),
    });
    PositionAnalysis {
        result: solved.result.as_str().to_owned(),
        plies: solved.plies,
        margin: solved.margin,
        best: best.collect(),
        exact: values.is_proved(),
        values: values
            .moves
            .iter()
            .map(|value| worth(position, value))
            .collect(),
        hint,
    }
}

/// A game judged move by move, as far as that is found until the flag is raised.
pub(crate) fn review_game(
    catalog: &Catalog,
    request: &ReviewGame,
    clock: Clock,
    stop: &StopFlag,
) -> Result<GameReview, ErrorReport> {
    let game = played(catalog, &request.game, &request.moves)?;
    let mut judge = game.start().judge(ONE_THREAD);
    let budget = Budget::time(REVIEW_TIME, clock);
    let reviewed = review(&game, &mut judge, &budget, stop, |_| ());
    let outcome = game.outcome().or(request.result.map(|result| match result {
        GameResult::First => Outcome::Win(Side::First),
        GameResult::Second => Outcome::Win(Side::Second),
        GameResult::Draw => Outcome::Draw,
    }));
    let mut position = game.start().clone();
    let mut moves = Vec::with_capacity(reviewed.moves.len());
    for (one, &m) in reviewed.moves.iter().zip(game.moves()) {
        moves.push(ReviewedMove {
            side: one.side.index() as u8,
            quality: one.quality.as_str().to_owned(),
            lost: one.lost,
            played: worth(&position, &one.played),
            best: worth(&position, &one.best),
            line: line(&position, &one.line),
            first_expects: one.expected_after(Side::First),
        });
        position.play_unchecked(m);
    }
    Ok(GameReview {
        accuracy: reviewed.accuracy,
        turning_point: outcome.and_then(|outcome| reviewed.turning_point(outcome)),
        moves,
    })
}

fn worth(position: &DynGame, value: &MoveValue<DynMove>) -> MoveWorth {
    MoveWorth {
        m: position.move_text(value.m),
        result: value.solved.result.as_str().to_owned(),
        plies: value.solved.plies,
        margin: value.solved.margin,
        exact: value.is_proved(),
        expected: value.expected,
        uncertainty: value.uncertainty,
    }
}

/// Successive moves, each in the notation of its position.
fn line(start: &DynGame, moves: &[DynMove]) -> Vec<String> {
    let mut line = History::new(start.clone());
    for &m in moves {
        line.play_unchecked(m);
    }
    line.move_texts()
}

/// The game after these moves, or why it can't be played.
pub(crate) fn played(
    catalog: &Catalog,
    name: &str,
    moves: &[impl AsRef<str>],
) -> Result<History<DynGame>, ErrorReport> {
    if moves.len() > MAX_MOVES {
        return Err(bad_request(format_args!(
            "A game of more than {MAX_MOVES} moves can't be analyzed."
        )));
    }
    let start = catalog.game(name);
    let mut game = History::new(start.map_err(bad_request)?);
    for (text, number) in moves.iter().zip(1..) {
        play(&mut game, text.as_ref())
            .map_err(|cause| bad_request(format_args!("Move {number} can't be played: {cause}")))?;
    }
    Ok(game)
}

/// Plays a move, or says why it cannot be played.
fn play(game: &mut History<DynGame>, text: &str) -> Result<(), String> {
    if text.len() > GameMove::MAX_LENGTH {
        return Err("it is too long".to_owned());
    }
    let parsed = game.position().parse_move(text);
    let m = parsed.map_err(|error| error.to_string())?;
    game.play(m).map_err(|error| error.reason.to_string())
}
