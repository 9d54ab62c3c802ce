mod bot;
mod input;
mod leaving;
mod match_screen;
mod match_terminal;
mod narrator;
mod quick;
mod ratings;
mod remote_match;
mod saved_seats;
mod target;

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use open_ttt_app::{Console, Screen};
use open_ttt_catalog::{Catalog, DynGame, PlayerKind, PlayerSpec};
use open_ttt_lib::rules::Named;
use open_ttt_net::client::{
    Client, ClientError, Link, Lobby, Pairing, ServerAddress, SessionError,
};
use open_ttt_net::matches::{MAX_NAME, Player, Seat, TimeControl};
use open_ttt_net::protocol::{
    CreateMatch, ErrorCode, JoinMatch, MatchStatus, MatchSummary, PairPlayer, PlayerId, PlayerKey,
    SeatRequest,
};
use tokio::runtime::Builder;

use crate::args;
use crate::computers;
use crate::failure::Failure;
use crate::folders::key_store;
use crate::games;
use crate::opponents;
use crate::settings::DisplayArgs;
use bot::Bot;
use input::{no_lines, read_lines};
use match_screen::{MatchScreen, ScreenMatch};
use match_terminal::MatchTerminal;
use quick::{AtLines, find_opponent};
use saved_seats::SavedSeats;
use target::{Target, time_control, time_text};

/// Play or watch a match on a server
///
/// With the link to a match, http://HOST:PORT/m/ID, you take its open seat, or return
/// to yours. With the address of a server, you list its open matches; add --game to
/// create a match and get an invite link, or --game and --quick to play whoever wants
/// the same game.
///
/// Your first match on a server makes a secret key, by which the server knows you
/// again: it brings your seats, games and ratings back (see player --help). The keys
/// and the tokens of your seats are saved in ~/.local/state/open_ttt (or
/// $XDG_STATE_HOME/open_ttt; on macOS ~/Library/Application Support/open_ttt), where only
/// you can read them. A private link, with a seat's token after a #, takes that seat from
/// any machine.
///
/// The match fills the terminal: choose a move with the arrow keys and Enter, with a click, or
/// by typing it; ? shows all keys. With --plain, and where input or output is no terminal, it
/// is played with lines of text; type help for the commands. A lost connection is restored
/// automatically, and your seat is kept when you leave.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub(crate) struct JoinArgs {
    /// The link to a match, or the address of a server
    #[arg(value_name = "LINK")]
    pub(crate) target: Target,
    /// Your name in the match [default: Guest, or the player]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Watch without taking a seat
    #[arg(long, conflicts_with_all = ["player", "game"])]
    pub(crate) watch: bool,
    /// Let a computer play for you, for as many games as your opponent wants
    #[arg(long, value_name = "SPEC", value_parser = args::computer)]
    pub(crate) player: Option<PlayerSpec>,
    /// With --player, play N games and leave
    #[arg(long, value_name = "N", requires = "player",
        value_parser = args::game_count)]
    pub(crate) games: Option<u32>,
    /// Create a match of this game, or look for one with --quick
    #[arg(long, value_name = games::KEY, value_parser = games::bundled)]
    pub(crate) game: Option<DynGame>,
    /// Whether you go first or second in the first game [default: random]
    #[arg(long, value_name = "SIDE", requires = "game",
        value_parser = PossibleValuesParser::new(["first", "second"])
            .map(|side| if side == "first" { Seat::A } else { Seat::B }))]
    pub(crate) side: Option<Seat>,
    /// Play against a computer on the server, such as 'perfect(mistakes=0.2)'
    #[arg(long, value_name = "SPEC", requires = "game", value_parser = opponent)]
    pub(crate) opponent: Option<PlayerSpec>,
    /// The time for each player and the increment for each move, such as 5m+3s
    #[arg(long, value_name = "TIME", requires = "game", value_parser = time_control)]
    pub(crate) clock: Option<TimeControl>,
    /// Play whoever asks for the same game and clock
    #[arg(long, requires = "game", conflicts_with_all = ["side", "opponent", "no_key"])]
    pub(crate) quick: bool,
    /// Let the games change both players' ratings: against people, without undo
    #[arg(long, requires = "game", conflicts_with_all = ["opponent", "no_key"])]
    pub(crate) rated: bool,
    /// Play without your key: the games aren't yours afterwards
    #[arg(long)]
    pub(crate) no_key: bool,
    /// Play with lines of text instead of in full screen
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) display: DisplayArgs,
}

const DEFAULT_NAME: &str = "Guest";

/// What a user is told who wanted to play.
const ONLY_WATCHES: &str = "Both seats are taken, so you're watching";

/// The most characters of a server's text that are printed.
const MAX_SERVER_TEXT: usize = 300;

pub(crate) fn run(args: &JoinArgs, catalog: Catalog) -> Result<(), Failure> {
    let load = |spec| computers::load("--player", spec);
    let computer = args.player.as_ref().map(load).transpose()?;
    // A match needs a single thread; a bot gets the others.
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format_args!("can't start networking: {error}")))?;
    let result = runtime.block_on(join(args, catalog, computer));
    // Does not wait for a search, which may be slow to see its stop flag.
    runtime.shutdown_background();
    result
}

async fn join(
    args: &JoinArgs,
    catalog: Catalog,
    computer: Option<PlayerSpec>,
) -> Result<(), Failure> {
    let player = person(args)?;
    let mut saved_seats = SavedSeats::open();
    let is_full_screen = !args.plain && Screen::is_available();
    let mut lines = no_lines();
    if computer.is_none() && !is_full_screen {
        lines = read_lines();
    }
    let mut screen = None;
    let mut note = None;
    let (client, bot) = match (&args.target, &args.game) {
        (Target::Match(_), Some(_)) => {
            return Err(Failure::usage(
                "--game creates a match, so it needs the address of a server: http://HOST:PORT",
            ));
        }
        (Target::Server(server), None) => return list_matches(server).await,
        (Target::Server(server), Some(game)) => {
            let bot = bot(args, computer, game)?;
            if args.quick {
                let wanted = PairPlayer {
                    game: game.name(),
                    clock: args.clock,
                    rated: args.rated,
                    name: player.name,
                    key: new_key(server)?,
                    waiting: None,
                };
                let pairing = Pairing::start(server.clone(), wanted).await?;
                let client = if is_full_screen {
                    let screen = screen.insert(MatchScreen::open(&args.display));
                    find_opponent(catalog, pairing, screen).await
                } else {
                    find_opponent(catalog, pairing, &mut AtLines(&mut lines)).await
                };
                match client {
                    Ok(Some(client)) => (client, bot),
                    ended => {
                        screen.map_or(Ok(()), MatchScreen::close)?;
                        ended?;
                        return print("Goodbye");
                    }
                }
            } else {
                let link = create(args, server, game, player, &mut saved_seats).await?;
                if args.opponent.is_none() && !is_full_screen {
                    print(&format!("Invite your opponent: {link}\n"))?;
                }
                (Client::new(catalog, link)?, bot)
            }
        }
        (Target::Match(link), None) => {
            let status = Lobby::new(link.server().clone()).status(link.id()).await?;
            let game = catalog.game(&status.view.settings.game);
            let game = game.map_err(Failure::failed)?;
            let bot = bot(args, computer, &game)?;
            let (link, key) = take_seat(args, link, player, &status, &mut saved_seats).await?;
            if !args.watch && link.token().is_none() && key.is_none() {
                if is_full_screen {
                    note = Some(ONLY_WATCHES);
                } else {
                    print(&format!("{ONLY_WATCHES}\n"))?;
                }
            }
            let client = Client::new(catalog, link)?;
            match key {
                Some(key) => (client.with_key(key), bot),
                None => (client, bot),
            }
        }
    };
    if is_full_screen {
        let screen = screen.unwrap_or_else(|| MatchScreen::open(&args.display));
        if let Some(note) = note {
            screen.tell(note);
        }
        return ScreenMatch::new(client, bot, saved_seats, screen)
            .run()
            .await;
    }
    let terminal = MatchTerminal::new(client, bot, saved_seats, lines, Console::output_only());
    terminal.run().await
}

/// Creates a match. Returns the private link; its text is the link for the opponent.
async fn create(
    args: &JoinArgs,
    server: &ServerAddress,
    game: &DynGame,
    player: Player,
    saved_seats: &mut SavedSeats,
) -> Result<Link, Failure> {
    let opponent = args.opponent.as_ref();
    let opponent = opponent.map(|spec| SeatRequest::Computer(spec.to_string()));
    let request = CreateMatch {
        game: game.name(),
        clock: args.clock,
        first: args.side,
        seats: [Some(SeatRequest::Person(player.name)), opponent],
        listed: false,
        rated: args.rated,
        moves: Vec::new(),
        key: args.new_key(server)?,
    };
    let seated = Lobby::new(server.clone()).create(&request).await?;
    let link = server.clone().link(seated.id).with_token(seated.token);
    // Before anyone knows the link: whoever follows it here takes the other seat. A failure is
    // told when the match begins, where the seat is saved unless it is.
    if let Some(seat) = seated.seat {
        let _ = saved_seats.save(&link, seat);
    }
    Ok(link)
}

/// The link with the token of a seat: its own one, a saved one or that of the open
/// seat. A watcher's link has no token, also that of a user for whom no seat is left. A seat
/// taken on another machine has a key instead.
async fn take_seat(
    args: &JoinArgs,
    link: &Link,
    player: Player,
    status: &MatchStatus,
    saved_seats: &mut SavedSeats,
) -> Result<(Link, Option<PlayerKey>), Failure> {
    if args.watch {
        return Ok((link.clone().with_token(None), None));
    }
    if link.token().is_some() {
        return Ok((link.clone(), None));
    }
    if let Some(token) = saved_seats.resume(link) {
        return Ok((link.clone().with_token(Some(token)), None));
    }
    if !args.no_key && !saved_seats.is_played_elsewhere(link) {
        let key = key_store()
            .map_err(key_failure)?
            .load(link.server())
            .map_err(key_failure)?;
        let player = key.as_ref().map(PlayerId::of);
        if player.is_some() && status.players.contains(&player) {
            return Ok((link.clone(), key));
        }
    }
    if status.open.is_empty() {
        if args.player.is_some() {
            let message = "both seats are taken, and --player can't watch";
            return Err(Failure::failed(message));
        }
        return Ok((link.clone(), None));
    }
    if args.no_key && status.view.settings.rated {
        return Err(Failure::usage(
            "the match is rated, so it needs your key: leave out --no-key",
        ));
    }
    let request = JoinMatch {
        player: SeatRequest::Person(player.name),
        seat: None,
        token: None,
        key: args.new_key(link.server())?,
    };
    let lobby = Lobby::new(link.server().clone());
    let seated = lobby.join(link.id(), &request).await?;
    Ok((link.clone().with_token(seated.token), None))
}

impl JoinArgs {
    /// The key to take a seat with, unless the user goes without.
    fn new_key(&self, server: &ServerAddress) -> Result<Option<PlayerKey>, Failure> {
        (!self.no_key).then(|| new_key(server)).transpose()
    }
}

/// The user's key for a server, made at the first call.
fn new_key(server: &ServerAddress) -> Result<PlayerKey, Failure> {
    key_store()
        .map_err(key_failure)?
        .load_or_create(server)
        .map_err(key_failure)
}

fn key_failure(error: impl Display) -> Failure {
    Failure::failed(format_args!("{error}; --no-key plays without a key"))
}

/// The user's player, with the name that others see.
fn person(args: &JoinArgs) -> Result<Player, Failure> {
    let name = match (&args.name, &args.player) {
        (Some(name), _) => name.trim().to_owned(),
        (None, Some(spec)) => {
            let name: String = public_name(spec).chars().take(MAX_NAME).collect();
            name.trim_end().to_owned()
        }
        (None, None) => DEFAULT_NAME.to_owned(),
    };
    let player = Player::person(name);
    if !player.has_valid_name() {
        return Err(Failure::usage(format_args!(
            "--name: use 1 to {MAX_NAME} printable characters"
        )));
    }
    Ok(player)
}

/// A computer's specification without what is nobody's business: the folder of its network
/// file, and how its program is started.
fn public_name(spec: &PlayerSpec) -> String {
    if matches!(spec.kind, PlayerKind::Engine(_)) {
        return "engine".to_owned();
    }
    let file = spec.network_file().map(Path::new);
    match file.and_then(Path::file_name) {
        Some(name) => format!("net:{}", name.display()),
        None => spec.to_string(),
    }
}

/// The bot for this game, if the user wants one.
fn bot(
    args: &JoinArgs,
    computer: Option<PlayerSpec>,
    game: &DynGame,
) -> Result<Option<Bot>, Failure> {
    let Some(spec) = computer else {
        return Ok(None);
    };
    let spec = opponents::with_all_cores(spec);
    let player = computers::player(&spec, game);
    let player = player.map_err(|error| Failure::failed(format_args!("--player: {error}")))?;
    Ok(Some(Bot::new(player, args.games)))
}

/// Prints the open matches, newest first.
async fn list_matches(server: &ServerAddress) -> Result<(), Failure> {
    let lobby = Lobby::new(server.clone());
    // A match that is created meanwhile moves the others to later places.
    let mut listed = HashSet::new();
    let mut from = 0;
    loop {
        let page = lobby.matches(from).await?;
        from += page.matches.len();
        let is_last = page.matches.is_empty() || from >= page.total;
        for summary in page.matches {
            if listed.insert(summary.id.clone()) {
                print(&summary_line(server, &summary))?;
            }
        }
        if is_last {
            break;
        }
    }
    if listed.is_empty() {
        return print("No open matches; use --game to create one");
    }
    Ok(())
}

fn summary_line(server: &ServerAddress, summary: &MatchSummary) -> String {
    let name = printable(summary.name.as_deref().unwrap_or(DEFAULT_NAME));
    let link = server.clone().link(summary.id.clone());
    let mut line = format!("{link}  {} vs {name}", printable(&summary.game));
    if let Some(clock) = summary.clock {
        line.extend([", ", &time_text(clock)]);
    }
    if summary.rated {
        line.push_str(", rated");
    }
    line
}

fn print(line: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// A text from the server, made safe for the terminal.
fn printable(text: &str) -> String {
    open_ttt_app::printable(text, MAX_SERVER_TEXT)
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let hint = match &error {
            ClientError::Refused(report) | ClientError::Session(SessionError::Server(report))
                if report.code == ErrorCode::BadToken =>
            {
                " To watch, use the link without the part after #."
            }
            _ => "",
        };
        Self::failed(format_args!("{}{hint}", printable(&error.to_string())))
    }
}

/// A computer that a server can run.
fn opponent(name: &str) -> Result<PlayerSpec, String> {
    let spec = args::computer(name)?;
    match &spec.kind {
        PlayerKind::Engine(_) => Err("the server starts no programs; --player can".to_owned()),
        _ if spec.network_file().is_some() => {
            Err("the server can't read your network file; --player can".to_owned())
        }
        _ => Ok(spec),
    }
}
