use std::ffi::c_char;

use open_ttt_catalog::{DynGame, DynMove};
use open_ttt_coach::{GameValue, MoveValue};
use open_ttt_lib::rules::Notation;

/// The size of the text of a move, with its end.
pub const OPEN_TTT_MOVE_BYTES: usize = 48;

/// How the game ends under best play.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenTttResult {
    /// Not proved.
    Unknown = 0,
    /// The side that plays the move wins.
    Win = 1,
    /// A draw.
    Draw = 2,
    /// The side that plays the move loses.
    Loss = 3,
}

/// What a move is worth to the side that plays it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OpenTttValue {
    /// The move in the game's notation.
    pub move_text: [c_char; OPEN_TTT_MOVE_BYTES],
    /// How the game ends under best play, if that is proved.
    pub result: OpenTttResult,
    /// The number of moves to the end, this one included; -1 if it isn't known.
    pub plies: i32,
    /// By how many points the side wins, if `has_margin`.
    pub margin: i32,
    /// Whether the game is scored and the margin proved.
    pub has_margin: bool,
    /// The points that the side can expect, 0 to 1: a win counts 1, a draw half.
    pub expected: f64,
    /// By how much that may be wrong, as far as the search shows it; 0 if it is proved.
    pub uncertainty: f64,
}

impl OpenTttValue {
    pub(crate) fn new(position: &DynGame, value: &MoveValue<DynMove>) -> Self {
        let mut move_text = [0; OPEN_TTT_MOVE_BYTES];
        let text = position.move_text(value.m);
        let fitting = text.bytes().take(OPEN_TTT_MOVE_BYTES - 1);
        for (to, byte) in move_text.iter_mut().zip(fitting) {
            *to = byte.cast_signed() as c_char;
        }
        let solved = value.solved;
        Self {
            move_text,
            result: match solved.result {
                GameValue::Win => OpenTttResult::Win,
                GameValue::Draw => OpenTttResult::Draw,
                GameValue::Loss => OpenTttResult::Loss,
                GameValue::Unknown => OpenTttResult::Unknown,
            },
            plies: solved
                .plies
                .map_or(-1, |plies| i32::try_from(plies).unwrap_or(i32::MAX)),
            margin: solved.margin.unwrap_or(0),
            has_margin: solved.margin.is_some(),
            expected: value.expected,
            uncertainty: value.uncertainty,
        }
    }
}
