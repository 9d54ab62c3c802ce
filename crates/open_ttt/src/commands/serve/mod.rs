mod settings;

use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;

use open_ttt_net::log::{MatchLog, MemoryLog, NatsLog, NatsOptions, SqliteLog};
use open_ttt_net::server::{Config, RateLimit, Server};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tracing_subscriber::EnvFilter;

use crate::failure::Failure;
pub(crate) use settings::Settings;
use std::path::PathBuf;

/// Serve matches in the browser and over the network
///
/// Matches are saved in a file, so a restarted server continues them. A setting that
/// isn't on the command line comes from its environment variable, such as
/// OPEN_TTT_LISTEN, or from the settings file under the same name:
/// listen = "0.0.0.0:7878".
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// A settings file in TOML
    #[arg(long, env = "OPEN_TTT_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// Where matches are saved.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Store {
    Memory,
    File(String),
    Nats(String),
}

pub(crate) fn run(args: ServeArgs) -> Result<(), Failure> {
    let settings = match &args.config {
        Some(path) => Settings::read(path)?,
        None => Settings::default(),
    };
    let settings = args.settings.or(settings);
    log_to_stderr(&settings)?;
    let listen = settings.listen.as_deref().unwrap_or("127.0.0.1:7878");
    let store = store(settings.store.as_deref().unwrap_or("open_ttt.db"));
    let config = config(&settings)?;
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format_args!("can't start the server: {error}")))?;
    runtime.block_on(async {
        let log = open(&store, &settings).await?;
        let listener = TcpListener::bind(listen).await.map_err(|error| {
            Failure::failed(format_args!("can't listen on {listen:?}: {error}"))
        })?;
        let address = listener.local_addr()?;
        let server = Server::new(config, log).map_err(Failure::failed)?;
        print_address(address, &store)?;
        server.serve(listener, shutdown_signal()).await?;
        tracing::info!("all matches are saved");
        Ok(())
    })
}

fn store(text: &str) -> Store {
    match text {
        "memory" => Store::Memory,
        urls if urls.starts_with("nats://") || urls.starts_with("tls://") => {
            Store::Nats(urls.to_owned())
        }
        path => Store::File(path.to_owned()),
    }
}

async fn open(store: &Store, settings: &Settings) -> Result<Arc<dyn MatchLog>, Failure> {
    Ok(match store {
        Store::Memory => Arc::new(MemoryLog::new()),
        Store::File(path) => Arc::new(SqliteLog::open(path).map_err(Failure::failed)?),
        Store::Nats(urls) => {
            let mut options = NatsOptions::new(urls);
            options.replicas = settings.nats_replicas;
            options.credentials.clone_from(&settings.nats_credentials);
            options
                .root_certificates
                .clone_from(&settings.nats_authorities);
            if let Some(name) = &settings.nats_stream {
                options.stream_name.clone_from(name);
            }
            let log = NatsLog::connect(&options).await;
            Arc::new(log.map_err(Failure::failed)?)
        }
    })
}

fn config(settings: &Settings) -> Result<Config, Failure> {
    let mut config = Config::default();
    let set = |to: &mut usize, from: Option<usize>| *to = from.unwrap_or(*to);
    set(&mut config.max_connections, settings.max_connections);
    set(
        &mut config.max_connections_per_address,
        settings.max_connections_per_address,
    );
    set(&mut config.max_matches, settings.max_matches);
    let rate = |to: &mut RateLimit, from: Option<u32>| match from {
        Some(0) => *to = RateLimit::UNLIMITED,
        Some(per_minute) => {
            *to = RateLimit {
                burst: per_minute.div_ceil(4).max(1),
                per_minute,
            };
        }
        None => {}
    };
    rate(&mut config.create_rate, settings.makes_per_minute);
    rate(&mut config.request_rate, settings.requests_per_minute);
    rate(&mut config.message_rate, settings.messages_per_minute);
    if let Some(threads) = settings.computer_threads {
        config.computer_threads = NonZero::new(threads)
            .ok_or_else(|| Failure::usage("--computer-threads must be at least 1"))?;
    }
    if let Some(ms) = settings.computer_ms {
        config.computer_time = std::time::Duration::from_millis(ms);
    }
    config.behind_proxy = settings.behind_proxy.unwrap_or(config.behind_proxy);
    config.allowed_origins.clone_from(&settings.origins);
    Ok(config)
}

/// Logs to standard error, as text or JSON lines.
fn log_to_stderr(settings: &Settings) -> Result<(), Failure> {
    let wanted = settings.log.as_deref().unwrap_or("info");
    let filter = EnvFilter::try_new(wanted).map_err(|error| {
        Failure::usage(format_args!(
            "--log: {wanted:?} isn't a filter like info or open_ttt_net=debug: {error}"
        ))
    })?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal());
    let started = if settings.log_json.unwrap_or(false) {
        lines.json().try_init()
    } else {
        lines.try_init()
    };
    started.map_err(Failure::failed)
}

/// Prints where to play and where matches are saved.
fn print_address(address: SocketAddr, store: &Store) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    let host = if address.ip().is_unspecified() {
        SocketAddr::new([127, 0, 0, 1].into(), address.port())
    } else {
        address
    };
    writeln!(output, "Play at http://{host}/")?;
    if address.ip().is_loopback() {
        writeln!(
            output,
            "Only this machine can connect. To let others in: --listen 0.0.0.0:{}",
            address.port()
        )?;
    }
    match store {
        Store::Memory => writeln!(output, "Matches are lost when the server stops.")?,
        Store::File(path) => writeln!(output, "Matches are saved in {path}.")?,
        Store::Nats(_) => writeln!(output, "Matches are saved in NATS JetStream.")?,
    }
    writeln!(output, "Press Ctrl-C to stop.")?;
    output.flush()?;
    Ok(())
}

/// Waits for Ctrl-C, or for SIGTERM from a service manager.
async fn shutdown_signal() {
    let interrupt = async {
        // Without a handler Ctrl-C ends the program at once, which loses nothing.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
    tracing::info!("the server is stopping");
}
