use std::path::PathBuf;

use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::quoted;

use crate::args::thread_count;
use crate::commands::work::BrokerArgs;

/// Let a computer teach itself a game, by playing against itself
///
/// It knows nothing but the rules. All that it learns is kept in a folder, from
/// which it goes on after Ctrl-C, a power cut or the end of the time. What comes
/// of it depends on the game, the configuration and the seed alone.
#[expect(clippy::doc_markdown, reason = "the comments are the help texts")]
#[derive(Debug, clap::Args)]
pub(crate) struct TrainArgs {
    /// The game, such as ttt or 'mnk(m=5,n=5,k=4)'
    #[arg(long, value_name = "KEY", value_parser = open_ttt_catalog::game)]
    pub(crate) game: Option<DynGame>,
    /// A player soon, or a strong one with patience
    #[arg(long, value_name = "NAME", default_value = "fast", value_parser = ["fast", "strong"])]
    pub(crate) preset: String,
    /// The configuration in a file, as --show prints it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["preset", "resume"])]
    pub(crate) config: Option<PathBuf>,
    /// Print the configuration and do nothing
    #[arg(long, requires = "game")]
    pub(crate) show: bool,
    /// Stop after so many minutes; the iteration begun then is finished
    #[arg(long, value_name = "M", value_parser = minutes)]
    pub(crate) minutes: Option<f64>,
    /// How many iterations in all; learning slows down towards the last
    #[arg(long, value_name = "N", conflicts_with = "resume",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) iterations: Option<u32>,
    /// Where everything is kept; learned-KEY here if nothing is said
    #[arg(long, value_name = "FOLDER", conflicts_with = "resume")]
    pub(crate) folder: Option<PathBuf>,
    /// Go on with what is in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) resume: Option<PathBuf>,
    /// What makes the run reproducible; 1 if nothing is said
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    pub(crate) seed: Option<u64>,
    /// On how many threads, one for each processor if nothing is said; the result
    /// is the same
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(crate) threads: Option<u16>,
    /// Measure how strong it is after every so many iterations; never if 0
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) proof_every: u32,
    /// Watch it on the whole terminal, with charts; Tab shows the next, q stops
    #[arg(long)]
    pub(crate) watch: bool,
    /// Have games played by others too, which run the command work: they meet at the
    /// broker with this address, a server of NATS with JetStream
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

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if (0.0..=100_000.0).contains(&minutes) => Ok(minutes),
        _ => Err(format!(
            "{} is no number of minutes from 0 to 100,000",
            quoted(text)
        )),
    }
}
