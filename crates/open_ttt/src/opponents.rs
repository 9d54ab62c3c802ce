use open_ttt_app::{Opponent, clock};
use open_ttt_lib::catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::SpecError;

/// How strong a computer a person may choose: a word, what it means, and how
/// the strongest player of the game is changed for it.
const STRENGTHS: [(&str, &str); 3] = [
    ("strong", "mistakes=0"),
    ("fair, errs on one move in five", "mistakes=0.2"),
    ("weak, errs on every second move", "mistakes=0.5"),
];

/// The computers a person may choose from, the strongest first.
pub(crate) fn roster(game: &DynGame) -> Vec<Opponent<DynGame>> {
    let graded = STRENGTHS.iter().map(|(name, mistakes)| {
        let written = format!("{}({mistakes})", game.strongest());
        let game = game.clone();
        Opponent::fallible(*name, move || game.player(&written.parse()?, clock()))
    });
    let random = {
        let game = game.clone();
        Opponent::fallible("random, plays anything", move || {
            game.player(&"random".parse()?, clock())
        })
    };
    graded.chain([random]).collect()
}

/// The computer somebody asked for by name.
///
/// # Errors
///
/// If it cannot play this game.
pub(crate) fn named(game: &DynGame, spec: PlayerSpec) -> Result<Opponent<DynGame>, SpecError> {
    // Found out now, with an answer to the command line, not in the game.
    game.player(&spec, clock())?;
    let game = game.clone();
    Ok(Opponent::fallible(spec.to_string(), move || {
        game.player(&spec, clock())
    }))
}
