use std::time::Duration;

use open_ttt_app::{App, ListItem, Screen, Seat, SessionEnd};
use open_ttt_catalog::{Catalog, DynGame, PlayerSpec};
use open_ttt_lib::rules::{Named, Side};

use crate::app;
use crate::args;
use crate::failure::Failure;
use crate::games;
use crate::kept_games::{self, KeptGames, UnfinishedGame};
use crate::opponents;
use crate::settings::{DisplayArgs, UserSettings};

/// Play a game in the terminal
///
/// You'll be asked for any player you leave out. Your games are saved as you play; in full
/// screen, one that you left can be gone on with.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayArgs {
    /// The game, with any parameters in quotes: 'KEY(NAME=VALUE)'
    #[arg(long, value_name = games::KEY, value_parser = games::bundled)]
    pub(crate) game: DynGame,
    /// The player who goes first
    #[arg(long, value_name = "SPEC")]
    pub(crate) first: Option<PlayerSpec>,
    /// The player who goes second
    #[arg(long, value_name = "SPEC")]
    pub(crate) second: Option<PlayerSpec>,
    /// Play with lines of text instead of in full screen
    #[arg(long)]
    pub(crate) plain: bool,
    /// Don't save the games, and don't offer to go on with one
    #[arg(long)]
    pub(crate) no_save: bool,
    /// The time between the moves of computers that play each other in full screen [default:
    /// your settings, or 1s]
    #[arg(long, value_name = "TIME", value_parser = args::pace)]
    pub(crate) pace: Option<Duration>,
    #[command(flatten)]
    pub(crate) display: DisplayArgs,
}

pub(crate) fn run(args: PlayArgs, catalog: &Catalog) -> Result<(), Failure> {
    let game = args.game;
    let mut app = app::of_game(&game);
    let mut wanted = [None, None];
    let players = [("--first", args.first), ("--second", args.second)];
    for (side, (flag, spec)) in Side::BOTH.into_iter().zip(players) {
        if let Some(spec) = spec {
            let seat = if spec.is_human() {
                wanted[side.index()] = Some(None);
                Seat::Human
            } else {
                let opponent = opponents::named(flag, &spec, &game)?;
                wanted[side.index()] = Some(Some(opponent.name().to_owned()));
                Seat::Computer(opponent)
            };
            app = app.seat(side, seat);
        }
    }
    let kept = kept_games::of_user(!args.no_save);
    if args.plain || !Screen::is_available() {
        return Ok(app::keeping(app, kept.as_ref()).run_lines()?);
    }
    let fits = |unfinished: &UnfinishedGame| {
        let is_wanted = |side: Side| {
            let computer = unfinished.computer(side).map(str::to_owned);
            wanted[side.index()]
                .as_ref()
                .is_none_or(|name| *name == computer)
        };
        unfinished.game().name() == game.name() && Side::BOTH.into_iter().all(is_wanted)
    };
    let settings = UserSettings::load(&args.display).with_pace(args.pace);
    let end = settings
        .open_screen()
        .and_then(|mut screen| play(&mut screen, app, kept.as_ref(), catalog, fits));
    settings.report();
    match end {
        Err(SessionEnd::Failed(error)) => Err(error.into()),
        _ => Ok(()),
    }
}

/// The item of the list that puts the unfinished games to the finished ones.
const PUT_AWAY: &str = "New game; don't offer these again";

/// Goes on with an unfinished game that fits, if the person wants that, or plays new ones.
fn play(
    screen: &mut Screen,
    app: App<DynGame>,
    kept: Option<&KeptGames>,
    catalog: &Catalog,
    fits: impl Fn(&UnfinishedGame) -> bool,
) -> Result<(), SessionEnd> {
    let Some(kept) = kept else {
        return app.play_on(screen);
    };
    let (mut unfinished, problems) = kept.unfinished(catalog);
    kept_games::show_problems(screen, &problems)?;
    unfinished.retain(fits);
    if unfinished.is_empty() {
        return app::keeping(app, Some(kept)).play_on(screen);
    }
    let mut items: Vec<_> = unfinished.iter().map(go_on_item).collect();
    let offered = items.len();
    items.extend(["New game", PUT_AWAY].map(ListItem::new));
    let Some(chosen) = screen.choose("You left a game", &items, 0)? else {
        return Ok(());
    };
    if chosen < offered {
        let chosen = unfinished.swap_remove(chosen);
        // Other programs may go on with the others.
        drop(unfinished);
        return app::resumed(chosen, kept).play_on(screen);
    }
    if chosen > offered {
        for game in &unfinished {
            // Otherwise it is offered again.
            let _ = kept.put_away(game);
        }
    }
    // Other programs may go on with those that are left.
    drop(unfinished);
    app::keeping(app, Some(kept)).play_on(screen)
}

/// An unfinished game as an item of a list.
pub(crate) fn go_on_item(game: &UnfinishedGame) -> ListItem {
    ListItem::new(format!("Go on with {}", game.summary()))
}
