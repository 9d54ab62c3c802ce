//! The menu: play, rules, quit.

mod lines;
mod screen;

use open_ttt_app::{Screen, SessionEnd};
use open_ttt_catalog::Catalog;

use crate::failure::Failure;
use crate::kept_games;

/// Shows the menu in full screen if the terminal allows it, unless `plain` asks for lines of
/// text. `saves` tells whether games are kept.
pub(crate) fn run(catalog: &Catalog, plain: bool, saves: bool) -> Result<(), Failure> {
    let kept = kept_games::of_user(saves);
    if plain || !Screen::is_available() {
        return lines::run(catalog, kept.as_ref());
    }
    let mut screen = Screen::open()?;
    match screen::menu(&mut screen, catalog, kept.as_ref()) {
        Err(SessionEnd::Failed(error)) => Err(error.into()),
        _ => Ok(()),
    }
}

/// The first line of the menu.
fn title() -> String {
    format!("{}: two-player board games", crate::program_name())
}
