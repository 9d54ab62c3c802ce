//! The functions as Rust would have them: what they return is freed, and errors are errors.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use open_ttt_c::{
    OpenTttGame, OpenTttOutcome, OpenTttPlayer, OpenTttResult, OpenTttSide, OpenTttValue,
    open_ttt_game_board, open_ttt_game_copy, open_ttt_game_free, open_ttt_game_hint,
    open_ttt_game_history, open_ttt_game_legal_moves, open_ttt_game_new, open_ttt_game_outcome,
    open_ttt_game_play, open_ttt_game_side_name, open_ttt_game_to_move, open_ttt_game_undo,
    open_ttt_game_values, open_ttt_last_error, open_ttt_network_add, open_ttt_player_choose,
    open_ttt_player_free, open_ttt_player_new, open_ttt_text_free,
};

/// What went wrong in the last call.
pub(crate) fn last_error() -> Option<String> {
    let error = open_ttt_last_error();
    if error.is_null() {
        return None;
    }
    // SAFETY: a text that stays until the next call.
    let error = unsafe { CStr::from_ptr(error) };
    Some(error.to_str().unwrap().to_owned())
}

/// What a call has returned, or the error that it left.
fn result<T>(returned: Option<T>) -> Result<T, String> {
    returned.ok_or_else(|| last_error().unwrap())
}

/// A text that a call has returned.
///
/// # Safety
///
/// It is null, or to be freed.
pub(crate) unsafe fn text(returned: *mut c_char) -> Result<String, String> {
    if returned.is_null() {
        return Err(last_error().unwrap());
    }
    assert_eq!(last_error(), None);
    // SAFETY: the caller's promise.
    unsafe {
        let text = CStr::from_ptr(returned).to_str().unwrap().to_owned();
        open_ttt_text_free(returned);
        Ok(text)
    }
}

/// A move, how the game ends then, and when.
pub(crate) type Value = (String, OpenTttResult, i32);

pub(crate) struct Game(*mut OpenTttGame);

// Each function is called as its documentation demands: a game is one that was returned and
// isn't freed, texts end with a zero, and values have the room that is told.
impl Game {
    pub(crate) fn new(name: &CStr) -> Result<Self, String> {
        // SAFETY: as above.
        let game = unsafe { open_ttt_game_new(name.as_ptr()) };
        result((!game.is_null()).then_some(Self(game)))
    }

    pub(crate) fn copy(&self) -> Self {
        // SAFETY: as above.
        Self(unsafe { open_ttt_game_copy(self.0) })
    }

    pub(crate) fn play(&mut self, moves: &CStr) -> Result<(), String> {
        // SAFETY: as above.
        let played = unsafe { open_ttt_game_play(self.0, moves.as_ptr()) };
        result(played.then_some(()))
    }

    pub(crate) fn undo(&mut self) -> bool {
        // SAFETY: as above.
        unsafe { open_ttt_game_undo(self.0) }
    }

    pub(crate) fn to_move(&self) -> OpenTttSide {
        // SAFETY: as above.
        unsafe { open_ttt_game_to_move(self.0) }
    }

    pub(crate) fn outcome(&self) -> OpenTttOutcome {
        // SAFETY: as above.
        unsafe { open_ttt_game_outcome(self.0) }
    }

    pub(crate) fn side_name(&self, side: i32) -> Result<String, String> {
        // SAFETY: as above.
        unsafe { text(open_ttt_game_side_name(self.0, side)) }
    }

    pub(crate) fn legal_moves(&self) -> String {
        // SAFETY: as above.
        unsafe { text(open_ttt_game_legal_moves(self.0)) }.unwrap()
    }

    pub(crate) fn history(&self) -> String {
        // SAFETY: as above.
        unsafe { text(open_ttt_game_history(self.0)) }.unwrap()
    }

    pub(crate) fn board(&self) -> String {
        // SAFETY: as above.
        unsafe { text(open_ttt_game_board(self.0)) }.unwrap()
    }

    pub(crate) fn hint(&mut self) -> Result<String, String> {
        // SAFETY: as above.
        unsafe { text(open_ttt_game_hint(self.0, 0)) }
    }

    /// The number of legal moves, and as many of their values as fit into the capacity.
    pub(crate) fn values(&mut self, capacity: usize) -> (isize, Vec<Value>) {
        let mut values = Vec::<OpenTttValue>::with_capacity(capacity);
        let room = match capacity {
            0 => ptr::null_mut(),
            _ => values.as_mut_ptr(),
        };
        // SAFETY: as above, and as many values are there as the function says.
        let moves = unsafe {
            let moves = open_ttt_game_values(self.0, 0, room, capacity);
            values.set_len(moves.cast_unsigned().min(capacity));
            moves
        };
        let value = |value: &OpenTttValue| {
            // SAFETY: the text ends within its room.
            let m = unsafe { CStr::from_ptr(value.move_text.as_ptr()) };
            (m.to_str().unwrap().to_owned(), value.result, value.plies)
        };
        (moves, values.iter().map(value).collect())
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        // SAFETY: it isn't used any more.
        unsafe { open_ttt_game_free(self.0) };
    }
}

pub(crate) struct Player(*mut OpenTttPlayer);

impl Player {
    pub(crate) fn new(game: &Game, name: &str) -> Result<Self, String> {
        let name = CString::new(name).unwrap();
        // SAFETY: a game and a text.
        let player = unsafe { open_ttt_player_new(game.0, name.as_ptr()) };
        result((!player.is_null()).then_some(Self(player)))
    }

    pub(crate) fn choose(&mut self, game: &Game) -> Result<String, String> {
        // SAFETY: a player, and a game of its kind.
        unsafe { text(open_ttt_player_choose(self.0, game.0)) }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        // SAFETY: it isn't used any more.
        unsafe { open_ttt_player_free(self.0) };
    }
}

pub(crate) fn add_network(name: &str, bytes: &[u8]) -> Result<(), String> {
    let name = CString::new(name).unwrap();
    // SAFETY: a text, and bytes with their number.
    let added = unsafe { open_ttt_network_add(name.as_ptr(), bytes.as_ptr(), bytes.len()) };
    result(added.then_some(()))
}
