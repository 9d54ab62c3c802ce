use std::fs::{self, OpenOptions};
use std::io::Write;
use std::num::NonZero;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use open_ttt_learn::{
    CheckpointError, GameBatch, GameRequest, GameRunner, GameSource, Interrupted, Learner, Run,
    RunEnd, RunError, RunEvent, RunOptions, RunPhase, SelfPlayGame, Symmetries, TaskSlice, TestSet,
    WorkerNotice, WorkerStats, game_runner, read_metrics,
};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{TwoPlayerGame, play_text};
use open_ttt_nn::{IncompatibleNetwork, Network};
use open_ttt_search::StopFlag;

use crate::learner::{Folder, ONE, iterate, learner, threads};

/// Two evaluations of few games.
const OPTIONS: RunOptions = RunOptions {
    threads: ONE,
    time_limit: None,
    eval_every: 3,
    eval_games: 10,
    eval_simulations: 8,
    eval_max_lines: 20_000,
    save_every: Duration::ZERO,
};

#[test]
fn stopping_and_resuming_changes_nothing() {
    let game = TicTacToe::new();
    let (whole, parts) = (Folder::new(), Folder::new());
    let mut run = Run::new(learner(&game, 1), whole.path()).unwrap();
    let end = run.train(&OPTIONS, &StopFlag::new(), |_| {}).unwrap();
    assert_eq!(end, RunEnd::Done);

    let mut stopped = 0;
    loop {
        let learner = Learner::load(game, Symmetries::of(&game), parts.path());
        let learner = learner.unwrap_or_else(|_| new_learner());
        let mut run = Run::new(learner, parts.path()).unwrap();
        let stop = StopFlag::new();
        let raise = stop.clone();
        let options = RunOptions {
            threads: threads(2),
            ..OPTIONS
        };
        // Stops in the second iteration.
        let mut iterations = 0;
        let end = run.train(&options, &stop, |event| {
            if let RunEvent::Iteration(_) = event {
                iterations += 1;
                if iterations == 1 {
                    raise.raise();
                }
            }
        });
        match end.unwrap() {
            RunEnd::Stopped => stopped += 1,
            end => {
                assert_eq!(end, RunEnd::Done);
                break;
            }
        }
    }
    assert!(stopped >= 3, "{stopped}");
    let history = |folder: &Folder| read_metrics(&folder.path().join("metrics.jsonl")).unwrap();
    let [one, other] = [history(&whole), history(&parts)];
    assert_eq!(one.len(), 4);
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one.weights_hash, other.weights_hash);
        assert_eq!(one.results, other.results);
        assert_eq!(one.losses, other.losses);
    }
    assert!(
        one[2].evaluation.is_some() && one[3].evaluation.is_some() && one[0].evaluation.is_none()
    );
    let evaluation = one[3].evaluation.as_ref().unwrap();
    assert_eq!(evaluation.baselines.len(), 5);
    for strength in &evaluation.baselines {
        assert_eq!(strength.wins + strength.draws + strength.losses, 10);
    }
    let lines = evaluation.policy_lines.unwrap();
    assert!(lines.lines > 100 && lines.lost < lines.lines);
}

fn new_learner() -> Learner<TicTacToe> {
    learner(&TicTacToe::new(), 1)
}

#[test]
fn a_run_saves_a_playable_network() {
    let folder = Folder::new();
    let mut run = Run::new(new_learner(), folder.path()).unwrap();
    run.train(&OPTIONS, &StopFlag::new(), |_| {}).unwrap();
    let bytes = fs::read(folder.path().join("network.safetensors")).unwrap();
    let network = Network::from_bytes(&bytes).unwrap();
    assert_eq!(network.check_compatible(&TicTacToe::new()), Ok(()));
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
fn later_metrics_and_incomplete_lines_are_dropped() {
    let folder = Folder::new();
    let mut run = Run::new(new_learner(), folder.path()).unwrap();
    run.train(&OPTIONS, &StopFlag::new(), |_| {}).unwrap();
    let path = folder.path().join("metrics.jsonl");
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"iteration\":").unwrap();
    assert_eq!(read_metrics(&path).unwrap().len(), 4);
    drop(run);
    assert_eq!(
        Run::new(new_learner(), folder.path()).unwrap().history(),
        []
    );
    assert_eq!(read_metrics(&path).unwrap(), []);
    // A line that is too long isn't one that was being written.
    fs::write(&path, " ".repeat(1 << 17) + "\n").unwrap();
    let error = read_metrics(&path).unwrap_err();
    assert!(matches!(error, CheckpointError::Damaged { .. }));
    fs::write(&path, "nonsense\n").unwrap();
    let error = read_metrics(&path).unwrap_err();
    assert!(matches!(error, CheckpointError::Damaged { .. }));
    assert!(error.to_string().contains("line 1"), "{error}");
}

#[test]
fn an_interrupted_last_evaluation_comes_with_the_next_start() {
    let folder = Folder::new();
    let last = || {
        let mut history = read_metrics(&folder.path().join("metrics.jsonl")).unwrap();
        history.pop().unwrap()
    };
    let options = RunOptions {
        eval_every: 100,
        ..OPTIONS
    };
    let stop = StopFlag::new();
    let raise = stop.clone();
    let mut run = Run::new(new_learner(), folder.path()).unwrap();
    let end = run.train(&options, &stop, |event| {
        if let RunEvent::Phase(RunPhase::Evaluation) = event {
            raise.raise();
        }
    });
    assert_eq!(end.unwrap(), RunEnd::Stopped);
    assert_eq!((last().iteration, last().evaluation), (4, None));
    drop(run);

    let game = TicTacToe::new();
    let resumed = Learner::load(game, Symmetries::of(&game), folder.path()).unwrap();
    let mut run = Run::new(resumed, folder.path()).unwrap();
    let end = run.train(&options, &StopFlag::new(), |_| {}).unwrap();
    assert_eq!(end, RunEnd::Done);
    assert!(last().evaluation.is_some());
    let network = fs::read(folder.path().join("network.safetensors")).unwrap();
    let strength = Network::from_bytes(&network).unwrap().card.strength;
    assert!(strength.starts_with("iteration 4, "), "{strength}");
}

#[test]
fn a_folder_has_one_run_at_a_time() {
    let folder = Folder::new();
    let run = Run::new(new_learner(), folder.path()).unwrap();
    let second = Run::new(new_learner(), folder.path());
    let in_use = folder.path().to_owned();
    assert!(matches!(second, Err(CheckpointError::InUse(path)) if path == in_use));
    drop(run);
    Run::new(new_learner(), folder.path()).unwrap();
}

/// What a kill between two files of a save leaves.
#[test]
fn no_checkpoint_is_ahead_of_the_other_files() {
    let folder = Folder::new();
    let mut run = Run::new(new_learner(), folder.path()).unwrap();
    let options = RunOptions {
        time_limit: Some(Duration::ZERO),
        ..OPTIONS
    };
    run.train(&options, &StopFlag::new(), |_| {}).unwrap();
    let in_the_way = folder.path().join("partial");
    fs::write(&in_the_way, "").unwrap();
    let failed = run.train(&OPTIONS, &StopFlag::new(), |_| {});
    assert!(
        matches!(
            failed,
            Err(RunError::Checkpoint(CheckpointError::Io { .. }))
        ),
        "{failed:?}"
    );
    let metrics = folder.path().join("metrics.jsonl");
    assert_eq!(read_metrics(&metrics).unwrap().len(), 1);
    let network = fs::read(folder.path().join("network.safetensors")).unwrap();
    assert_eq!(Network::from_bytes(&network).unwrap().card.games, 80);
    let game = TicTacToe::new();
    let saved = Learner::load(game, Symmetries::of(&game), folder.path()).unwrap();
    assert_eq!(saved.iteration(), 0);
}

#[test]
fn a_run_without_time_saves_a_checkpoint() {
    let folder = Folder::new();
    let mut run = Run::new(new_learner(), folder.path()).unwrap();
    let options = RunOptions {
        time_limit: Some(Duration::ZERO),
        ..OPTIONS
    };
    let end = run.train(&options, &StopFlag::new(), |_| {}).unwrap();
    assert_eq!((end, run.learner().iteration()), (RunEnd::TimeUp, 0));
    let game = TicTacToe::new();
    let saved = Learner::load(game, Symmetries::of(&game), folder.path()).unwrap();
    assert_eq!(saved.weights_hash(), run.learner().weights_hash());
}

#[test]
fn a_file_in_place_of_the_folder_is_refused() {
    let folder = Folder::new();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = Run::new(new_learner(), &file.join("below"));
    assert!(matches!(refused, Err(CheckpointError::Io { .. })));
}

#[test]
fn a_test_set_counts_best_moves() {
    let game = TicTacToe::new();
    let mut test_set = TestSet::new();
    let mut threat = game;
    play_text(&mut threat, "a1 b1 a2 b2").unwrap();
    let win: Vec<_> = threat
        .moves()
        .filter(|&m| threat.after(m).outcome().is_some())
        .collect();
    test_set.add(&threat, &win);
    // All moves are best ones: not critical.
    test_set.add(&game, &game.moves().collect::<Vec<_>>());
    test_set.add(&game, &[]);
    assert_eq!(test_set.len(), 2);
    let learner = new_learner();
    let accuracy = test_set
        .evaluate(learner.network(), 16, &StopFlag::new())
        .unwrap();
    assert_eq!((accuracy.correct, accuracy.total), (2, 2));
    assert_eq!((accuracy.critical_correct, accuracy.critical_total), (1, 1));
    // The untrained policy is uniform, so the first move is chosen.
    let accuracy = test_set
        .evaluate(learner.network(), 0, &StopFlag::new())
        .unwrap();
    assert_eq!((accuracy.correct, accuracy.critical_correct), (1, 0));
}

/// Plays the games one by one, the last first.
#[derive(Debug)]
struct Backwards;

impl GameSource<TicTacToe> for Backwards {
    fn play(
        &mut self,
        request: &GameRequest<'_, TicTacToe>,
        threads: NonZero<usize>,
        stop: &StopFlag,
        notify: &mut dyn FnMut(WorkerNotice),
    ) -> Result<GameBatch, Interrupted> {
        let stats = WorkerStats {
            workers: request.iteration,
            ..WorkerStats::default()
        };
        notify(WorkerNotice::Progress(stats));
        let mut games = Vec::new();
        for number in request.slice.numbers.clone().rev() {
            games.extend(request.play(number..number + 1, threads, stop)?);
        }
        games.reverse();
        Ok(GameBatch {
            games,
            worker_stats: Some(stats),
        })
    }
}

#[test]
fn all_sources_lead_to_the_same_weights() {
    let folders = [Folder::new(), Folder::new()];
    let options = RunOptions {
        eval_every: 0,
        ..OPTIONS
    };
    let mut here = Run::new(new_learner(), folders[0].path()).unwrap();
    here.train(&options, &StopFlag::new(), |_| {}).unwrap();
    let there = Run::new(new_learner(), folders[1].path()).unwrap();
    let mut there = there.with_game_source(Box::new(Backwards));
    let mut notices = Vec::new();
    let end = there.train(&options, &StopFlag::new(), |event| {
        if let RunEvent::Worker(WorkerNotice::Progress(stats)) = event {
            notices.push(stats.workers);
        }
    });
    assert_eq!(end.unwrap(), RunEnd::Done);
    assert_eq!(
        there.learner().weights_hash(),
        here.learner().weights_hash()
    );
    assert_eq!(notices, [0, 1, 2, 3]);
    assert_eq!(here.history()[3].worker_stats, None);
    assert_eq!(there.history()[3].worker_stats.unwrap().workers, 3);
}

/// Notes which games it plays.
#[derive(Debug)]
struct Noting(Arc<dyn GameRunner>, Mutex<Vec<Range<u64>>>);

impl GameRunner for Noting {
    fn suits(&self, network: &Network) -> Result<(), IncompatibleNetwork> {
        self.0.suits(network)
    }

    fn play(
        &self,
        slice: &TaskSlice<'_>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted> {
        self.1.lock().unwrap().push(slice.numbers.clone());
        self.0.play(slice, threads, stop)
    }
}

#[test]
fn a_learner_leaves_its_games_to_its_runner() {
    let noting = Arc::new(Noting(game_runner(TicTacToe::new()), Mutex::default()));
    let runner: Arc<dyn GameRunner> = Arc::clone(&noting) as _;
    let mut learner = new_learner().with_runner(runner);
    let games = u64::from(learner.config().games);
    iterate(&mut learner, ONE);
    let stop = StopFlag::new();
    let alone = learner.game_request().play(games..games + 1, ONE, &stop);
    assert_eq!(alone.unwrap().len(), 1);
    assert_eq!(*noting.1.lock().unwrap(), [0..games, games..games + 1]);
}
