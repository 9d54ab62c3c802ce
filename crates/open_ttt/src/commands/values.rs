//! What moves are worth, as reports.

use open_ttt_app::worth_text;
use open_ttt_catalog::{DynGame, DynMove};
use open_ttt_coach::{Hint, MoveValue};
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use serde::Serialize;

use super::{ValueReport, line_texts};

/// What a move is worth to the side that plays it; in `--json` a stable format.
#[derive(Serialize)]
pub(super) struct MoveReport {
    #[serde(rename = "move")]
    pub(super) text: String,
    #[serde(flatten)]
    value: ValueReport,
    /// Whether the result is proved.
    exact: bool,
    /// The points that can be expected, from 0 to 1.
    expected: f64,
    /// By how much that may be wrong, as far as the search shows it.
    uncertainty: f64,
    /// The value in words.
    #[serde(skip)]
    pub(super) worth: String,
}

/// A good move and why; in `--json` a stable format.
#[derive(Serialize)]
pub(super) struct HintReport {
    #[serde(rename = "move")]
    text: String,
    pub(super) sentence: String,
    line: Vec<String>,
}

impl MoveReport {
    pub(super) fn new(game: &DynGame, value: &MoveValue<DynMove>) -> Self {
        Self {
            text: game.move_text(value.m),
            value: ValueReport::new(value.solved),
            exact: value.is_proved(),
            expected: rounded(value.expected),
            uncertainty: rounded(value.uncertainty),
            worth: worth_text(game.side_name(game.to_move()), value),
        }
    }
}

impl HintReport {
    pub(super) fn new(game: &DynGame, hint: &Hint<DynMove>) -> Self {
        Self {
            text: game.move_text(hint.m),
            sentence: hint.sentence(game),
            line: line_texts(game, &hint.line),
        }
    }
}

/// Four decimals.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}
