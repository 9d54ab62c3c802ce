#![allow(clippy::all, missing_docs, clippy::print_stdout)]
use open_ttt_learn::*;
use open_ttt_lib::games::*;
use open_ttt_lib::rules::*;
use open_ttt_lib::search::StopFlag;
use std::num::NonZero;
use std::time::Instant;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s.split(") ").nth(1).unwrap().split(' ').collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let threads = NonZero::new(args[2].parse().unwrap()).unwrap();
    let seed: u64 = args[3].parse().unwrap();
    match args[1].as_str() {
        "ttt" => run(TicTacToe::new(), threads, seed, &args[4..]),
        "connect4" => run(ConnectFour::new(), threads, seed, &args[4..]),
        _ => panic!(),
    }
}
fn run<G: Learnable + Symmetry>(game: G, threads: NonZero<usize>, seed: u64, sets: &[String]) {
    let mut config = Config::preset(Preset::Fast, &game.encoding());
    let mut text = config.to_string();
    for set in sets {
        let (k, v) = set.split_once('=').unwrap();
        let mut out = String::new();
        for l in text.lines() {
            if l.starts_with(&format!("{k} =")) {
                out += &format!("{k} = {v}\n");
            } else {
                out += l;
                out.push('\n');
            }
        }
        text = out;
    }
    config = text.parse().unwrap();
    let stop = StopFlag::new();
    let mut learner = Learner::new(game.clone(), Symmetries::of(&game), config, seed).unwrap();
    let mut play_cpu = 0.0;
    let mut learn_cpu = 0.0;
    while !learner.is_done() {
        let (t, c) = (Instant::now(), cpu());
        let records = learner.play(threads, &stop).unwrap();
        let (p, c1) = (t.elapsed(), cpu());
        let done = learner.learn(records, threads, &stop).unwrap();
        play_cpu += c1 - c;
        learn_cpu += cpu() - c1;
        let l = done.losses.unwrap_or_default();
        let lines = if game.name() == "ttt" {
            [0, 16].map(|s| {
                lines_lost(&game, learner.network(), s, 1_000_000, &stop)
                    .unwrap()
                    .unwrap()
                    .lost
            })
        } else {
            [0, 0]
        };
        println!(
            "{} pos {} play {:.3}s learn {:.3}s cpu {play_cpu:.2}+{learn_cpu:.2} loss {:.3} {:.3} {:.4} lost {:?} {}",
            learner.iteration(),
            done.positions,
            p.as_secs_f64(),
            t.elapsed().as_secs_f64() - p.as_secs_f64(),
            l.policy,
            l.value,
            l.auxiliary,
            lines,
            learner.weights()
        );
    }
}
