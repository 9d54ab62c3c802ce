//! How well a preset learns, by CPU seconds: tic-tac-toe by the lines of play it
//! loses, Connect Four by the moves that keep the outcome, pegs by the points lost
//! against perfect play.
//!
//! ```sh
//! cargo run --release -p open_ttt_learn --example curve -- connect4 fast 1
//! ```
//!
//! Behind the game, the preset and the seed stand changes to the configuration
//! (`simulations=32`) and files of positions of Connect Four (one a line: columns as
//! played), which are proved at first and answered at the end: by the policy, with 64
//! and with 600 simulations. To prove positions takes a while: the random ones some
//! minutes, those of few moves some two seconds each.
//! The network is left in the file that `save=` names.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::num::NonZero;
use std::thread::available_parallelism;

use open_ttt_learn::{Config, Exam, Learnable, Learner, Marks, Preset, Symmetries, lines_lost};
use open_ttt_lib::games::{ConnectFour, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Margin, Side, Symmetry, TwoPlayerGame, play_text};
use open_ttt_nn::Network;
use open_ttt_players::{GumbelPlayer, NetworkModel, PerfectRetrograde, Player, play_game};
use open_ttt_search::{Budget, Grade, Prover, StopFlag, answer_by_layers};

type Failure = Box<dyn Error>;

/// How many positions of Connect Four are asked. With a thousand the shares are off by
/// half a hundredth and more, which is as much as networks differ.
const QUESTIONS: usize = 5000;
/// How many moves were drawn by chance to reach them.
const PLIES: std::ops::Range<usize> = 12..33;
/// How many games are played against perfect play.
const GAMES: usize = 40;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().ok_or("say GAME PRESET SEED");
    let (game, preset, seed) = (word()?, word()?, word()?.parse()?);
    let preset = match &*preset {
        "strong" => Preset::Strong,
        _ => Preset::Fast,
    };
    let rest: Vec<_> = words.collect();
    let (changes, files): (Vec<_>, Vec<_>) = rest.iter().partition(|word| word.contains('='));
    let run = Curve {
        preset,
        seed,
        changes,
    };
    match &*game {
        "ttt" => run.draw(TicTacToe::new(), |network, _| lost(network)),
        "connect4" => {
            let exam = random_exam()?;
            let sets: Vec<_> = files
                .into_iter()
                .map(|file| read_exam(file))
                .collect::<Result<_, Failure>>()?;
            run.draw(ConnectFour::new(), |network, is_last| {
                let mut text = marks(&exam, network, 64)?;
                for set in sets.iter().filter(|_| is_last) {
                    let found = set.sit(network, 600, &StopFlag::new())?;
                    let wrong = 100.0 * (1.0 - found.share().unwrap_or(1.0));
                    let shares = marks(set, network, 64)?;
                    write!(text, "\n      {} positions: {shares}, ", found.all)?;
                    write!(text, "600 simulations {wrong:.2} % wrong")?;
                }
                Ok(text)
            })
        }
        "pegs" => run.draw(Pegs::new(), |network, _| points(network)),
        _ => Err("ttt, connect4 or pegs".into()),
    }
}

struct Curve<'a> {
    preset: Preset,
    seed: u64,
    changes: Vec<&'a String>,
}

impl Curve<'_> {
    fn draw<G: Learnable + Symmetry>(
        &self,
        start: G,
        measure: impl Fn(&Network, bool) -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        let (mut every, mut save) = (10, None);
        let mut text = Config::preset(self.preset, &start.encoding()).to_string();
        for change in &self.changes {
            let (name, value) = change.split_once('=').unwrap_or_default();
            match name {
                "every" => every = value.parse()?,
                "save" => save = Some(value),
                _ => text = changed(&text, name, value)?,
            }
        }
        let threads = available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let stop = StopFlag::new();
        let config = text.parse()?;
        let symmetries = Symmetries::of(&start);
        let mut learner = Learner::new(start, symmetries, config, self.seed)?;
        let (mut playing, mut learning) = (0.0, 0.0);
        while !learner.is_done() {
            let began = cpu_seconds()?;
            let records = learner.play(threads, &stop)?;
            let played = cpu_seconds()?;
            let done = learner.learn(records, threads, &stop)?;
            playing += played - began;
            learning += cpu_seconds()? - played;
            let number = learner.iteration();
            if number % every == 0 || learner.is_done() {
                let losses = done.losses.unwrap_or_default();
                println!(
                    "{number:4}: {playing:6.1} + {learning:6.1} CPU s, {} games, {} steps, \
                     loss {:.3} {:.3}: {}",
                    learner.games(),
                    learner.steps(),
                    losses.policy,
                    losses.value,
                    measure(learner.network(), learner.is_done())?
                );
            }
        }
        if let Some(path) = save {
            fs::write(path, learner.network().to_bytes())?;
        }
        Ok(())
    }
}

/// A configuration with another number behind this name.
fn changed(text: &str, name: &str, value: &str) -> Result<String, Failure> {
    let is_named = |line: &&str| line.split(" = ").next() == Some(name);
    if !text.lines().any(|line| is_named(&line)) {
        return Err(format!("nothing is called {name}").into());
    }
    let line = |line| {
        if is_named(&line) {
            format!("{name} = {value}\n")
        } else {
            format!("{line}\n")
        }
    };
    Ok(text.lines().map(line).collect())
}

/// How long this process has had a processor.
fn cpu_seconds() -> Result<f64, Failure> {
    // Of Linux: the times are the 14th and 15th word, in hundredths of a second.
    let stat = fs::read_to_string("/proc/self/stat")?;
    let behind_name = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = behind_name.split(' ').skip(11).take(2);
    Ok(ticks.map(str::parse::<f64>).sum::<Result<f64, _>>()? / 100.0)
}

/// The lines of tic-tac-toe that are lost by the policy, and with 16 simulations.
fn lost(network: &Network) -> Result<String, Failure> {
    let count = |simulations| {
        let found = lines_lost(
            &TicTacToe::new(),
            network,
            simulations,
            u64::MAX,
            &StopFlag::new(),
        );
        found.map(|found| found.unwrap_or_default().lost)
    };
    Ok(format!("lines lost {} {}", count(0)?, count(16)?))
}

/// What is right, by the policy alone and with so many simulations.
fn marks(exam: &Exam<ConnectFour>, network: &Network, with: u32) -> Result<String, Failure> {
    let text = |marks: Marks| {
        let share = |share: Option<f64>| 100.0 * share.unwrap_or(1.0);
        format!(
            "{:.1} {:.1}",
            share(marks.share()),
            share(marks.critical_share())
        )
    };
    let stop = StopFlag::new();
    let (policy, search) = (
        exam.sit(network, 0, &stop)?,
        exam.sit(network, with, &stop)?,
    );
    Ok(format!(
        "policy {}, {with} simulations {} %",
        text(policy),
        text(search)
    ))
}

/// Positions of random games, all lengths as likely.
fn random_exam() -> Result<Exam<ConnectFour>, Failure> {
    let mut exam = Exam::new();
    let mut prover = Prover::new(256 << 20);
    let mut rng = Rng::new(7);
    while exam.len() < QUESTIONS {
        let plies = PLIES.start + rng.below(PLIES.len());
        let mut game = ConnectFour::new();
        for _ in 0..plies {
            if let Some(m) = rng.pick(game.moves()) {
                game.play_unchecked(m);
            }
        }
        if game.outcome().is_none() {
            ask(&mut exam, &mut prover, &game)?;
        }
    }
    Ok(exam)
}

fn ask(
    exam: &mut Exam<ConnectFour>,
    prover: &mut Prover<ConnectFour>,
    game: &ConnectFour,
) -> Result<(), Failure> {
    let moves = prover.moves(game, &Budget::UNLIMITED, &StopFlag::new());
    let moves = moves.ok_or("stopped")?;
    let kept = moves.first().map(|(_, score)| score.grade());
    let best = moves
        .iter()
        .filter(|(_, score)| kept.is_some_and(|kept| is_same(kept, score.grade())));
    exam.ask(game, &best.map(|&(m, _)| m).collect::<Vec<_>>());
    Ok(())
}

const fn is_same(kept: Grade, grade: Grade) -> bool {
    matches!(
        (kept, grade),
        (Grade::Win, Grade::Win)
            | (Grade::Loss, Grade::Loss)
            | (Grade::Evaluation(_), Grade::Evaluation(_))
    )
}

fn read_exam(path: &str) -> Result<Exam<ConnectFour>, Failure> {
    let mut exam = Exam::new();
    let mut prover = Prover::new(256 << 20);
    for line in fs::read_to_string(path)?.lines() {
        let mut game = ConnectFour::new();
        play_text(&mut game, line.split(' ').next().unwrap_or_default())?;
        ask(&mut exam, &mut prover, &game)?;
    }
    Ok(exam)
}

/// The points lost against perfect play, from openings of up to four moves, with
/// each side as often.
fn points(network: &Network) -> Result<String, Failure> {
    let text = |simulations| -> Result<String, Failure> {
        let mut rng = Rng::new(7);
        let mut lost = 0;
        for number in 0..GAMES {
            let mut game = Pegs::new();
            for _ in 0..rng.below(5) {
                if let Some(m) = rng.pick(game.moves()) {
                    game.play_unchecked(m);
                }
            }
            let answer = answer_by_layers(&game, &StopFlag::new()).ok_or("stopped")?;
            let mut due = match answer.score.grade() {
                Grade::Evaluation(points) => points,
                Grade::Win | Grade::Loss => 0,
            };
            if game.to_move() == Side::Second {
                due = -due;
            }
            let mut learned = GumbelPlayer::new(NetworkModel::new(network), simulations);
            let mut perfect = PerfectRetrograde::default();
            let players: [&mut dyn Player<Pegs>; 2] = match number % 2 {
                0 => [&mut learned, &mut perfect],
                _ => [&mut perfect, &mut learned],
            };
            let [first, second] = players;
            let end = play_game(&game, first, second).position;
            let got = end.margin();
            lost += if number % 2 == 0 {
                due - got
            } else {
                got - due
            };
        }
        Ok(format!("{:.2}", f64::from(lost) / GAMES as f64))
    };
    Ok(format!("points lost {} {}", text(0)?, text(64)?))
}
