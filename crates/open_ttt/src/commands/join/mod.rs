mod bot;
mod input;
mod match_terminal;
mod narrator;
mod saved_seats;
mod target;

use std::io::{self, Write};
use std::path::Path;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use open_ttt_app::{Console, clock};
use open_ttt_catalog::{Catalog, DynGame, PlayerSpec};
use open_ttt_lib::rules::Named;
use open_ttt_net::client::{Client, ClientError, Link, Lobby, ServerAddress, SessionError};
use open_ttt_net::matches::{MAX_NAME, Player, Seat, TimeControl};
use open_ttt_net::protocol::{
    CreateMatch, ErrorCode, JoinMatch, MatchStatus, MatchSummary, SeatRequest,
};
use tokio::runtime::Builder;

use crate::args;
use crate::failure::Failure;
use crate::games;
use crate::networks;
use crate::opponents;
use bot::Bot;
use match_terminal::MatchTerminal;
use saved_seats::SavedSeats;
use target::{Target, time_control};

/// Play or watch a match on a server
///
/// With the link to a match, http://HOST:PORT/m/ID, you take its open seat, or return
/// to yours: its secret token is saved in ~/.local/state/open_ttt (or
/// $XDG_STATE_HOME/open_ttt). A private link, with the token after a #, takes that
/// seat from any machine. With the address of a server, you list its open matches;
/// add --game to create a match and get an invite link.
///
/// Type help during a match for more commands. A lost connection is restored
/// automatically.
#[derive(Debug, clap::Args)]
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
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "player",
        value_parser = args::game_count)]
    pub(crate) games: Option<u32>,
    /// Create a match of this game
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
}

const DEFAULT_NAME: &str = "Guest";

/// The most characters of a server's text that are printed.
const MAX_SERVER_TEXT: usize = 300;

pub(crate) fn run(args: &JoinArgs, catalog: Catalog) -> Result<(), Failure> {
    let load = |spec| networks::load("--player", spec);
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
    let (link, bot) = match (&args.target, &args.game) {
        (Target::Match(_), Some(_)) => {
            return Err(Failure::usage(
                "--game creates a match, so it needs the address of a server: http://HOST:PORT",
            ));
        }
        (Target::Server(server), None) => return list_matches(server).await,
        (Target::Server(server), Some(game)) => {
            let bot = bot(args, computer, game)?;
            let opponent = args.opponent.as_ref();
            let opponent = opponent.map(|spec| SeatRequest::Computer(spec.to_string()));
            let request = CreateMatch {
                game: game.name(),
                clock: args.clock,
                first: args.side,
                seats: [Some(SeatRequest::Person(player.name)), opponent],
                listed: false,
                rated: false,
                key: None,
            };
            let seated = Lobby::new(server.clone()).create(&request).await?;
            let link = server.clone().link(seated.id).with_token(seated.token);
            if args.opponent.is_none() {
                print(&format!("Invite your opponent: {link}\n"))?;
            }
            (link, bot)
        }
        (Target::Match(link), None) => {
            let status = Lobby::new(link.server().clone()).status(link.id()).await?;
            let game = catalog.game(&status.view.settings.game);
            let game = game.map_err(Failure::failed)?;
            let bot = bot(args, computer, &game)?;
            let link = take_seat(args, link, player, &status, &mut saved_seats).await?;
            (link, bot)
        }
    };
    let client = Client::new(catalog, link)?;
    let terminal = MatchTerminal::new(client, bot, saved_seats, Console::output_only());
    terminal.run().await
}

/// The link with the token of a seat: its own one, a saved one or that of the open
/// seat. A watcher's link has no token.
async fn take_seat(
    args: &JoinArgs,
    link: &Link,
    player: Player,
    status: &MatchStatus,
    saved_seats: &mut SavedSeats,
) -> Result<Link, Failure> {
    if args.watch {
        return Ok(link.clone().with_token(None));
    }
    if link.token().is_some() {
        return Ok(link.clone());
    }
    if let Some(token) = saved_seats.resume(link) {
        return Ok(link.clone().with_token(Some(token)));
    }
    if status.open.is_empty() {
        if args.player.is_some() {
            let message = "both seats are taken, and --player can't watch";
            return Err(Failure::failed(message));
        }
        print("Both seats are taken, so you're watching\n")?;
        return Ok(link.clone());
    }
    let request = JoinMatch {
        player: SeatRequest::Person(player.name),
        seat: None,
        token: None,
        key: None,
    };
    let lobby = Lobby::new(link.server().clone());
    let seated = lobby.join(link.id(), &request).await?;
    Ok(link.clone().with_token(seated.token))
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

/// A computer's specification without the folder of its network file.
fn public_name(spec: &PlayerSpec) -> String {
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
    let player = game.player(&spec, clock());
    let player = player.map_err(|error| Failure::failed(format_args!("--player: {error}")))?;
    Ok(Some(Bot::new(player, args.games)))
}

async fn list_matches(server: &ServerAddress) -> Result<(), Failure> {
    let matches = Lobby::new(server.clone()).matches().await?.matches;
    if matches.is_empty() {
        return print("No open matches; use --game to create one");
    }
    for MatchSummary { id, game, name, .. } in matches {
        let name = printable(name.as_deref().unwrap_or(DEFAULT_NAME));
        let link = server.clone().link(id);
        print(&format!("{link}  {} vs {name}", printable(&game)))?;
    }
    Ok(())
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
    match spec.network_file() {
        Some(_) => Err("the server can't read your network file; --player can".to_owned()),
        None => Ok(spec),
    }
}
