//! The results as a page of tables.

use open_ttt_players::MatchScore;
use std::fmt::Write;

use crate::measure::{Opponent, Setting, opening_plies};
use crate::results::Results;

const INTRODUCTION: &str = "\
# Difficulty

A computer's difficulty is the probability of a mistake on each move:
`perfect(mistakes=0.3)` ignores the best result within reach on three moves of ten, and
plays the best of the rest. The strength that results differs from game to game.

![Wins, draws and losses of the perfect player by its mistakes](difficulty.svg)

Each row has two matches of the perfect player with this probability of mistakes: against
the random player, and against the perfect player without mistakes. Each side moves first
in half of the games. The percentages are accurate to 1 point for 10,000 games, to 7 for
200 and to 22 for 20 (95 % intervals, worst case). `cargo xtask difficulty` plays the
matches that `difficulty.tsv` lacks; the games are reproducible.
";

/// The page.
pub(crate) fn page(results: &Results) -> String {
    let mut page = INTRODUCTION.to_owned();
    for game in results.games() {
        // Writing to a string does not fail.
        let _ = table(&mut page, results, game);
    }
    page
}

/// What a menu calls the game.
pub(crate) fn title(game: &str) -> String {
    open_ttt_catalog::game(game).map_or_else(|_| game.to_owned(), |game| game.title().to_owned())
}

fn table(page: &mut String, results: &Results, game: &str) -> std::fmt::Result {
    writeln!(page, "\n## {}\n", title(game))?;
    let plies = opening_plies(game);
    if plies > 0 {
        writeln!(
            page,
            "Each pair of games begins with the same {plies} random moves.\n"
        )?;
    }
    writeln!(
        page,
        "| mistakes | against random: wins | draws | losses | games \
         | against perfect: wins | draws | losses | games |"
    )?;
    writeln!(page, "|---|{}", "--:|".repeat(8))?;
    for tenths in 0..=Setting::MOST {
        let score = |opponent| results.score(game, Setting { opponent, tenths });
        let scores = Opponent::BOTH.map(score);
        let [random, perfect] = scores.map(cells);
        let mistakes = Setting {
            opponent: Opponent::Random,
            tenths,
        }
        .mistakes();
        writeln!(page, "| {mistakes} | {random} | {perfect} |")?;
    }
    Ok(())
}

/// Shares in percent, and the number of games.
fn cells(score: Option<MatchScore>) -> String {
    let Some(score) = score else {
        return ["", "", "", ""].join(" | ");
    };
    let percent = |count: u32| {
        let share = f64::from(count) / f64::from(score.games());
        format!("{:.0} %", 100.0 * share)
    };
    [
        percent(score.wins),
        percent(score.draws),
        percent(score.losses),
        score.games().to_string(),
    ]
    .join(" | ")
}
