use std::io::{self, Write};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_app::clock;
use open_ttt_lib::players::{GameResult, MatchScore, play_game};
use open_ttt_lib::rules::Named;
use serde::Serialize;

use super::{milliseconds, print_json};
use crate::args::ArenaArgs;
use crate::failure::Failure;
use crate::interrupt;

/// What `--json` prints; a stable format. Wins are those of `a`, and `elo` is
/// how much stronger it is; null where the games do not say.
#[derive(Serialize)]
struct ArenaReport {
    game: String,
    a: String,
    b: String,
    games: u32,
    wins: u32,
    draws: u32,
    losses: u32,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    ms: f64,
}

pub(crate) fn run(args: &ArenaArgs) -> Result<(), Failure> {
    let game = &args.game;
    let mut a = game.player(&args.a, clock()).map_err(Failure::usage)?;
    let mut b = game.player(&args.b, clock()).map_err(Failure::usage)?;
    let stop = interrupt::flag();
    let bar = progress_bar(args.games);
    let since = Instant::now();
    let mut score = MatchScore::default();
    for number in 0..args.games {
        if stop.is_raised() {
            break;
        }
        if number % 2 == 0 {
            score.count(play_game(game, &mut a, &mut b).result());
        } else {
            let GameResult { player1, player2 } = play_game(game, &mut b, &mut a).result();
            score.count(GameResult {
                player1: player2,
                player2: player1,
            });
        }
        bar.set_message(format!("{}-{}-{}", score.wins, score.draws, score.losses));
        bar.inc(1);
    }
    bar.finish_and_clear();
    report(args, score, milliseconds(since.elapsed()))
}

fn report(args: &ArenaArgs, score: MatchScore, ms: f64) -> Result<(), Failure> {
    let elo = score.elo();
    let finite = |value: f64| value.is_finite().then(|| (value * 10.0).round() / 10.0);
    if args.json {
        return print_json(&ArenaReport {
            game: args.game.name(),
            a: args.a.to_string(),
            b: args.b.to_string(),
            games: score.games(),
            wins: score.wins,
            draws: score.draws,
            losses: score.losses,
            elo: elo.and_then(|elo| finite(elo.difference)),
            elo_low: elo.and_then(|elo| finite(elo.low)),
            elo_high: elo.and_then(|elo| finite(elo.high)),
            ms,
        });
    }
    let mut output = io::stdout().lock();
    let MatchScore {
        wins,
        draws,
        losses,
    } = score;
    writeln!(
        output,
        "{} against {}: {wins} wins, {draws} draws, {losses} losses",
        args.a, args.b
    )?;
    match elo {
        Some(elo) => writeln!(
            output,
            "Elo difference {:+.0}, 95 % between {:+.0} and {:+.0}",
            elo.difference, elo.low, elo.high
        )?,
        None => writeln!(output, "Elo difference: more games are needed to tell")?,
    }
    if score.games() < args.games {
        writeln!(
            output,
            "stopped after {} of {} games",
            score.games(),
            args.games
        )?;
    }
    Ok(())
}

/// A bar on standard error; nothing where that is no terminal.
fn progress_bar(games: u32) -> ProgressBar {
    let bar = ProgressBar::new(games.into());
    if let Ok(style) = ProgressStyle::with_template(
        "{wide_bar} {pos}/{len} games, wins-draws-losses {msg}, {eta} left",
    ) {
        bar.set_style(style);
    }
    bar
}
