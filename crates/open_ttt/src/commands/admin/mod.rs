mod report;
mod token;

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use ipnet::IpNet;
use open_ttt_net::MatchId;
use open_ttt_net::client::{Admin, ServerAddress};
use open_ttt_net::protocol::admin::{Ban, Banned, Done, Drain};
use tokio::runtime::Builder;

use crate::commands::now_ms;
use crate::failure::Failure;
use report::Report;
pub(crate) use token::token_in;

/// Look after a running server: its numbers, matches and bans, and drain it before a
/// restart
///
/// The server needs --private-listen, and --admin-token-file with the same file.
#[derive(Debug, clap::Args)]
pub(crate) struct AdminArgs {
    #[command(subcommand)]
    command: AdminCommand,
    /// The server's private address
    #[arg(
        long,
        global = true,
        env = "OPEN_TTT_ADMIN_SERVER",
        value_name = "URL",
        default_value = "http://127.0.0.1:7879"
    )]
    server: ServerAddress,
    /// The file with the server's administration token
    #[arg(
        long,
        global = true,
        env = "OPEN_TTT_ADMIN_TOKEN_FILE",
        value_name = "FILE"
    )]
    token_file: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// Show the server's live numbers
    Status,
    /// List the matches in memory
    List {
        /// List all stored matches
        #[arg(long)]
        all: bool,
    },
    /// Show a match and who is connected to it
    Show {
        /// The match, as in its link
        #[arg(value_name = "MATCH")]
        id: MatchId,
    },
    /// Close a match: nobody can play or watch it until it is reopened
    Close {
        /// The match, as in its link
        #[arg(value_name = "MATCH")]
        id: MatchId,
    },
    /// Open a closed match again
    Reopen {
        /// The match, as in its link
        #[arg(value_name = "MATCH")]
        id: MatchId,
    },
    /// Delete a match for good
    Delete {
        /// The match, as in its link
        #[arg(value_name = "MATCH")]
        id: MatchId,
    },
    /// List the bans
    Bans,
    /// Ban an address, a network or a player's name
    Ban {
        #[command(flatten)]
        who: BannedArgs,
        /// For so many hours [default: until it is lifted]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=87_600))]
        hours: Option<u32>,
        /// The reason, for yourself
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Lift a ban
    Unban {
        #[command(flatten)]
        who: BannedArgs,
    },
    /// Refuse new matches before a restart, and tell the players
    Drain {
        /// What to tell them
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
        /// Accept new matches again
        #[arg(long)]
        off: bool,
    },
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct BannedArgs {
    /// An address or a network: 192.0.2.1 or 192.0.2.0/24
    #[arg(value_name = "ADDRESS", value_parser = network)]
    network: Option<IpNet>,
    /// A player's name, in whichever case
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// Parses an address, `127.0.0.1`, or a network, `10.0.0.0/8`.
pub(super) fn network(text: &str) -> Result<IpNet, String> {
    let address = text.parse().map(|address: IpAddr| address.into());
    let network = address.or_else(|_| text.parse::<IpNet>());
    let network = network.map(|network| network.trunc());
    network.map_err(|_| format!("{text:?} isn't an address like 192.0.2.1 or 192.0.2.0/24"))
}

pub(crate) fn run(args: &AdminArgs) -> Result<(), Failure> {
    let Some(path) = &args.token_file else {
        let text = "admin needs --token-file, the file given to serve as --admin-token-file";
        return Err(Failure::usage(text));
    };
    let admin = Admin::new(args.server.clone(), token::existing_token(path)?);
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::failed)?;
    runtime.block_on(execute(&admin, args))
}

async fn execute(admin: &Admin, args: &AdminArgs) -> Result<(), Failure> {
    let report = Report { json: args.json };
    let done = |result: Result<Done, _>| result.map(drop).map_err(Failure::failed);
    match &args.command {
        AdminCommand::Status => {
            report.status(&admin.status().await.map_err(Failure::failed)?)?;
        }
        AdminCommand::List { all } => {
            let mut after = None;
            loop {
                let page = admin.matches(*all, after.as_ref()).await;
                let page = page.map_err(Failure::failed)?;
                for description in &page.matches {
                    report.line(description)?;
                }
                for unreadable in &page.unreadable {
                    report.unreadable(unreadable)?;
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        AdminCommand::Show { id } => {
            report.show(&admin.show(id).await.map_err(Failure::failed)?)?;
        }
        AdminCommand::Close { id } => {
            done(admin.close(id).await)?;
            report.done(format_args!("Match {id} is closed."))?;
        }
        AdminCommand::Reopen { id } => {
            done(admin.reopen(id).await)?;
            report.done(format_args!("Match {id} is open again."))?;
        }
        AdminCommand::Delete { id } => {
            done(admin.delete(id).await)?;
            report.done(format_args!("Match {id} is deleted."))?;
        }
        AdminCommand::Bans => {
            report.bans(&admin.bans().await.map_err(Failure::failed)?)?;
        }
        AdminCommand::Ban { who, hours, reason } => {
            let hours = hours.map(|hours| Duration::from_hours(hours.into()));
            let until = hours.map(|time| now_ms().saturating_add(time.as_millis() as u64));
            let ban = Ban {
                who: who.banned(),
                until,
                reason: reason.clone(),
            };
            done(admin.ban(&ban).await)?;
            report.done(format_args!("{} is banned.", report::name(&ban.who)))?;
        }
        AdminCommand::Unban { who } => {
            let who = who.banned();
            done(admin.unban(&who).await)?;
            let left = admin.bans().await.map_err(Failure::failed)?.bans;
            let name = report::name(&who);
            let wider = left.iter().find(|ban| contains(&ban.who, &who));
            let state = wider.map_or_else(
                || "isn't banned any more".to_owned(),
                |wider| format!("is still banned, as {} is", report::name(&wider.who)),
            );
            report.done(format_args!("{name} {state}."))?;
        }
        AdminCommand::Drain { text, off } => {
            let drain = Drain {
                on: !off,
                text: text.clone(),
            };
            done(admin.drain(&drain).await)?;
            report.done(if *off {
                format_args!("The server accepts new matches again.")
            } else {
                format_args!("The server refuses new matches. Running ones continue.")
            })?;
        }
    }
    Ok(())
}

impl BannedArgs {
    fn banned(&self) -> Banned {
        match (&self.network, &self.name) {
            (Some(network), _) => Banned::Network(*network),
            (None, name) => Banned::Name(name.clone().unwrap_or_default()),
        }
    }
}

/// Whether one ban covers all clients of the other.
fn contains(wider: &Banned, other: &Banned) -> bool {
    match (wider, other) {
        (Banned::Network(wider), Banned::Network(other)) => wider.contains(other),
        _ => false,
    }
}
