use std::ffi::{c_char, c_int};
use std::num::NonZero;
use std::ptr;

use open_ttt_catalog::{Catalog, DynGame, DynMove};
use open_ttt_coach::{Judge, PositionValues, hint};
use open_ttt_draw::{Size, draw};
use open_ttt_lib::rules::{Drawing, History, Notation, Outcome, Side, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::Budget;

use crate::call::call;
use crate::error::Failure;
use crate::text::{given_away, taken};
use crate::value::OpenTttValue;

/// The positions that are looked at if the caller sets no limit and the game can't be proved.
const UNPROVABLE: u64 = 100_000;

/// A game: its position and the moves that led to it. One thread at a time may use it.
#[derive(Debug)]
pub struct OpenTttGame {
    pub(crate) history: History<DynGame>,
    judge: KeptJudge,
}

/// What finds values of moves, and remembers what it has found.
struct KeptJudge(Option<Box<dyn Judge<DynGame> + Send>>);

impl std::fmt::Debug for KeptJudge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptJudge").finish_non_exhaustive()
    }
}

/// A side of a game.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenTttSide {
    /// There is none: see `open_ttt_last_error`.
    Error = -1,
    /// The side that moves first.
    First = 0,
    /// The other side.
    Second = 1,
}

/// How a game has ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenTttOutcome {
    /// There is none: see `open_ttt_last_error`.
    Error = -1,
    /// It goes on.
    Unfinished = 0,
    /// The first side has won.
    FirstWins = 1,
    /// The second side has won.
    SecondWins = 2,
    /// Nobody has won.
    Draw = 3,
}

impl OpenTttGame {
    fn at(history: History<DynGame>) -> Self {
        Self {
            history,
            judge: KeptJudge(None),
        }
    }

    /// None when the game is over, be it by a rule that the position doesn't show.
    fn values(&mut self, nodes: u64) -> PositionValues<DynMove> {
        if self.history.outcome().is_some() {
            return PositionValues::new(Vec::new(), Vec::new(), 0);
        }
        let game = self.history.position();
        let judge = self
            .judge
            .0
            .get_or_insert_with(|| game.judge(NonZero::<usize>::MIN));
        let budget = match nodes {
            0 if game.can_be_proved() => Budget::UNLIMITED,
            0 => Budget::nodes(UNPROVABLE),
            _ => Budget::nodes(nodes),
        };
        judge.judge(&Turn::of(&self.history), &budget, &mut |_| ())
    }
}

/// The caller's game.
///
/// # Safety
///
/// `game` is null or a game that nothing else uses during the call.
unsafe fn shared<'a>(game: *const OpenTttGame) -> Result<&'a OpenTttGame, Failure> {
    // SAFETY: as above.
    let game = unsafe { game.as_ref() };
    game.ok_or_else(|| Failure::new("the game is NULL"))
}

/// The caller's game, to change it.
///
/// # Safety
///
/// As for [`shared`].
unsafe fn exclusive<'a>(game: *mut OpenTttGame) -> Result<&'a mut OpenTttGame, Failure> {
    // SAFETY: as above.
    let game = unsafe { game.as_mut() };
    game.ok_or_else(|| Failure::new("the game is NULL"))
}

/// A new game by its name: a key with any parameters that aren't at their defaults, as in
/// `"connect4"` or `"mnk(m=5,n=5,k=4)"`. The caller frees it with `open_ttt_game_free`;
/// `NULL` is an error.
///
/// # Safety
///
/// `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_new(name: *const c_char) -> *mut OpenTttGame {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let name = unsafe { taken(name, "the name") }?;
        let game = Catalog::bundled().game(name).map_err(Failure::new)?;
        let game = OpenTttGame::at(History::new(game));
        Ok(Box::into_raw(Box::new(game)))
    })
}

/// The same game once more, which can be played on independently. The caller frees it;
/// `NULL` is an error.
///
/// # Safety
///
/// `game` is a game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_copy(game: *const OpenTttGame) -> *mut OpenTttGame {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let game = unsafe { shared(game) }?;
        let copy = OpenTttGame::at(game.history.clone());
        Ok(Box::into_raw(Box::new(copy)))
    })
}

/// Frees a game. `NULL` is allowed.
///
/// # Safety
///
/// `game` is a game that isn't used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_free(game: *mut OpenTttGame) {
    if !game.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(game) });
    }
}

/// Plays one or more moves in the game's notation, separated by spaces or commas. False is an
/// error: the moves before the illegal one are played.
///
/// # Safety
///
/// `game` is a game and `moves` a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_play(game: *mut OpenTttGame, moves: *const c_char) -> bool {
    call(false, || {
        // SAFETY: the caller's promise.
        let (game, moves) = unsafe { (exclusive(game)?, taken(moves, "the moves")?) };
        game.history.play_text(moves).map_err(Failure::new)?;
        Ok(true)
    })
}

/// Takes the last move back. False if there is none, which is no error, or on an error.
///
/// # Safety
///
/// `game` is a game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_undo(game: *mut OpenTttGame) -> bool {
    call(false, || {
        // SAFETY: the caller's promise.
        let game = unsafe { exclusive(game) }?;
        Ok(game.history.undo().is_some())
    })
}

/// The side to move; when the game is over, the one that would move next.
///
/// # Safety
///
/// `game` is a game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_to_move(game: *const OpenTttGame) -> OpenTttSide {
    call(OpenTttSide::Error, || {
        // SAFETY: the caller's promise.
        let game = unsafe { shared(game) }?;
        Ok(match game.history.position().to_move() {
            Side::First => OpenTttSide::First,
            Side::Second => OpenTttSide::Second,
        })
    })
}

/// The name of a side in this game, as in `"X"` or `"Red"`, by its value in `OpenTttSide`. The caller frees the text; `NULL`
/// is an error.
///
/// # Safety
///
/// `game` is a game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_side_name(
    game: *const OpenTttGame,
    side: c_int,
) -> *mut c_char {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let game = unsafe { shared(game) }?;
        let side = match side {
            0 => Side::First,
            1 => Side::Second,
            other => return Err(Failure::new(format_args!("a side is 0 or 1, not {other}"))),
        };
        Ok(given_away(game.history.position().side_name(side)))
    })
}

/// How the game has ended.
///
/// # Safety
///
/// `game` is a game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_outcome(game: *const OpenTttGame) -> OpenTttOutcome {
    call(OpenTttOutcome::Error, || {
        // SAFETY: the caller's promise.
        let game = unsafe { shared(game) }?;
        Ok(match game.history.outcome() {
            None => OpenTttOutcome::Unfinished,
            Some(Outcome::Win(Side::First)) => OpenTttOutcome::FirstWins,
            Some(Outcome::Win(Side::Second)) => OpenTttOutcome::SecondWins,
            Some(Outcome::Draw) => OpenTttOutcome::Draw,
        })
    })
}

/// The legal moves in the game's notation, separated by spaces; empty when the game is over.
/// The caller frees the text; `NULL` is an error.
///
/// # Safety
///
/// `game` is a game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_legal_moves(game: *const OpenTttGame) -> *mut c_char {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let history = unsafe { &shared(game)?.history };
        let position = history.position();
        let moves: Vec<_> = match history.outcome() {
            None => position.moves().map(|m| position.move_text(m)).collect(),
            Some(_) => Vec::new(),
        };
        Ok(given_away(&moves.join(" ")))
    })
}

/// The moves so far in the game's notation, separated by spaces. The caller frees the text;
/// `NULL` is an error.
///
/// # Safety
///
/// `game` is a game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_history(game: *const OpenTttGame) -> *mut c_char {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let game = unsafe { shared(game) }?;
        Ok(given_away(&game.history.move_texts().join(" ")))
    })
}

/// The board as text of several lines. The caller frees the text; `NULL` is an error.
///
/// # Safety
///
/// `game` is a game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_board(game: *const OpenTttGame) -> *mut c_char {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let game = unsafe { shared(game) }?;
        let board = draw(&game.history.position().picture(), Size::default());
        Ok(given_away(&board.to_string()))
    })
}

/// What the legal moves are worth, the best first, as far as can be found out by looking at
/// `nodes` positions; 0 is as many as it takes, or 100,000 in a game that is too large for
/// that. At most `capacity` values are written. Returns the number of legal moves; -1 is an
/// error. It keeps tables, which make the next search faster.
///
/// # Safety
///
/// `game` is a game, and `values` points to `capacity` values or is `NULL` if that is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_values(
    game: *mut OpenTttGame,
    nodes: u64,
    values: *mut OpenTttValue,
    capacity: usize,
) -> isize {
    call(-1, || {
        // SAFETY: the caller's promise.
        let game = unsafe { exclusive(game) }?;
        if values.is_null() && capacity > 0 {
            return Err(Failure::new("the values are NULL"));
        }
        let found = game.values(nodes).moves;
        let position = game.history.position();
        for (at, value) in found.iter().take(capacity).enumerate() {
            // SAFETY: the caller's promise: there is room for `capacity` values.
            unsafe { values.add(at).write(OpenTttValue::new(position, value)) };
        }
        Ok(found.len().cast_signed())
    })
}

/// A good move and why, as a sentence, found by looking at `nodes` positions; 0 is as many as
/// it takes, or 100,000 in a game that is too large for that. The caller frees the text;
/// `NULL` is an error, also when the game is over.
///
/// # Safety
///
/// `game` is a game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_game_hint(game: *mut OpenTttGame, nodes: u64) -> *mut c_char {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let game = unsafe { exclusive(game) }?;
        let values = game.values(nodes);
        let position = game.history.position();
        let hint = hint(position, &values).ok_or_else(|| Failure::new("the game is over"))?;
        Ok(given_away(&hint.sentence(position)))
    })
}
