use std::path::PathBuf;
use std::time::Duration;

use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::quoted;

use crate::args::thread_count;
use crate::commands::work::BrokerArgs;
use crate::games;

/// Train a network on a game by self-play
///
/// The network learns from the rules alone. Everything is kept in a folder, from which
/// training resumes after Ctrl-C, a power cut or the time limit. The result depends on
/// the game, the configuration and the seed alone.
#[derive(Debug, clap::Args)]
pub(crate) struct TrainArgs {
    /// The game, with any parameters in quotes: 'KEY(NAME=VALUE)'
    #[arg(long, value_name = games::KEY, value_parser = games::bundled)]
    pub(crate) game: Option<DynGame>,
    /// The hyperparameters: a decent player soon, or a strong one later [default: fast]
    #[arg(long, value_name = "NAME", conflicts_with = "resume", value_parser = ["fast", "strong"])]
    pub(crate) preset: Option<String>,
    /// A file of hyperparameters, in the format of --show
    #[arg(long, value_name = "FILE", conflicts_with_all = ["preset", "resume"])]
    pub(crate) config: Option<PathBuf>,
    /// Print the configuration and exit
    #[arg(long)]
    pub(crate) show: bool,
    /// Stop after M minutes, at the end of the iteration
    #[arg(long, value_name = "M", value_parser = minutes)]
    pub(crate) minutes: Option<Duration>,
    /// The number of iterations; the learning rate falls towards the last
    #[arg(long, value_name = "N", conflicts_with = "resume",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) iterations: Option<u32>,
    /// The folder of all files [default: learned-KEY]
    #[arg(long, value_name = "FOLDER", conflicts_with = "resume")]
    pub(crate) folder: Option<PathBuf>,
    /// Resume the run in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) resume: Option<PathBuf>,
    /// The seed of the run [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    pub(crate) seed: Option<u64>,
    /// The number of threads; the result is the same with any [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(crate) threads: Option<u16>,
    /// Evaluate the strength every N iterations; 0 never does
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) eval_every: u32,
    /// Show charts in the full terminal; Tab shows the next one, q stops
    #[arg(long)]
    pub(crate) watch: bool,
    /// Let workers (the command work) play games too, through the NATS server with
    /// JetStream at this address
    #[arg(
        long,
        env = "OPEN_TTT_WORKERS",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub(crate) workers: Option<String>,
    #[command(flatten)]
    pub(crate) broker: BrokerArgs,
}

fn minutes(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(minutes) if (0.0..=100_000.0).contains(&minutes) => {
            Ok(Duration::from_secs_f64(60.0 * minutes))
        }
        _ => Err(format!(
            "{} isn't a number of minutes from 0 to 100,000",
            quoted(text)
        )),
    }
}
