use std::io::{self, Write};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_app::clock;
use open_ttt_lib::catalog::DynGame;
use open_ttt_lib::players::{GameResult, MatchScore, Player, play_turn};
use open_ttt_lib::rules::{Named, Outcome, Side, TwoPlayerGame};
use open_ttt_lib::search::StopFlag;
use serde::Serialize;

use super::{count, milliseconds, print_json};
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
    let player = |flag: &str, spec| {
        game.player(spec, clock())
            .map_err(|error| Failure::usage(format_args!("{flag}: {error}")))
    };
    let mut a = player("--a", &args.a)?;
    let mut b = player("--b", &args.b)?;
    let stop = interrupt::flag();
    let bar = progress_bar(args.games);
    let since = Instant::now();
    let mut score = MatchScore::default();
    for number in 0..args.games {
        let swapped = number % 2 == 1;
        let outcome = if swapped {
            play(game, &mut b, &mut a, &stop)
        } else {
            play(game, &mut a, &mut b, &stop)
        };
        let Some(outcome) = outcome else {
            break;
        };
        let GameResult { player1, player2 } = GameResult::of(outcome);
        let (player1, player2) = if swapped {
            (player2, player1)
        } else {
            (player1, player2)
        };
        score.count(GameResult { player1, player2 });
        bar.set_message(format!("{}-{}-{}", score.wins, score.draws, score.losses));
        bar.inc(1);
    }
    bar.finish_and_clear();
    report(args, score, milliseconds(since.elapsed()))
}

/// Plays a game, or breaks it off between two moves: a game between slow
/// players may take minutes.
fn play(
    start: &DynGame,
    player1: &mut dyn Player<DynGame>,
    player2: &mut dyn Player<DynGame>,
    stop: &StopFlag,
) -> Option<Outcome> {
    let mut position = start.clone();
    loop {
        if stop.is_raised() {
            return None;
        }
        if let Some(outcome) = position.outcome() {
            return Some(outcome);
        }
        let turn = match position.to_move() {
            Side::First => play_turn(&mut position, player1),
            Side::Second => play_turn(&mut position, player2),
        };
        if let Err(end) = turn {
            return Some(end.outcome());
        }
    }
}

fn report(args: &ArenaArgs, score: MatchScore, ms: f64) -> Result<(), Failure> {
    let elo = score.elo();
    // Adding zero makes a negative one positive.
    let finite = |value: f64| {
        value
            .is_finite()
            .then(|| (value * 10.0).round() / 10.0 + 0.0)
    };
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
        "{} against {}: {}, {}, {}",
        args.a,
        args.b,
        count(wins, "win", "wins"),
        count(draws, "draw", "draws"),
        count(losses, "loss", "losses")
    )?;
    match elo {
        Some(elo) => writeln!(
            output,
            "Elo difference {}, 95 % between {} and {}",
            signed(elo.difference),
            signed(elo.low),
            signed(elo.high)
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
    let template = "{wide_bar} {pos}/{len} games, {msg}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A difference as people write it; one that the games do not bound is ∞.
fn signed(elo: f64) -> String {
    if elo.is_infinite() {
        let sign = if elo > 0.0 { '+' } else { '-' };
        return format!("{sign}∞");
    }
    // Adding zero takes the sign from a negative zero.
    format!("{:+.0}", elo.round() + 0.0)
}
