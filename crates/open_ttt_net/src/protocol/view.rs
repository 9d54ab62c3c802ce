use open_ttt_lib::rules::{Drawing, Named, Notation};
use serde::{Deserialize, Serialize};

use super::BoardView;
use crate::matches::{Clock, GameVerdict, MatchMachine, Score, Seat, Settings};

/// A match as displayed, for clients that do not know the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchView {
    /// The settings of the match.
    pub settings: Settings,
    /// The number of the current game, from 1.
    pub number: u32,
    /// The player in each seat.
    pub seats: [Option<SeatView>; 2],
    /// The score of the match.
    pub score: Score,
    /// The clocks, if the match has a time control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// The seat to move, while a game is in progress.
    pub to_move: Option<Seat>,
    /// The result, once the game is over.
    pub verdict: Option<GameVerdict>,
    /// The seat that offers a draw.
    pub draw_offer: Option<Seat>,
    /// The seat that asks for a take-back.
    pub take_back: Option<Seat>,
    /// The seat that claims that the opponent has left, and since when, in
    /// milliseconds since 1970.
    pub claim: Option<(Seat, u64)>,
    /// Whether seat A and seat B ask for another game.
    pub rematch: [bool; 2],
    /// The moves of the current game.
    pub moves: Vec<String>,
    /// The seat whose turn each of the moves was. Nobody made those in `settings.moves`,
    /// with which the game begins.
    pub movers: Vec<Seat>,
    /// The board.
    pub board: BoardView,
}

/// The player in a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeatView {
    /// The displayed name.
    pub name: String,
    /// The spec of a computer player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computer: Option<String>,
}

impl MatchView {
    /// The view of a match.
    pub fn of<G: Named + Notation + Drawing>(state: &MatchMachine<G>) -> Self {
        let seat = |seat: Seat| {
            state.player(seat).map(|player| SeatView {
                name: player.name.clone(),
                computer: player.computer.clone(),
            })
        };
        let mut position = state.game().start().clone();
        let mut before = None;
        let moves = state.game().moves();
        let mut texts = Vec::with_capacity(moves.len());
        let mut movers = Vec::with_capacity(moves.len());
        for (index, &m) in moves.iter().enumerate() {
            texts.push(position.move_text(m));
            movers.push(state.seat_of(position.to_move()));
            if index + 1 == moves.len() {
                before = Some((position.clone(), m));
            }
            position.play_unchecked(m);
        }
        let last = before.as_ref().map(|(before, m)| (before, *m));
        let mut board = BoardView::of(&position, last, |side| state.seat_of(side));
        if state.verdict().is_some() {
            board.end();
        } else if !state.is_running() {
            board.remove_choices();
        }
        Self {
            settings: state.settings().clone(),
            number: state.number(),
            seats: Seat::ALL.map(seat),
            score: state.score(),
            clock: state.clock().copied(),
            to_move: state.to_move(),
            verdict: state.verdict(),
            draw_offer: state.draw_offer(),
            take_back: state.take_back(),
            claim: state.claim(),
            rematch: Seat::ALL.map(|seat| state.wants_rematch(seat)),
            moves: texts,
            movers,
            board,
        }
    }
}
