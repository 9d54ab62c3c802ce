//! Puzzles in full screen.

use open_ttt_app::{ListItem, PuzzleEnd, Screen, SessionEnd};
use open_ttt_catalog::DynGame;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Drawing, TwoPlayerGame};

use super::source::Source;
use crate::app;

/// The most stars.
const MAX_STARS: u32 = 5;

/// Shows the puzzle with this index, and the next harder one each time unless only this one
/// is wanted.
pub(super) fn solve(
    screen: &mut Screen,
    source: &Source,
    index: usize,
    is_only: bool,
) -> Result<(), SessionEnd> {
    let app = app::without_opponents(&source.start);
    let mut index = Some(index);
    loop {
        let numbered = match source.puzzle(index) {
            Ok(numbered) => numbered,
            Err(failure) => return screen.show("Puzzles", &failure.message),
        };
        match screen.solve(&app, &source.title(&numbered), &numbered.puzzle)? {
            PuzzleEnd::Next if !is_only => index = source.following(index),
            PuzzleEnd::Next | PuzzleEnd::Back => return Ok(()),
        }
    }
}

/// Lets the player choose among a game's puzzles until they go back.
pub(crate) fn menu(screen: &mut Screen, game: DynGame) -> Result<(), SessionEnd> {
    let title = format!("{}: puzzles", game.entry().title);
    let source = Source::of(game);
    let of_stars = (1..=MAX_STARS).map(|stars| (stars, source.puzzles.with_stars(stars)));
    let of_stars: Vec<_> = of_stars.filter(|(_, range)| !range.is_empty()).collect();
    let mut items = vec![daily_item(&source)];
    items.extend(of_stars.iter().map(|(stars, range)| {
        let (stars, count) = (*stars as usize, range.len());
        let stars = "*".repeat(stars);
        let plural = if count == 1 { "" } else { "s" };
        ListItem::new(format!("{stars:5} {count} puzzle{plural}"))
    }));
    let mut selected = 0;
    while let Some(chosen) = screen.choose(&title, &items, selected)? {
        selected = chosen;
        let index = match chosen.checked_sub(1).and_then(|at| of_stars.get(at)) {
            Some((_, range)) => Rng::from_entropy().pick(range.clone()),
            None => source.daily(),
        };
        if let Some(index) = index {
            solve(screen, &source, index, false)?;
        }
    }
    Ok(())
}

/// The puzzle of the day with its drawing.
fn daily_item(source: &Source) -> ListItem {
    let puzzle = source
        .daily()
        .and_then(|index| source.puzzle(Some(index)).ok());
    let picture = puzzle.map(|numbered| {
        let mut position = source.start.clone();
        for &m in &numbered.puzzle.moves {
            position.play_unchecked(m);
        }
        position.picture().map_moves(|_| ())
    });
    ListItem {
        text: "One for everybody, and tomorrow another.".to_owned(),
        picture,
        ..ListItem::new("Puzzle of the day")
    }
}
