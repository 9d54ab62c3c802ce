//! Prints a learning curve of a preset by CPU time: for tic-tac-toe the lines of play lost,
//! for Connect Four the share of best moves, for pegs the points lost against perfect play.
//!
//! ```sh
//! cargo run --profile dist -p open_ttt_learn --example curve -- connect4 fast 1
//! ```
//!
//! Further arguments change the configuration (`simulations=32`), name a file for the
//! network (`save=FILE`), set the number of iterations between two lines (`every=10`), or
//! name files of Connect Four positions, one per line as columns played. These are proved
//! first and tested at the end, with the policy alone, 64 and 600 simulations. Proving
//! takes minutes for the random positions, and some two seconds for each with few moves.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::mem::discriminant;
use std::num::NonZero;
use std::thread::available_parallelism;

use open_ttt_learn::{Config, Learnable, Learner, Preset, Symmetries, TestSet, lines_lost};
use open_ttt_lib::games::{ConnectFour, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Margin, Side, Symmetry, TwoPlayerGame, play_text};
use open_ttt_nn::Network;
use open_ttt_players::{GumbelPlayer, NetworkModel, PerfectRetrograde, play_game};
use open_ttt_search::{Budget, Grade, Prover, Score, StopFlag, analyze_by_layers};

type Failure = Box<dyn Error>;

/// The number of Connect Four test positions. With a thousand the standard error would be
/// half a per cent, as much as networks differ by.
const POSITIONS: usize = 5000;
/// The number of random moves that lead to them.
const PLIES: std::ops::Range<usize> = 12..33;
/// The number of games against perfect play.
const GAMES: usize = 40;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().ok_or("arguments: GAME PRESET SEED");
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
        "ttt" => run.draw(TicTacToe::new(), |learner| lost(learner.network())),
        "connect4" => {
            let test_set = random_test_set()?;
            let sets = files.into_iter().map(|file| read_test_set(file));
            let sets: Vec<_> = sets.collect::<Result<_, Failure>>()?;
            run.draw(ConnectFour::new(), |learner| {
                let network = learner.network();
                let mut text = accuracy(&test_set, network, 64)?;
                for set in sets.iter().filter(|_| learner.is_done()) {
                    let found = set.evaluate(network, 600, &StopFlag::new())?;
                    let wrong = 100.0 * (1.0 - found.share().unwrap_or(1.0));
                    let shares = accuracy(set, network, 64)?;
                    write!(text, "\n      {} positions: {shares}, ", found.total)?;
                    write!(text, "600 simulations {wrong:.2} % wrong")?;
                }
                Ok(text)
            })
        }
        "pegs" => run.draw(Pegs::new(), |learner| points(learner.network())),
        _ => Err("the game must be ttt, connect4 or pegs".into()),
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
        measure: impl Fn(&Learner<G>) -> Result<String, Failure>,
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
                    measure(&learner)?
                );
            }
        }
        if let Some(path) = save {
            fs::write(path, learner.network().to_bytes())?;
        }
        Ok(())
    }
}

/// A configuration with another value of this field.
fn changed(text: &str, name: &str, value: &str) -> Result<String, Failure> {
    let is_named = |line: &&str| line.split(" = ").next() == Some(name);
    if !text.lines().any(|line| is_named(&line)) {
        return Err(format!("no field {name}").into());
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

/// The CPU time of this process, in seconds.
fn cpu_seconds() -> Result<f64, Failure> {
    // Linux: fields 14 and 15 are user and system time, in hundredths of a second.
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = fields.split(' ').skip(11).take(2);
    Ok(ticks.map(str::parse::<f64>).sum::<Result<f64, _>>()? / 100.0)
}

/// The lines of tic-tac-toe lost by the policy alone and with 16 simulations.
fn lost(network: &Network) -> Result<String, Failure> {
    let (start, stop) = (TicTacToe::new(), StopFlag::new());
    let count = |simulations| {
        let found = lines_lost(&start, network, simulations, u64::MAX, &stop);
        found.map(|found| found.unwrap_or_default().lost)
    };
    Ok(format!("lines lost {} {}", count(0)?, count(16)?))
}

/// The accuracy of the policy alone and with this many simulations.
fn accuracy(
    test_set: &TestSet<ConnectFour>,
    network: &Network,
    with: u32,
) -> Result<String, Failure> {
    let text = |simulations| -> Result<String, Failure> {
        let accuracy = test_set.evaluate(network, simulations, &StopFlag::new())?;
        let shares = [accuracy.share(), accuracy.critical_share()];
        let [all, critical] = shares.map(|share| 100.0 * share.unwrap_or(1.0));
        Ok(format!("{all:.1} {critical:.1}"))
    };
    let (policy, search) = (text(0)?, text(with)?);
    Ok(format!("policy {policy}, {with} simulations {search} %"))
}

/// Positions of random games of uniform length.
fn random_test_set() -> Result<TestSet<ConnectFour>, Failure> {
    let mut test_set = TestSet::new();
    let mut prover = Prover::new(256 << 20);
    let mut rng = Rng::new(7);
    while test_set.len() < POSITIONS {
        let plies = PLIES.start + rng.below(PLIES.len());
        let mut game = ConnectFour::new();
        play_random(&mut game, plies, &mut rng);
        if game.outcome().is_none() {
            add(&mut test_set, &mut prover, &game)?;
        }
    }
    Ok(test_set)
}

fn play_random(game: &mut impl TwoPlayerGame, plies: usize, rng: &mut Rng) {
    for _ in 0..plies {
        if let Some(m) = rng.pick(game.moves()) {
            game.play_unchecked(m);
        }
    }
}

fn add(
    test_set: &mut TestSet<ConnectFour>,
    prover: &mut Prover<ConnectFour>,
    game: &ConnectFour,
) -> Result<(), Failure> {
    let moves = prover.moves(game, &Budget::UNLIMITED, &StopFlag::new());
    let mut best = moves.ok_or("stopped")?;
    let value = |score: Score| discriminant(&score.grade());
    let best_value = best.first().map(|&(_, score)| value(score));
    best.retain(|&(_, score)| Some(value(score)) == best_value);
    test_set.add(game, &best.iter().map(|&(m, _)| m).collect::<Vec<_>>());
    Ok(())
}

fn read_test_set(path: &str) -> Result<TestSet<ConnectFour>, Failure> {
    let mut test_set = TestSet::new();
    let mut prover = Prover::new(256 << 20);
    for line in fs::read_to_string(path)?.lines() {
        let mut game = ConnectFour::new();
        play_text(&mut game, line.split(' ').next().unwrap_or_default())?;
        add(&mut test_set, &mut prover, &game)?;
    }
    Ok(test_set)
}

/// The mean points lost against perfect play, from openings of up to four random moves,
/// alternating sides.
fn points(network: &Network) -> Result<String, Failure> {
    let text = |simulations| -> Result<String, Failure> {
        let mut rng = Rng::new(7);
        let mut lost = 0;
        for number in 0..GAMES {
            let mut game = Pegs::new();
            let plies = rng.below(5);
            play_random(&mut game, plies, &mut rng);
            let answer = analyze_by_layers(&game, &StopFlag::new())?;
            let mut best = match answer.score.grade() {
                Grade::Evaluation(points) => points,
                Grade::Win | Grade::Loss => 0,
            };
            if game.to_move() == Side::Second {
                best = -best;
            }
            let mut learned = GumbelPlayer::new(NetworkModel::new(network), simulations);
            let mut perfect = PerfectRetrograde::default();
            lost += if number % 2 == 0 {
                best - play_game(&game, &mut learned, &mut perfect)
                    .position
                    .margin()
            } else {
                play_game(&game, &mut perfect, &mut learned)
                    .position
                    .margin()
                    - best
            };
        }
        Ok(format!("{:.2}", f64::from(lost) / GAMES as f64))
    };
    Ok(format!("points lost {} {}", text(0)?, text(64)?))
}
