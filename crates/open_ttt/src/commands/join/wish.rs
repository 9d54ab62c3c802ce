use open_ttt_app::read_move;
use open_ttt_lib::rules::Notation;
use open_ttt_net::matches::{Act, DynMatch, MatchConflict, Seat};

/// What can be said in a match, besides a move.
pub(super) const HELP: &str = "\
Write a move when it is your turn, or at any time one of these words:
  board    shows the board again
  resign   gives the game up
  draw     offers a draw
  back     asks to have your last move back
  yes, no  answers what the other side offers or asks
  rematch  plays another game when one is over
  claim    claims the win if the other side has left
  link     shows the link of the match, for friends
  quit     leaves; the match stays, and so does your seat";

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Do(Act),
    Board,
    Help,
    Link,
    Quit,
}

/// Makes something of what was typed.
///
/// # Errors
///
/// What is wrong with it, as a sentence.
pub(super) fn read(text: &str, table: &DynMatch, seat: Option<Seat>) -> Result<Wish, String> {
    let word = text.to_lowercase();
    let wish = match &*word {
        "quit" | "exit" | "q" => return Ok(Wish::Quit),
        "help" | "?" => return Ok(Wish::Help),
        "board" => return Ok(Wish::Board),
        "link" => return Ok(Wish::Link),
        _ => Wish::Do,
    };
    let Some(seat) = seat else {
        return Err("You watch, and can write board, link, help and quit".to_owned());
    };
    let act = match &*word {
        "resign" => Act::Resign,
        "draw" => Act::OfferDraw,
        "back" | "undo" => Act::AskTakeBack,
        "rematch" => Act::Rematch,
        "claim" => Act::Claim,
        "yes" | "y" | "no" | "n" => answer(word.starts_with('y'), table, seat)?,
        _ => play(text, table, seat)?,
    };
    Ok(wish(act))
}

/// Answers what the other side has asked last.
fn answer(yes: bool, table: &DynMatch, seat: Seat) -> Result<Act, String> {
    let other = Some(!seat);
    match () {
        () if table.take_back() == other && yes => Ok(Act::GrantTakeBack),
        () if table.take_back() == other => Ok(Act::RefuseTakeBack),
        () if table.draw_offer() == other && yes => Ok(Act::AcceptDraw),
        () if table.draw_offer() == other => Ok(Act::RefuseDraw),
        () if table.verdict().is_some() && yes => Ok(Act::Rematch),
        () => Err("Nothing has been asked".to_owned()),
    }
}

fn play(text: &str, table: &DynMatch, seat: Seat) -> Result<Act, String> {
    let position = table.game().position();
    if table.verdict().is_some() {
        return Err("The game is over; rematch plays another one, quit leaves".to_owned());
    }
    if !table.has_started() {
        return Err("Nobody has taken the other seat yet".to_owned());
    }
    let m = read_move(position, text)?;
    if table.to_move() != Some(seat) {
        return Err(sentence(MatchConflict::NotYourTurn));
    }
    Ok(Act::play(&position.move_text(m)))
}

/// A conflict as a sentence begins.
pub(super) fn sentence(conflict: MatchConflict) -> String {
    let text = conflict.to_string();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
