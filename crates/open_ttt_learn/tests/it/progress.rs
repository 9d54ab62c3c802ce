//! Time left and speed, from metrics.

use open_ttt_learn::{
    BaselineResult, Metrics, PhaseTimes, SelfPlaySpeed, WorkerStats, seconds_left, training_share,
};

fn metrics(iteration: u32, seconds: f64, self_play: f64) -> Metrics {
    Metrics {
        iteration,
        iterations: 30,
        games: 100 * u64::from(iteration),
        positions: 700,
        seconds,
        times: PhaseTimes {
            self_play,
            ..PhaseTimes::default()
        },
        ..Metrics::default()
    }
}

#[track_caller]
fn check_left(seconds: &[f64], expected: Option<f64>) {
    let metrics = (1..)
        .zip(seconds)
        .map(|(iteration, &seconds)| metrics(iteration, seconds, 0.0));
    assert_eq!(seconds_left(&metrics.collect::<Vec<_>>()), expected);
}

#[test]
fn the_time_left_follows_from_the_last_ten_iterations() {
    check_left(&[], None);
    // 29 left, each as long as the first.
    check_left(&[2.0], Some(58.0));
    check_left(&[2.0, 6.0], Some(28.0 * 3.0));
    // Ten iterations of two seconds, then twenty of one second.
    let mut seconds: Vec<_> = (1..=10).map(|number| 2.0 * f64::from(number)).collect();
    check_left(&seconds, Some(20.0 * 2.0));
    seconds.extend((1..=5).map(|number| 20.0 + f64::from(number)));
    check_left(&seconds, Some(15.0 * 1.5));
    seconds.extend((6..=10).map(|number| 20.0 + f64::from(number)));
    check_left(&seconds, Some(10.0));
    seconds.extend((11..=20).map(|number| 20.0 + f64::from(number)));
    check_left(&seconds, Some(0.0));
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        check_left(&[bad], None);
    }
    let again = [metrics(5, 10.0, 0.0), metrics(0, 3.0, 0.0)];
    assert_eq!(seconds_left(&again), None);
}

#[test]
fn speed_is_per_second_of_self_play() {
    let (one, two, four) = (
        metrics(1, 9.0, 4.0),
        metrics(2, 18.0, 6.0),
        metrics(4, 30.0, 8.0),
    );
    let speed = |games, positions| Some(SelfPlaySpeed { games, positions });
    assert_eq!(SelfPlaySpeed::of(&one, None), speed(25.0, 175.0));
    assert_eq!(SelfPlaySpeed::of(&two, Some(&one)), speed(50.0, 350.0));
    assert_eq!(SelfPlaySpeed::of(&two, None), None);
    assert_eq!(SelfPlaySpeed::of(&four, Some(&two)), None);
    assert_eq!(SelfPlaySpeed::of(&one, Some(&two)), None);
    assert_eq!(SelfPlaySpeed::of(&metrics(2, 18.0, 4.0), Some(&one)), None);
    assert_eq!(
        SelfPlaySpeed::of(&metrics(2, 18.0, f64::NAN), Some(&one)),
        None
    );
}

#[test]
fn an_unbounded_elo_difference_follows_from_the_score() {
    let difference = |wins, draws, losses, elo| {
        let opponent = String::new();
        let strength = BaselineResult {
            opponent,
            wins,
            draws,
            losses,
            elo,
        };
        strength.elo_difference()
    };
    assert_eq!(difference(1, 2, 3, Some([5.0, 0.0, 9.0])), Some(5.0));
    assert_eq!(difference(0, 7, 0, None), Some(0.0));
    // By definition, ten times the points are 400 Elo.
    let found = difference(10, 0, 1, None).unwrap();
    assert!((found - 400.0).abs() < 1e-9);
    assert_eq!(difference(3, 0, 0, None), Some(f64::INFINITY));
    assert_eq!(difference(0, 0, 3, None), Some(f64::NEG_INFINITY));
    assert_eq!(difference(0, 0, 0, None), None);
}

#[test]
fn the_training_share_is_per_iteration() {
    let timed = |iteration, self_play, training| {
        let mut metrics = metrics(iteration, 0.0, self_play);
        metrics.times.training = training;
        metrics
    };
    let (first, second) = (timed(1, 3.0, 1.0), timed(2, 4.0, 4.0));
    assert_eq!(training_share(&first, None), Some(0.25));
    assert_eq!(training_share(&second, Some(&first)), Some(0.75));
    // Not consecutive, or without positive times.
    assert_eq!(training_share(&second, None), None);
    assert_eq!(training_share(&timed(2, 3.0, 1.0), Some(&first)), None);
    assert_eq!(training_share(&timed(2, 9.0, 0.5), Some(&first)), None);
    assert_eq!(training_share(&timed(1, f64::NAN, 1.0), None), None);
}

#[test]
fn metrics_omit_missing_worker_stats() {
    let mut metrics = metrics(1, 1.0, 1.0);
    let text = serde_json::to_string(&metrics).unwrap();
    assert!(!text.contains("help"), "{text}");
    assert_eq!(serde_json::from_str::<Metrics>(&text).unwrap(), metrics);
    metrics.worker_stats = Some(WorkerStats {
        workers: 2,
        games: 64,
        verified: 32,
        banned: 1,
    });
    let text = serde_json::to_string(&metrics).unwrap();
    let help = r#""help":{"workers":2,"games":64,"checked":32,"liars":1}"#;
    assert!(text.contains(help), "{text}");
    assert_eq!(serde_json::from_str::<Metrics>(&text).unwrap(), metrics);
}
