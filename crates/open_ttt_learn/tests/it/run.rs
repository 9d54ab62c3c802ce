use std::fs::{self, OpenOptions};
use std::io::Write;
use std::num::NonZero;
use std::time::Duration;

use open_ttt_learn::{
    CheckpointError, End, Event, Exam, Harvest, Help, Interrupted, Learner, Metrics, Notice, Order,
    Plan, Run, Source, Symmetries, read_metrics,
};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{TwoPlayerGame, play_text};
use open_ttt_nn::Network;
use open_ttt_search::StopFlag;

use crate::learner::{Folder, ONE, learner, threads};

/// Two proofs of few games.
const PLAN: Plan = Plan {
    threads: ONE,
    time: None,
    proof_every: 3,
    proof_games: 10,
    proof_simulations: 8,
    proof_lines: 20_000,
    save_every: Duration::ZERO,
};

/// What does not depend on the clock.
fn timeless(metrics: &Metrics) -> Metrics {
    Metrics {
        seconds: 0.0,
        parts: open_ttt_learn::Parts::default(),
        ..metrics.clone()
    }
}

#[test]
fn a_run_that_is_stopped_and_goes_on_ends_like_one_that_was_not() {
    let game = TicTacToe::new();
    let (whole, parts) = (Folder::new(), Folder::new());
    let mut run = Run::new(learner(&game, 1), whole.path()).unwrap();
    let end = run.go_on(&PLAN, &StopFlag::new(), |_| {}).unwrap();
    assert_eq!(end, End::Done);

    let mut stopped = 0;
    loop {
        let learner = Learner::load(game, Symmetries::of(&game), parts.path());
        let learner = learner.unwrap_or_else(|_| learner_anew());
        let mut run = Run::new(learner, parts.path()).unwrap();
        let stop = StopFlag::new();
        let raise = stop.clone();
        let plan = Plan {
            threads: threads(2),
            ..PLAN
        };
        // Each sitting is stopped in its second iteration.
        let mut iterations = 0;
        let end = run.go_on(&plan, &stop, |event| {
            if let Event::Iteration(_) = event {
                iterations += 1;
                if iterations == 1 {
                    raise.raise();
                }
            }
        });
        match end.unwrap() {
            End::Stopped => stopped += 1,
            end => {
                assert_eq!(end, End::Done);
                break;
            }
        }
    }
    assert!(stopped >= 3, "{stopped}");
    let history = |folder: &Folder| read_metrics(&folder.path().join("metrics.jsonl")).unwrap();
    let [one, other] = [history(&whole), history(&parts)];
    assert_eq!(one.len(), 4);
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(timeless(one).weights, timeless(other).weights);
        assert_eq!(one.results, other.results);
        assert_eq!(one.losses, other.losses);
    }
    assert!(one[2].proof.is_some() && one[3].proof.is_some() && one[0].proof.is_none());
    let proof = one[3].proof.as_ref().unwrap();
    assert_eq!(proof.strength.len(), 5);
    for strength in &proof.strength {
        assert_eq!(strength.wins + strength.draws + strength.losses, 10);
    }
    let lines = proof.policy_lines.unwrap();
    assert!(lines.lines > 100 && lines.lost < lines.lines);
}

fn learner_anew() -> Learner<TicTacToe> {
    learner(&TicTacToe::new(), 1)
}

#[test]
fn what_a_run_leaves_can_be_played_with() {
    let folder = Folder::new();
    let mut run = Run::new(learner_anew(), folder.path()).unwrap();
    run.go_on(&PLAN, &StopFlag::new(), |_| {}).unwrap();
    let bytes = fs::read(folder.path().join("network.safetensors")).unwrap();
    let network = Network::from_bytes(&bytes).unwrap();
    assert_eq!(network.suits(&TicTacToe::new()), Ok(()));
    assert_eq!(network.parameters(), run.learner().network().parameters());
    assert_eq!((network.card.seed, network.card.games), (1, 320));
    assert!(
        network
            .card
            .strength
            .starts_with("iteration 4, 8 simulations a move: random +")
    );
}

#[test]
fn metrics_behind_the_checkpoint_and_torn_lines_are_forgotten() {
    let folder = Folder::new();
    let mut run = Run::new(learner_anew(), folder.path()).unwrap();
    run.go_on(&PLAN, &StopFlag::new(), |_| {}).unwrap();
    let path = folder.path().join("metrics.jsonl");
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"iteration\":").unwrap();
    assert_eq!(read_metrics(&path).unwrap().len(), 4);
    assert_eq!(
        Run::new(learner_anew(), folder.path()).unwrap().history(),
        []
    );
    assert_eq!(read_metrics(&path).unwrap(), []);
    fs::write(&path, "nonsense\n").unwrap();
    let error = read_metrics(&path).unwrap_err();
    assert!(matches!(error, CheckpointError::Damaged { .. }));
    assert!(error.to_string().contains("line 1"), "{error}");
}

#[test]
fn no_time_is_no_iteration_but_a_checkpoint() {
    let folder = Folder::new();
    let mut run = Run::new(learner_anew(), folder.path()).unwrap();
    let plan = Plan {
        time: Some(Duration::ZERO),
        ..PLAN
    };
    let end = run.go_on(&plan, &StopFlag::new(), |_| {}).unwrap();
    assert_eq!((end, run.learner().iteration()), (End::TimeUp, 0));
    let game = TicTacToe::new();
    let saved = Learner::load(game, Symmetries::of(&game), folder.path()).unwrap();
    assert_eq!(saved.weights(), run.learner().weights());
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let folder = Folder::new();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = Run::new(learner_anew(), &file.join("below"));
    assert!(matches!(refused, Err(CheckpointError::Io { .. })));
}

#[test]
fn an_exam_counts_what_keeps_the_value() {
    let game = TicTacToe::new();
    let mut exam = Exam::new();
    let mut threat = game;
    play_text(&mut threat, "a1 b1 a2 b2").unwrap();
    let win: Vec<_> = threat
        .moves()
        .filter(|&m| threat.after(m).outcome().is_some())
        .collect();
    exam.ask(&threat, &win);
    // All are as good: not critical.
    exam.ask(&game, &game.moves().collect::<Vec<_>>());
    exam.ask(&game, &[]);
    assert_eq!(exam.len(), 2);
    let learner = learner_anew();
    let marks = exam.sit(learner.network(), 16, &StopFlag::new()).unwrap();
    assert_eq!((marks.right, marks.all), (2, 2));
    assert_eq!((marks.critical_right, marks.critical), (1, 1));
    // It knows nothing and does not look: the first move is as good as any.
    let marks = exam.sit(learner.network(), 0, &StopFlag::new()).unwrap();
    assert_eq!((marks.right, marks.critical_right), (1, 0));
}

/// Plays the games in pieces, the last ones first.
#[derive(Debug)]
struct Backwards;

impl Source<TicTacToe> for Backwards {
    fn play(
        &mut self,
        order: &Order<'_, TicTacToe>,
        threads: NonZero<usize>,
        stop: &StopFlag,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Harvest, Interrupted> {
        let help = Help {
            workers: order.iteration,
            ..Help::default()
        };
        tell(Notice::Help(help));
        let mut records = Vec::new();
        for number in order.numbers.clone().rev() {
            records.extend(order.play(number..number + 1, threads, stop)?);
        }
        records.reverse();
        let help = Some(help);
        Ok(Harvest { records, help })
    }
}

#[test]
fn whoever_plays_the_games_the_weights_are_the_same() {
    let folders = [Folder::new(), Folder::new()];
    let plan = Plan {
        proof_every: 0,
        ..PLAN
    };
    let mut here = Run::new(learner_anew(), folders[0].path()).unwrap();
    here.go_on(&plan, &StopFlag::new(), |_| {}).unwrap();
    let there = Run::new(learner_anew(), folders[1].path()).unwrap();
    let mut there = there.with_source(Box::new(Backwards));
    let mut notices = Vec::new();
    let end = there.go_on(&plan, &StopFlag::new(), |event| {
        if let Event::Notice(Notice::Help(help)) = event {
            notices.push(help.workers);
        }
    });
    assert_eq!(end.unwrap(), End::Done);
    assert_eq!(there.learner().weights(), here.learner().weights());
    assert_eq!(notices, [0, 1, 2, 3]);
    assert_eq!(here.history()[3].help, None);
    assert_eq!(there.history()[3].help.unwrap().workers, 3);
}
