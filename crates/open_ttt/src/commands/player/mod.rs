mod report;
mod source;

use std::io::{self, IsTerminal};

use clap::Subcommand;
use open_ttt_app::InputLine;
use open_ttt_net::client::{
    ClientError, KeyStore, KeyStoreError, Lobby, PlayerLink, ServerAddress,
};
use open_ttt_net::protocol::{PlayerId, PlayerKey};
use tokio::runtime::Builder;

use super::read_line;
use crate::failure::Failure;
use crate::folders::key_store;
use report::{Games, Report, print};
use source::Source;

/// Show your games and ratings on a server, and take your key to other devices
///
/// A server knows you by a secret key, which your first match there makes. Each server
/// has a key of its own, in ~/.local/state/open_ttt/keys (or
/// $XDG_STATE_HOME/open_ttt/keys; on macOS ~/Library/Application Support/open_ttt/keys),
/// where only you can read it. The page keeps its key in the browser. With export and
/// import you play as the same player everywhere.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayerArgs {
    #[command(subcommand)]
    command: PlayerCommand,
}

#[derive(Debug, Subcommand)]
enum PlayerCommand {
    /// Show your scores and ratings
    Show {
        /// The address of the server
        server: ServerAddress,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List your games, newest first
    Games {
        /// The address of the server
        server: ServerAddress,
        /// List at most N
        #[arg(long, value_name = "N", default_value_t = 20,
            value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the private link and code by which another device plays as you
    Export {
        /// The address of the server
        server: ServerAddress,
    },
    /// Play here as the player of a link or a code, from another device
    ///
    /// With a server's address, the link or the code is read from standard input, so
    /// that it isn't in the shell's history.
    Import {
        /// The private link, or the address of the server
        #[arg(value_name = "LINK")]
        source: Source,
        /// Replace the player who is here; export its link first to keep it
        #[arg(long)]
        replace: bool,
    },
}

pub(crate) fn run(args: &PlayerArgs) -> Result<(), Failure> {
    let store = key_store().map_err(Failure::failed)?;
    match &args.command {
        PlayerCommand::Show { server, json } => {
            let player = PlayerId::of(&own_key(&store, server)?);
            let profile = wait_for(Lobby::new(server.clone()).profile(&player))?;
            Report { json: *json }.profile(&profile)
        }
        PlayerCommand::Games {
            server,
            limit,
            json,
        } => {
            let player = PlayerId::of(&own_key(&store, server)?);
            let report = Report { json: *json };
            list_games(server, &player, *limit, report)
        }
        PlayerCommand::Export { server } => {
            let key = own_key(&store, server)?;
            let code = key.code();
            let server = server.clone();
            let link = PlayerLink { server, key }.reveal();
            print(&format!(
                "{link}\n{code}\n\nOpen the link on the other device, or type the code there.\n\
                 Keep both private: they let anyone play for you."
            ))
        }
        PlayerCommand::Import { source, replace } => {
            let PlayerLink { server, key } = match source {
                Source::Link(link) => link.clone(),
                Source::Server(server) => entered(server)?,
            };
            import(&store, &server, &key, *replace)
        }
    }
}

/// The key for a server, which must be there.
fn own_key(store: &KeyStore, server: &ServerAddress) -> Result<PlayerKey, Failure> {
    let key = store.load(server).map_err(Failure::failed)?;
    key.ok_or_else(|| {
        Failure::failed(format_args!(
            "{server} doesn't know you yet: your first match there makes your key, or take one \
             over with player import"
        ))
    })
}

/// Prints the latest entries of a player's history.
fn list_games(
    server: &ServerAddress,
    player: &PlayerId,
    limit: u32,
    report: Report,
) -> Result<(), Failure> {
    let lobby = Lobby::new(server.clone());
    let mut games = Games::new(server, report, limit);
    let mut from = 0;
    loop {
        let page = wait_for(lobby.history(player, from))?;
        from += page.games.len() as u64;
        let is_last = page.games.is_empty() || from >= page.total;
        for game in page.games {
            if games.print(&game)? {
                return Ok(());
            }
        }
        if is_last {
            return games.end();
        }
    }
}

/// Reads the link or the code of a player of this server.
fn entered(server: &ServerAddress) -> Result<PlayerLink, Failure> {
    let input = io::stdin();
    if input.is_terminal() {
        print("Paste the player's link, or type the code:")?;
    }
    let line = read_line(&mut input.lock(), InputLine::CONSOLE_LIMIT)?;
    let line = line.unwrap_or_else(|| Err(Failure::usage("there is no link or code")))?;
    let text = line.trim();
    if !text.contains("://") {
        let key = text.parse().map_err(Failure::usage)?;
        let server = server.clone();
        return Ok(PlayerLink { server, key });
    }
    let link: PlayerLink = text.parse().map_err(Failure::usage)?;
    if link.server != *server {
        return Err(Failure::usage(format_args!(
            "the link is for {}, not for {server}",
            link.server
        )));
    }
    Ok(link)
}

fn import(
    store: &KeyStore,
    server: &ServerAddress,
    key: &PlayerKey,
    replaces: bool,
) -> Result<(), Failure> {
    let kept = if replaces {
        store.replace(server, key)
    } else {
        store.add(server, key)
    };
    kept.map_err(|error| match error {
        KeyStoreError::Occupied { .. } => Failure::failed(format_args!(
            "you're another player on {server} already: --replace loses that one, unless you \
             keep its link by player export"
        )),
        error => Failure::failed(error),
    })?;
    let player = PlayerId::of(key);
    print(&format!("You're player {player} on {server} now."))
}

/// The response to a request.
fn wait_for<T>(request: impl Future<Output = Result<T, ClientError>>) -> Result<T, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let response = runtime.map_err(Failure::failed)?.block_on(request);
    Ok(response?)
}
