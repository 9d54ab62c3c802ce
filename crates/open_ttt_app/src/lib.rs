#![doc = include_str!("../README.md")]

mod app;
mod clock;
mod closed_pipe;
mod computer_seat;
mod console;
#[cfg(test)]
mod contrast;
mod figures;
mod input_line;
mod judge_factory;
mod judge_thread;
mod move_reader;
mod opponent;
mod played_game;
pub mod player_thread;
mod puzzle_text;
mod question;
mod score;
mod screen;
mod series;
mod session;
mod winning_lines;
mod worth;

pub use app::{App, Games, Seat};
pub use clock::clock;
pub use closed_pipe::is_closed_pipe;
pub use console::{Console, SessionEnd, printable};
pub use figures::{duration_text, elo_text};
pub use input_line::InputLine;
pub use move_reader::MoveReader;
pub use open_ttt_draw as draw;
pub use opponent::{BoxedPlayer, Opponent};
pub use played_game::PlayedGame;
pub use puzzle_text::{puzzle_task, wrong_move_text};
pub use question::{possible_moves, question, sentence};
pub use ratatui;
pub use score::result_text;
pub use screen::{
    ArenaMatch, ArenaProgress, Background, ColorUse, FullScreen, ListItem, Preferences, PuzzleEnd,
    RemoteAction, RemoteClock, RemoteCommand, RemoteMatch, RemotePlayer, RemoteStatus,
    RemoteUpdate, Screen, Symbols,
};
pub use winning_lines::winning_lines;
pub use worth::{solved_clause, worth_clause, worth_text};
