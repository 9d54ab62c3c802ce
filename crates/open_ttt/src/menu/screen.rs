//! The menu in full screen.

use open_ttt_app::{ListItem, Screen, SessionEnd, sentence};
use open_ttt_catalog::{Catalog, DynGame, GameEntry};
use open_ttt_lib::rules::{Drawing, TwoPlayerGame};

use crate::app;
use crate::commands::play::go_on_item;
use crate::commands::puzzle;
use crate::games::names_with_parameters;
use crate::kept_games::{self, KeptGames};
use crate::settings::UserSettings;

/// The moves that are played for the drawing of a game.
const DRAWN_MOVES: usize = 6;

/// The most unfinished games in the menu.
const MAX_OFFERED: usize = 3;

/// Shows the menu until the player quits.
pub(super) fn menu(
    screen: &mut Screen,
    catalog: &Catalog,
    kept: Option<&KeptGames>,
    settings: &UserSettings,
) -> Result<(), SessionEnd> {
    loop {
        let (mut unfinished, problems) = kept
            .map(|kept| kept.unfinished(catalog))
            .unwrap_or_default();
        kept_games::show_problems(screen, &problems)?;
        unfinished.truncate(MAX_OFFERED);
        let go_on = unfinished.iter().map(go_on_item);
        let items: Vec<_> = go_on
            .chain(["Play", "Puzzles", "Rules", "Quit"].map(ListItem::new))
            .collect();
        let chosen = screen.choose(&super::title(), &items, 0)?;
        match (chosen, kept) {
            (Some(index), Some(kept)) if index < unfinished.len() => {
                let resumed = unfinished.swap_remove(index);
                // Other programs may go on with the others.
                drop(unfinished);
                app::resumed(resumed, kept).play_on(screen)?;
                continue;
            }
            _ => {}
        }
        // Other programs may go on with them.
        let offered = unfinished.len();
        drop(unfinished);
        match chosen.map(|index| index - offered) {
            Some(0) => play(screen, catalog, kept, settings)?,
            Some(1) => puzzles(screen, catalog)?,
            Some(2) => rules(screen, catalog)?,
            _ => return Ok(()),
        }
    }
}

/// Plays games until the player goes back.
fn play(
    screen: &mut Screen,
    catalog: &Catalog,
    kept: Option<&KeptGames>,
    settings: &UserSettings,
) -> Result<(), SessionEnd> {
    let before = settings.game();
    let mut keys = catalog.keys();
    let before = keys.position(|key| Some(key) == before.as_deref());
    let mut selected = before.unwrap_or(0);
    while let Some(game) = choose_game(screen, catalog, &mut selected)? {
        settings.set_game(game.entry().key);
        app::keeping(app::of_game(&game), kept).play_on(screen)?;
    }
    Ok(())
}

/// Shows puzzles of the games that have some until the player goes back.
fn puzzles(screen: &mut Screen, catalog: &Catalog) -> Result<(), SessionEnd> {
    let of = |entry: &GameEntry| catalog.game(entry.key).ok();
    let has_puzzles = |entry: &&GameEntry| of(entry).is_some_and(|game| !game.puzzles().is_empty());
    let games: Vec<_> = catalog.games().iter().filter(has_puzzles).collect();
    let items: Vec<_> = games.iter().map(|entry| item(entry, catalog)).collect();
    let mut selected = 0;
    while let Some(index) = screen.choose("Puzzles of which game?", &items, selected)? {
        selected = index;
        if let Some(game) = games.get(index).and_then(|entry| of(entry)) {
            puzzle::menu(screen, game)?;
        }
    }
    Ok(())
}

fn rules(screen: &mut Screen, catalog: &Catalog) -> Result<(), SessionEnd> {
    let mut selected = 0;
    while let Some(game) = choose_game(screen, catalog, &mut selected)? {
        let entry = game.entry();
        screen.show(entry.title, &text_of_rules(&entry))?;
    }
    Ok(())
}

/// The game that the player chooses; `None` to go back. `selected` is the one chosen last.
fn choose_game(
    screen: &mut Screen,
    catalog: &Catalog,
    selected: &mut usize,
) -> Result<Option<DynGame>, SessionEnd> {
    let games = catalog.games();
    let mut items: Vec<_> = games.iter().map(|entry| item(entry, catalog)).collect();
    let examples = names_with_parameters(catalog);
    if let Some(examples) = &examples {
        items.push(ListItem {
            text: format!("Games with other boards or rules, such as {examples}."),
            ..ListItem::new("Other rules")
        });
    }
    while let Some(index) = screen.choose("Which game?", &items, *selected)? {
        *selected = index;
        let game = match (games.get(index), &examples) {
            (Some(entry), _) => catalog.game(entry.key).ok(),
            (None, Some(examples)) => {
                let help = format!("Type a key with parameters, such as {examples}.");
                screen.ask("Other rules", &help, |name| {
                    catalog.game(name).map_err(sentence)
                })?
            }
            (None, None) => None,
        };
        if game.is_some() {
            return Ok(game);
        }
    }
    Ok(None)
}

/// A game with its first rule and a drawing.
fn item(entry: &GameEntry, catalog: &Catalog) -> ListItem {
    let rules = one_line(entry.rules);
    let end = rules.find(". ").map_or(rules.len(), |end| end + 1);
    ListItem {
        name: entry.title.to_owned(),
        text: rules[..end].to_owned(),
        picture: catalog.game(entry.key).ok().map(|mut game| {
            for number in 0..DRAWN_MOVES {
                let moves: Vec<_> = game.moves().collect();
                let chosen = moves.get((7 * number + 3) % moves.len().max(1)).copied();
                let next = chosen.map(|m| game.after(m));
                match next.filter(|next| next.outcome().is_none()) {
                    Some(next) => game = next,
                    None => break,
                }
            }
            game.picture().map_moves(|_| ())
        }),
    }
}

/// The rules, whose lines are wrapped anew, and the parameters of the game.
fn text_of_rules(entry: &GameEntry) -> String {
    let mut text = one_line(entry.rules);
    for parameter in entry.parameters {
        let (name, meaning) = (parameter.name, parameter.meaning);
        text += &["\n\n", name, ": ", meaning].concat();
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
