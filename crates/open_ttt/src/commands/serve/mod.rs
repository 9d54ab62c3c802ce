mod settings;

use std::env;
use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use open_ttt_catalog::Catalog;
use open_ttt_lib::rules::quoted;
use open_ttt_net::log::{MatchLog, MemoryLog, NatsLog, NatsOptions, SqliteLog};
use open_ttt_net::protocol::Token;
use open_ttt_net::server::{Config, RateLimit, Server};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::admin;
use crate::failure::Failure;
pub(crate) use settings::Settings;

/// Serve matches in the browser and over the network
///
/// Matches are saved in a file, so a restarted server continues them. A setting that
/// isn't on the command line comes from its environment variable, such as
/// OPEN_TTT_LISTEN, or from the settings file under the same name:
/// listen = "0.0.0.0:7878".
#[derive(Debug, clap::Parser)]
pub(crate) struct ServeArgs {
    /// A settings file in TOML
    #[arg(long, env = "OPEN_TTT_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

pub(crate) fn run(mut args: ServeArgs, catalog: Catalog) -> Result<(), Failure> {
    if let Some(path) = &args.config {
        args.settings = Settings::read(path)?;
        // The command line and the environment precede the file.
        let command_line = env::args_os().skip(1);
        args.try_update_from(command_line).map_err(Failure::usage)?;
    }
    let settings = args.settings;
    log_to_stderr(&settings)?;
    let listen = settings.listen.as_deref().unwrap_or("127.0.0.1:7878");
    let mut config = config(&settings)?;
    config.admin_token = admin_token(&settings)?;
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format_args!("can't start the server: {error}")))?;
    runtime.block_on(async {
        let (log, saved) = open(&settings).await?;
        let listener = bind(listen).await?;
        let address = listener.local_addr()?;
        let server = Server::new(catalog, config, log).map_err(Failure::failed)?;
        let mut private = None;
        if let Some(wanted) = &settings.private_listen {
            let listener = bind(wanted).await?;
            private = Some(listener.local_addr()?);
            tokio::spawn(server.clone().serve_private(listener));
        }
        // Before the line that tells of Ctrl-C.
        let stop = stop_signal()?;
        print_addresses(address, private, &saved)?;
        server.serve(listener, stop).await?;
        tracing::info!("the server has stopped");
        Ok(())
    })
}

async fn bind(address: &str) -> Result<TcpListener, Failure> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| {
        let message = format!("can't listen on {address:?}: {error}");
        match error.kind() {
            // Not an address with a port.
            io::ErrorKind::InvalidInput => Failure::usage(message),
            _ => Failure::failed(message),
        }
    })
}

/// Opens the store, and says where matches are saved.
async fn open(settings: &Settings) -> Result<(Arc<dyn MatchLog>, String), Failure> {
    let store = settings.store.as_deref().unwrap_or("open_ttt.db");
    let is_cluster = store.starts_with("nats://") || store.starts_with("tls://");
    let max_bytes = match settings.max_store_mib {
        Some(0) => return Err(Failure::usage("--max-store-mib must be at least 1")),
        Some(_) if is_cluster || store == "memory" => {
            let text = "--max-store-mib is for a file; a NATS stream has limits of its own";
            return Err(Failure::usage(text));
        }
        Some(mib) => mib.saturating_mul(1 << 20),
        None => u64::MAX,
    };
    Ok(match store {
        "memory" => {
            let saved = "Matches are lost when the server stops.".to_owned();
            (Arc::new(MemoryLog::new()), saved)
        }
        urls if is_cluster => {
            let mut options = NatsOptions::new(urls);
            options.replicas = settings.nats_replicas;
            options.credentials.clone_from(&settings.nats_credentials);
            options
                .root_certificates
                .clone_from(&settings.nats_authorities);
            if let Some(name) = &settings.nats_stream {
                options.stream_name.clone_from(name);
            }
            let log = NatsLog::connect(&options).await.map_err(Failure::failed)?;
            let saved = "Matches are saved in NATS JetStream.".to_owned();
            (Arc::new(log), saved)
        }
        path => {
            let log = SqliteLog::open_limited(path, max_bytes).map_err(Failure::failed)?;
            (Arc::new(log), format!("Matches are saved in {path}."))
        }
    })
}

fn config(settings: &Settings) -> Result<Config, Failure> {
    fn set<T>(to: &mut T, from: Option<T>) {
        if let Some(from) = from {
            *to = from;
        }
    }
    fn set_rate(limit: &mut RateLimit, per_minute: Option<u32>) {
        set(limit, per_minute.map(|wanted| scaled(*limit, wanted)));
    }
    let mut config = Config::default();
    for (option, most) in [
        ("--max-connections", settings.max_connections),
        (
            "--max-connections-per-address",
            settings.max_connections_per_address,
        ),
        ("--max-matches", settings.max_matches),
    ] {
        if most == Some(0) {
            return Err(Failure::usage(format_args!("{option} must be at least 1")));
        }
    }
    set(&mut config.max_connections, settings.max_connections);
    let per_address = settings.max_connections_per_address;
    set(&mut config.max_connections_per_address, per_address);
    set(&mut config.max_matches, settings.max_matches);
    set_rate(&mut config.create_rate, settings.makes_per_minute);
    set_rate(&mut config.request_rate, settings.requests_per_minute);
    set_rate(&mut config.message_rate, settings.messages_per_minute);
    if let Some(threads) = settings.computer_threads {
        config.computer_threads = NonZero::new(threads)
            .ok_or_else(|| Failure::usage("--computer-threads must be at least 1"))?;
    }
    let time = settings.computer_ms.map(Duration::from_millis);
    set(&mut config.computer_time, time);
    set_rate(&mut config.act_rate, settings.acts_per_minute);
    config.keep_matches = match settings.keep_days {
        Some(0) => return Err(Failure::usage("--keep-days must be at least 1")),
        Some(days) => Some(Duration::from_hours(24 * u64::from(days))),
        None if settings.archive.is_some() => {
            let text = "--archive needs --keep-days, after which matches are archived";
            return Err(Failure::usage(text));
        }
        None => None,
    };
    config.archive.clone_from(&settings.archive);
    let networks = settings.trusted_proxies.iter();
    let networks: Result<_, String> = networks.map(|text| admin::network(text)).collect();
    config.trusted_proxies =
        networks.map_err(|error| Failure::usage(format_args!("--trusted-proxies: {error}")))?;
    for host in &settings.hosts {
        if !is_host(host) {
            return Err(Failure::usage(format_args!(
                "--hosts: {} isn't a name such as play.example.org",
                quoted(host)
            )));
        }
    }
    config.hosts.clone_from(&settings.hosts);
    for origin in &settings.origins {
        if !is_origin(origin) {
            return Err(Failure::usage(format_args!(
                "--origins: {} isn't an origin such as https://example.org",
                quoted(origin)
            )));
        }
    }
    config.allowed_origins.clone_from(&settings.origins);
    Ok(config)
}

fn is_host(text: &str) -> bool {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    !text.is_empty() && text.chars().all(is_fit)
}

/// Whether browsers may send this as an origin: a scheme, a host and perhaps a port.
fn is_origin(text: &str) -> bool {
    let Some((scheme, host)) = text.split_once("://") else {
        return false;
    };
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    let is_address = || {
        let inner = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        inner.is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok())
    };
    // Browsers write them in lower case.
    !text.contains(|c: char| c.is_ascii_uppercase())
        && scheme.starts_with(|c: char| c.is_ascii_lowercase())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        && (is_host(name) || is_address())
        && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

/// This limit with another number per minute, 0 for no limit, and bursts in proportion.
fn scaled(limit: RateLimit, per_minute: u32) -> RateLimit {
    if per_minute == 0 {
        return RateLimit::UNLIMITED;
    }
    let burst = u64::from(limit.burst) * u64::from(per_minute);
    let burst = burst.div_ceil(u64::from(limit.per_minute));
    let burst = u32::try_from(burst).unwrap_or(u32::MAX);
    RateLimit { burst, per_minute }
}

/// The token for the administration; makes its file if there is none.
fn admin_token(settings: &Settings) -> Result<Option<Token>, Failure> {
    let Some(path) = &settings.admin_token_file else {
        return Ok(None);
    };
    if settings.private_listen.is_none() {
        let text = "--admin-token-file needs --private-listen, the port for administration";
        return Err(Failure::usage(text));
    }
    admin::token_in(path).map(Some)
}

/// Logs to standard error, as text or JSON lines.
fn log_to_stderr(settings: &Settings) -> Result<(), Failure> {
    let wanted = settings.log.as_deref().unwrap_or("info");
    let filter = log_filter(wanted)?;
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal());
    let lines = if settings.log_json.unwrap_or(false) {
        lines.json().boxed()
    } else {
        lines.boxed()
    };
    let lines = tracing_subscriber::registry().with(lines.with_filter(filter));
    let started = lines.try_init();
    started.map_err(Failure::failed)
}

/// A filter like `info` or `warn,open_ttt_net=debug`.
fn log_filter(wanted: &str) -> Result<Targets, Failure> {
    // Nothing after a comma would be a level, too.
    let parts = wanted.split(',').map(str::trim);
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    // A word alone would be a module, all of whose messages are logged, and no others.
    let is_level = |part: &&str| part.contains('=') || part.parse::<LevelFilter>().is_ok();
    let filter = parts.join(",").parse().ok();
    filter
        .filter(|_| parts.iter().all(is_level))
        .ok_or_else(|| {
            Failure::usage(format_args!(
                "--log: {wanted:?} isn't a filter like info or warn,open_ttt_net=debug"
            ))
        })
}

/// Prints where to play, where to look after the server, and where matches are saved.
fn print_addresses(
    address: SocketAddr,
    private: Option<SocketAddr>,
    saved: &str,
) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    let of_this_machine = |address: SocketAddr| {
        if address.ip().is_unspecified() {
            SocketAddr::new([127, 0, 0, 1].into(), address.port())
        } else {
            address
        }
    };
    writeln!(output, "Play at http://{}/", of_this_machine(address))?;
    if let Some(private) = private {
        let private = of_this_machine(private);
        writeln!(output, "Metrics and administration at http://{private}/")?;
    }
    if address.ip().is_loopback() {
        writeln!(
            output,
            "Only this machine can connect. To let others in: --listen 0.0.0.0:{}",
            address.port()
        )?;
    }
    writeln!(output, "{saved}\nPress Ctrl-C to stop.")?;
    Ok(output.flush()?)
}

/// Listens from now on for Ctrl-C and for what a service manager sends, or the system when
/// somebody closes the window of the console. The future ends with the first of them.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let (mut interrupted, mut terminated) = {
        use tokio::signal::unix::{SignalKind, signal};
        (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        )
    };
    #[cfg(windows)]
    let (mut interrupted, mut terminated) = {
        use tokio::signal::windows::{ctrl_c, ctrl_close};
        (ctrl_c()?, ctrl_close()?)
    };
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
        tracing::info!("the server is stopping");
    })
}

#[cfg(test)]
mod tests {
    use open_ttt_net::server::RateLimit;
    use tracing_subscriber::filter::LevelFilter;

    use super::{is_host, is_origin, log_filter, scaled};

    #[test]
    fn hosts_and_origins_are_what_browsers_send() {
        for host in ["play.example.org", "localhost", "a-b_c.example"] {
            assert!(is_host(host), "{host}");
        }
        for other in [
            "",
            "https://play.example.org",
            "a b",
            "a/b",
            "a:80",
            "*.example.org",
        ] {
            assert!(!is_host(other), "{other}");
        }
        for origin in [
            "https://example.org",
            "http://127.0.0.1:7878",
            "http://[::1]:7878",
            "http://[::1]",
            "chrome-extension://abcdef",
        ] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in [
            "",
            "example.org",
            "https://",
            "https://example.org/",
            "https://Example.org",
            "https://example.org:port",
            "foo bar",
            "://example.org",
            "http://[::1",
        ] {
            assert!(!is_origin(other), "{other}");
        }
    }

    #[test]
    fn a_rate_that_is_given_as_it_is_changes_nothing_and_bursts_keep_their_proportion() {
        let rate = |burst, per_minute| RateLimit { burst, per_minute };
        let default = rate(40, 60);
        assert_eq!(scaled(default, 60), default);
        assert_eq!(scaled(default, 120), rate(80, 120));
        assert_eq!(scaled(default, 1), rate(1, 1));
        assert_eq!(scaled(default, 0), RateLimit::UNLIMITED);
        let most = rate(2_863_311_530, u32::MAX);
        assert_eq!(scaled(default, u32::MAX), most);
    }

    #[test]
    fn spaces_and_commas_at_the_end_change_no_filter() {
        let filter = |wanted| log_filter(wanted).expect("a filter");
        let info = filter("info");
        assert_eq!(info.default_level(), Some(LevelFilter::INFO));
        assert_eq!(filter("info,"), info);
        assert_eq!(
            filter(" warn , open_ttt_net=debug"),
            filter("warn,open_ttt_net=debug")
        );
    }
}
