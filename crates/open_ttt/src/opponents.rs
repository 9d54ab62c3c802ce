use std::error::Error;
use std::num::NonZero;
use std::thread;

use open_ttt_app::{Opponent, clock};
use open_ttt_catalog::{DynGame, PlayerKind, PlayerSpec};
use open_ttt_lib::random::Probability;
use open_ttt_lib::rules::SpecError;

/// How strong a computer a person may choose: what it is called, and how often
/// the strongest player of the game errs for it.
const STRENGTHS: [(&str, f64); 3] = [
    ("strong", 0.0),
    ("fair, errs on one move in five", 0.2),
    ("weak, errs on every second move", 0.5),
];

/// The computers a person may choose from, the strongest first.
pub(crate) fn roster(game: &DynGame) -> Vec<Opponent<DynGame>> {
    let graded = STRENGTHS.iter().map(|&(name, mistakes)| {
        let game = game.clone();
        let make = move || -> Result<_, Box<dyn Error + Send + Sync>> {
            let mut spec: PlayerSpec = game.strongest().parse()?;
            spec.mistakes = Probability::new(mistakes)?;
            Ok(game.player(&with_processors(spec), clock())?)
        };
        Opponent::fallible(name, make)
    });
    let random = {
        let game = game.clone();
        Opponent::fallible("random, plays anything", move || {
            game.player(&"random".parse()?, clock())
        })
    };
    graded.chain([random]).collect()
}

/// The player as it meets a person, who waits for each of its moves: with all
/// the processors there are, unless it was told how many threads to use, or
/// something that makes its moves reproducible.
pub(crate) fn with_processors(mut spec: PlayerSpec) -> PlayerSpec {
    let counts = match spec.kind {
        PlayerKind::Negamax(effort) | PlayerKind::MonteCarlo(effort) => effort.nodes.is_some(),
        _ => false,
    };
    if spec.threads.is_none() && spec.seed.is_none() && !counts {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        spec.threads = NonZero::new(processors.min(PlayerSpec::MOST_THREADS));
    }
    spec
}

/// The computer somebody asked for by name.
///
/// # Errors
///
/// If it cannot play this game.
pub(crate) fn named(game: &DynGame, spec: PlayerSpec) -> Result<Opponent<DynGame>, SpecError> {
    let spec = with_processors(spec);
    // Found out now, with an answer to the command line, not in the game.
    game.player(&spec, clock())?;
    let game = game.clone();
    Ok(Opponent::fallible(spec.to_string(), move || {
        game.player(&spec, clock())
    }))
}
