//! The results as a page of tables.

use std::fmt::Write;

use open_ttt_catalog::Catalog;
use open_ttt_players::MatchScore;

use crate::levels::Levels;
use crate::measure::{Opponent, Setting, opening_plies};
use crate::results::Results;

const INTRODUCTION: &str = "\
# Difficulty

The computers of the terminal's menus and of the web page have six levels: beginner, easy,
medium, hard, expert and master. A master is the strongest player of the game. The others err
as people do: they overlook moves, their own and the opponent's, those far from the last move
before those near it, and a deep line before a plain move, because each of its moves can be
overlooked. From easy on in most games, and from hard on in all, they never overlook a win in one.

How much they overlook is set for each game by matches: one level is some 200 Elo above the
level below where the game has room for it, which is a score of 76 %. Small games have less
room: between random moves and perfect play lie some 400 Elo in tic-tac-toe. Others have more,
and their levels are farther apart. A beginner is weaker than a player who looks at each move
and its reply, `negamax(depth=2)`.

The table shows how much stronger each level is, in Elo with the 95 % interval: a beginner
than `negamax(depth=2)`, the others than the level before. Games begin at the start position,
and each side moves first in half of them. Where one side won nearly every game, the table
has its points instead. A master that thinks for a second is as strong as the computer it runs
on; those of the table had one core.
`cargo run --release -p difficulty -- --levels GAME ..` plays the matches of these games that
`levels.tsv` lacks, and with `--games N` those games that matches with fewer lack; each pair of
games is kept at once. With `--masters` it also plays those of masters that think for a second.
`cargo run --release -p difficulty -- --calibrate GAME ..` finds the skills for the catalog.

LEVELS
An adaptive computer lies between the levels: it is a third of a level stronger after each
game that it loses, and weaker after each that it wins.

## Mistakes by chance

Another kind of weakness is a probability of a mistake on each move: `perfect(mistakes=0.3)`
ignores the best result within reach on three moves of ten, and plays the best of the rest.
The strength that results differs from game to game.

![Wins, draws and losses of the perfect player by its mistakes](difficulty.svg)

Each row has two matches of the perfect player with this probability of mistakes: against
the random player, and against the perfect player without mistakes. Each side moves first
in half of the games. The percentages are accurate to 1 point for 10,000 games, and to 7
for 200 (95 % intervals, worst case). `cargo xtask difficulty` plays the matches that
`difficulty.tsv` lacks; the games are reproducible.
";

/// The page.
pub(crate) fn page(results: &Results, levels: &Levels) -> String {
    let mut page = INTRODUCTION.replace("LEVELS\n", &(levels.table() + "\n"));
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
    writeln!(page, "\n### {}\n", title(game))?;
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
