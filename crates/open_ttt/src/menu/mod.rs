//! The menu: play, rules, quit.

mod lines;
mod screen;

use open_ttt_app::{Screen, SessionEnd};
use open_ttt_catalog::Catalog;

use crate::failure::Failure;

/// Shows the menu in full screen if the terminal allows it, unless `plain` asks for lines of
/// text.
pub(crate) fn run(catalog: &Catalog, plain: bool) -> Result<(), Failure> {
    if plain || !Screen::is_available() {
        return lines::run(catalog);
    }
    let mut screen = Screen::open()?;
    match screen::menu(&mut screen, catalog) {
        Err(SessionEnd::Failed(error)) => Err(error.into()),
        _ => Ok(()),
    }
}

/// The first line of the menu.
fn title() -> String {
    format!("{}: two-player board games", crate::program_name())
}
