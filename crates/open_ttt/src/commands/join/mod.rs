mod bot;
mod room;
mod seats;
mod target;
mod telling;
mod wish;

use std::io::{self, Write};
use std::path::Path;

use open_ttt_app::{Console, clock};
use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::Named;
use open_ttt_net::client::{Client, ClientError, Link, Lobby, ServerAddress, SessionError};
use open_ttt_net::matches::{MAX_NAME, Player, Seat};
use open_ttt_net::protocol::{
    CreateMatch, ErrorCode, JoinMatch, MatchStatus, MatchSummary, SeatRequest,
};
use tokio::runtime::Builder;

pub(crate) use target::{Target, Time};

use crate::args;
use crate::failure::Failure;
use crate::networks;
use crate::opponents;
use bot::Bot;
use room::Room;
use seats::Seats;

/// Play or watch a match on a server
///
/// The link of a match, http://HOST:PORT/m/ID, takes the seat that is open
/// there, or goes on with yours: the secret of a seat is kept in your folder of
/// states, ~/.local/state/open_ttt or what XDG_STATE_HOME says. A seat's own
/// link, with its secret behind a #, takes that seat from anywhere. The address
/// of a server alone lists the matches that wait for somebody; with --game it
/// makes a new match and shows the link for the other side.
///
/// While you play, write help to see what else you can say. A connection that
/// breaks comes back by itself, and so do you with the same command.
#[expect(clippy::doc_markdown, reason = "the comments are the help texts")]
#[derive(Debug, clap::Args)]
#[command(after_help = args::PLAYERS)]
pub(crate) struct JoinArgs {
    /// The link of a match, or the address of a server
    #[arg(value_name = "LINK")]
    pub(crate) target: Target,
    /// What the others call you [default: Guest, or the player]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Watch, and take no seat
    #[arg(long, conflicts_with_all = ["player", "game"])]
    pub(crate) watch: bool,
    /// Let a computer play for you, by itself, and as many games as the other
    /// side wants
    #[arg(long, value_name = "SPEC", value_parser = args::computer)]
    pub(crate) player: Option<PlayerSpec>,
    /// Let it ask for more games until it has played so many, and leave then
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "player",
        value_parser = args::game_count)]
    pub(crate) games: Option<u32>,
    /// Make a match of this game
    #[arg(long, value_name = "KEY", value_parser = open_ttt_catalog::game)]
    pub(crate) game: Option<DynGame>,
    /// Which side to be in the first game, first or second; by lot if nothing is
    /// said
    #[arg(long, value_name = "SIDE", requires = "game")]
    pub(crate) side: Option<MoveOrder>,
    /// Let a computer of the server's take the other seat: perfect(mistakes=0.2)
    #[arg(long, value_name = "SPEC", requires = "game", value_parser = opponent)]
    pub(crate) opponent: Option<PlayerSpec>,
    /// Give each side so much time, and so much more after each move: 5m+3s
    #[arg(long, value_name = "TIME", requires = "game")]
    pub(crate) clock: Option<Time>,
}

/// Which side somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum MoveOrder {
    First,
    Second,
}

/// What a person is called who does not say.
const NOBODY: &str = "Guest";

/// How much of what a server says is shown, in characters.
const LONGEST_WORDS: usize = 300;

pub(crate) fn run(args: &JoinArgs) -> Result<(), Failure> {
    let computer = args.player.as_ref();
    let computer = computer.map(|spec| networks::given("--player", spec));
    let computer = computer.transpose()?;
    // One thread is enough for one match, and leaves the others to a computer
    // that plays.
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format_args!("there are no sockets: {error}")))?;
    let ended = runtime.block_on(join(args, computer));
    // The thread that reads what is typed may wait for a line for ever.
    runtime.shutdown_background();
    ended
}

async fn join(args: &JoinArgs, computer: Option<PlayerSpec>) -> Result<(), Failure> {
    let player = name(args)?;
    match (&args.target, &args.game) {
        (Target::Match(_), Some(_)) => Err(Failure::usage(
            "--game makes a match, so it wants the address of a server alone: http://HOST:PORT",
        )),
        (Target::Server(server), None) => list(server).await,
        (Target::Server(server), Some(game)) => {
            let bot = bot(args, computer, &game.name())?;
            let wanted = CreateMatch {
                game: game.name(),
                clock: args.clock.map(|Time(control)| control),
                first: args.side.map(|order| match order {
                    MoveOrder::First => Seat::A,
                    MoveOrder::Second => Seat::B,
                }),
                seats: [
                    Some(SeatRequest::Person(player.name)),
                    args.opponent
                        .as_ref()
                        .map(|spec| SeatRequest::Computer(spec.to_string())),
                ],
                listed: false,
            };
            let seated = Lobby::new(server.clone()).create(&wanted).await?;
            let link = server.clone().link(seated.id).with_token(seated.token);
            if args.opponent.is_none() {
                say(&format!("For the other side: {link}\n"))?;
            }
            enter(link, bot, Seats::open()).await
        }
        (Target::Match(link), None) => {
            let mut seats = Seats::open();
            let status = Lobby::new(link.server().clone()).status(link.id()).await?;
            let bot = bot(args, computer, &status.view.settings.game)?;
            let link = seat(args, link, player, &status, &mut seats).await?;
            enter(link, bot, seats).await
        }
    }
}

/// The link with the secret of a seat: the one it has, the one that is kept, or
/// that of the seat that is open; none for who watches.
async fn seat(
    args: &JoinArgs,
    link: &Link,
    player: Player,
    status: &MatchStatus,
    seats: &mut Seats,
) -> Result<Link, Failure> {
    if args.watch {
        return Ok(link.clone().with_token(None));
    }
    if link.token().is_some() {
        return Ok(link.clone());
    }
    if let Some(token) = seats.resume(link) {
        return Ok(link.clone().with_token(Some(token)));
    }
    if status.open.is_empty() {
        if args.player.is_some() {
            return Err(Failure::failed(
                "both seats are taken; a computer does not watch",
            ));
        }
        say("Both seats are taken, so you watch\n")?;
        return Ok(link.clone());
    }
    let wanted = JoinMatch {
        player: SeatRequest::Person(player.name),
        seat: None,
        token: None,
    };
    let lobby = Lobby::new(link.server().clone());
    let seated = lobby.join(link.id(), &wanted).await?;
    Ok(link.clone().with_token(seated.token))
}

async fn enter(link: Link, bot: Option<Bot>, seats: Seats) -> Result<(), Failure> {
    let client = Client::new(link)?;
    Room::new(client, bot, seats, Console::output()).run().await
}

/// Who sits down.
fn name(args: &JoinArgs) -> Result<Player, Failure> {
    let name = match (&args.name, &args.player) {
        (Some(name), _) => name.trim().to_owned(),
        (None, Some(spec)) => {
            let name: String = called(spec).chars().take(MAX_NAME).collect();
            name.trim_end().to_owned()
        }
        (None, None) => NOBODY.to_owned(),
    };
    let player = Player::person(name);
    if player.has_valid_name() {
        Ok(player)
    } else {
        Err(Failure::usage(format_args!(
            "--name: a name has 1 to {MAX_NAME} characters that can be shown"
        )))
    }
}

/// What the others call a computer: not in which folder its network is.
fn called(spec: &PlayerSpec) -> String {
    let name = spec
        .network_file()
        .and_then(|file| Path::new(file).file_name());
    match name {
        Some(name) => format!("net:{}", name.display()),
        None => spec.to_string(),
    }
}

/// The computer that was asked for, made for the game of the match.
fn bot(args: &JoinArgs, computer: Option<PlayerSpec>, game: &str) -> Result<Option<Bot>, Failure> {
    let Some(spec) = computer else {
        return Ok(None);
    };
    let of_match = |error| Failure::failed(format_args!("--player: {error}"));
    let game = open_ttt_catalog::game(game).map_err(of_match)?;
    let spec = opponents::with_processors(spec);
    let player = game.player(&spec, clock()).map_err(of_match)?;
    Ok(Some(Bot::new(player, args.games)))
}

async fn list(server: &ServerAddress) -> Result<(), Failure> {
    let matches = Lobby::new(server.clone()).matches().await?.matches;
    if matches.is_empty() {
        return say("Nobody waits for anybody; --game makes a match");
    }
    for MatchSummary { id, game, name, .. } in matches {
        let name = shown(name.as_deref().unwrap_or(NOBODY));
        let link = server.clone().link(id);
        say(&format!("{link}  {}, against {name}", shown(&game)))?;
    }
    Ok(())
}

fn say(line: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// Words from outside, fit to be shown: nothing in them steers a terminal.
fn shown(text: &str) -> String {
    text.chars()
        .take(LONGEST_WORDS)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let hint = match &error {
            ClientError::Refused(report) | ClientError::Session(SessionError::Server(report))
                if report.code == ErrorCode::BadToken =>
            {
                "; the link without what is behind the # lets you watch"
            }
            _ => "",
        };
        Self::failed(format_args!("{}{hint}", shown(&error.to_string())))
    }
}

fn opponent(name: &str) -> Result<PlayerSpec, String> {
    let spec = args::computer(name)?;
    match spec.network_file() {
        Some(_) => Err("a server plays by no file of yours; --player does".to_owned()),
        None => Ok(spec),
    }
}
