use std::io;
use std::thread;

use open_ttt_app::{InputLine, MoveReader, sentence};
use open_ttt_lib::rules::Notation;
use open_ttt_net::matches::{Act, DynMatch, MatchConflict, Seat};
use tokio::sync::mpsc::{Receiver, channel};

/// The lines of standard input.
pub(super) type Lines = Receiver<io::Result<InputLine>>;

/// Reads standard input on a thread of its own, a line ahead at most.
pub(super) fn read_lines() -> Lines {
    let (sender, receiver) = channel(1);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let line = InputLine::read(&mut input, InputLine::CONSOLE_LIMIT);
            let is_last = matches!(line, Ok(InputLine::EndOfInput) | Err(_));
            if sender.blocking_send(line).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}

/// No lines: a bot plays.
pub(super) fn no_lines() -> Lines {
    channel(1).1
}

/// Whether a line asks to leave.
pub(super) fn is_quit(text: &str) -> bool {
    matches!(&*text.trim().to_lowercase(), "quit" | "exit" | "q")
}

/// The words that can be entered besides a move.
pub(super) const HELP: &str = "\
Type a move on your turn, or one of these words at any time:
  board    show the board again
  moves    list all possible moves
  resign   resign the game
  draw     offer a draw
  undo     ask to undo your last move
  yes, no  answer your opponent
  rematch  play again after a game
  claim    claim the win if your opponent has left
  link     show the link to this match
  quit     leave; your seat is saved";

/// Parses an act of this seat, or of a watcher; an error is a sentence.
pub(super) fn parse_act(
    text: &str,
    current: &DynMatch,
    seat: Option<Seat>,
    reader: &mut MoveReader,
) -> Result<Act, String> {
    let Some(seat) = seat else {
        return Err("You're watching. Type board, link, help or quit.".to_owned());
    };
    let asks_undo = current.take_back() == Some(!seat);
    let offers_draw = current.draw_offer() == Some(!seat);
    Ok(match &*text.to_lowercase() {
        "resign" => Act::Resign,
        "draw" => Act::OfferDraw,
        "undo" | "back" => Act::AskTakeBack,
        "rematch" => Act::Rematch,
        "claim" => Act::Claim,
        "yes" | "y" if asks_undo => Act::GrantTakeBack,
        "yes" | "y" if offers_draw => Act::AcceptDraw,
        "yes" | "y" if current.verdict().is_some() => Act::Rematch,
        "no" | "n" if asks_undo => Act::RefuseTakeBack,
        "no" | "n" if offers_draw => Act::RefuseDraw,
        "yes" | "y" | "no" | "n" => return Err("There's nothing to answer.".to_owned()),
        _ => play(text, current, seat, reader)?,
    })
}

fn play(
    text: &str,
    current: &DynMatch,
    seat: Seat,
    reader: &mut MoveReader,
) -> Result<Act, String> {
    if current.verdict().is_some() {
        return Err("The game is over. Type rematch or quit.".to_owned());
    }
    if !current.has_started() {
        return Err("Your opponent hasn't joined yet.".to_owned());
    }
    let position = current.game().position();
    let m = reader.read(position, text)?;
    if current.to_move() != Some(seat) {
        return Err(sentence(MatchConflict::NotYourTurn));
    }
    Ok(Act::play(&position.move_text(m)))
}
