//! The results as a page of tables.

use std::fmt::Write;

use open_ttt_catalog::Catalog;
use open_ttt_players::MatchScore;
use open_ttt_players::difficulty::LEVELS;

use crate::measure::{Opponent, Setting, opening_plies};
use crate::results::Results;

const INTRODUCTION: &str = "\
# Difficulty

A computer's difficulty is the probability of a mistake on each move:
`perfect(mistakes=0.3)` ignores the best result within reach on three moves of ten, and
plays the best of the rest. The terminal's menus and the web page have the same levels:

| level | mistakes |
|---|--:|
LEVELS

The strength that results differs from game to game.

![Wins, draws and losses of the perfect player by its mistakes](difficulty.svg)

Each row has two matches of the perfect player with this probability of mistakes: against
the random player, and against the perfect player without mistakes. Each side moves first
in half of the games. The percentages are accurate to 1 point for 10,000 games, to 7 for
200 and to 22 for 20 (95 % intervals, worst case). `cargo xtask difficulty` plays the
matches that `difficulty.tsv` lacks; the games are reproducible.
";

/// The page.
pub(crate) fn page(results: &Results) -> String {
    let levels = LEVELS.map(|(name, mistakes)| format!("| {name} | {mistakes:.1} |\n"));
    let mut page = INTRODUCTION.replace("LEVELS\n", &levels.concat());
    for game in results.games() {
        // Writing to a string does not fail.
        let _ = table(&mut page, results, game);
    }
    page
}

/// What a menu calls the game.
pub(crate) fn title(game: &str) -> String {
    let found = Catalog::bundled().game(game);
    found.map_or_else(|_| game.to_owned(), |game| game.entry().title.to_owned())
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
    let [random, perfect] = Opponent::BOTH.map(Setting::against);
    for (random, perfect) in random.zip(perfect) {
        let mistakes = random.mistakes();
        let [random, perfect] =
            [random, perfect].map(|setting| cells(results.score(game, setting)));
        writeln!(page, "| {mistakes} | {random} | {perfect} |")?;
    }
    Ok(())
}

/// Shares in percent, and the number of games.
fn cells(score: Option<MatchScore>) -> String {
    let Some(score) = score else {
        return " |  |  | ".to_owned();
    };
    let games = score.games();
    let percent = |count: u32| 100.0 * (f64::from(count) / f64::from(games));
    let [wins, draws, losses] = [score.wins, score.draws, score.losses].map(percent);
    format!("{wins:.0} % | {draws:.0} % | {losses:.0} % | {games}")
}
