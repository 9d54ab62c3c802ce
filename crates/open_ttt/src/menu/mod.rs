//! The menu: play, puzzles, rules, quit.

mod lines;
mod screen;

use open_ttt_app::{Screen, SessionEnd};
use open_ttt_catalog::Catalog;

use crate::Args;
use crate::failure::Failure;
use crate::kept_games;
use crate::settings::UserSettings;

/// Shows the menu in full screen if the terminal allows it and lines of text aren't asked for.
pub(crate) fn run(catalog: &Catalog, args: &Args) -> Result<(), Failure> {
    let kept = kept_games::of_user(!args.no_save);
    if args.plain || !Screen::is_available() {
        return lines::run(catalog, kept.as_ref());
    }
    let settings = UserSettings::load(&args.display).with_pace(args.pace);
    let end = settings
        .open_screen()
        .and_then(|mut screen| screen::menu(&mut screen, catalog, kept.as_ref(), &settings));
    settings.report();
    match end {
        Err(SessionEnd::Failed(error)) => Err(error.into()),
        _ => Ok(()),
    }
}

/// The first line of the menu.
fn title() -> String {
    format!("{}: two-player board games", crate::program_name())
}
