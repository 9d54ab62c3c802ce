//! How a run gets on, from its lines.

use open_ttt_learn::{
    Help, Metrics, Parts, Results, Speed, Strength, learning_share, seconds_left,
};

fn line(iteration: u32, seconds: f64, playing: f64) -> Metrics {
    Metrics {
        iteration,
        iterations: 30,
        games: 100 * u64::from(iteration),
        positions: 700,
        plies: 8.0,
        results: Results::default(),
        steps: 0,
        losses: None,
        seconds,
        parts: Parts {
            playing,
            ..Parts::default()
        },
        weights: String::new(),
        help: None,
        proof: None,
    }
}

#[track_caller]
fn check_left(seconds: &[f64], expected: Option<f64>) {
    let lines = (1..)
        .zip(seconds)
        .map(|(iteration, &seconds)| line(iteration, seconds, 0.0));
    assert_eq!(seconds_left(&lines.collect::<Vec<_>>()), expected);
}

#[test]
fn the_time_left_is_that_of_the_last_ten() {
    check_left(&[], None);
    // 29 to come, as long as the one.
    check_left(&[2.0], Some(58.0));
    check_left(&[2.0, 6.0], Some(28.0 * 3.0));
    // Two seconds each ten times, then one second each ten times.
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
    let again = [line(5, 10.0, 0.0), line(0, 3.0, 0.0)];
    assert_eq!(seconds_left(&again), None);
}

#[test]
fn speed_is_by_the_seconds_of_playing() {
    let (one, two, four) = (line(1, 9.0, 4.0), line(2, 18.0, 6.0), line(4, 30.0, 8.0));
    let speed = |games, positions| Some(Speed { games, positions });
    assert_eq!(Speed::of(&one, None), speed(25.0, 175.0));
    assert_eq!(Speed::of(&two, Some(&one)), speed(50.0, 350.0));
    assert_eq!(Speed::of(&two, None), None);
    assert_eq!(Speed::of(&four, Some(&two)), None);
    assert_eq!(Speed::of(&one, Some(&two)), None);
    assert_eq!(Speed::of(&line(2, 18.0, 4.0), Some(&one)), None);
    assert_eq!(Speed::of(&line(2, 18.0, f64::NAN), Some(&one)), None);
}

#[test]
fn a_difference_without_bounds_is_that_of_the_points() {
    let difference = |wins, draws, losses, elo| {
        let opponent = String::new();
        let strength = Strength {
            opponent,
            wins,
            draws,
            losses,
            elo,
        };
        strength.difference()
    };
    assert_eq!(difference(1, 2, 3, Some([5.0, 0.0, 9.0])), Some(5.0));
    assert_eq!(difference(0, 7, 0, None), Some(0.0));
    // Ten times the points are 400 Elo by definition.
    let found = difference(10, 0, 1, None).unwrap();
    assert!((found - 400.0).abs() < 1e-9);
    assert_eq!(difference(3, 0, 0, None), Some(f64::INFINITY));
    assert_eq!(difference(0, 0, 3, None), Some(f64::NEG_INFINITY));
    assert_eq!(difference(0, 0, 0, None), None);
}

#[test]
fn the_share_of_learning_is_that_of_one_iteration() {
    let timed = |iteration, playing, learning| {
        let mut line = line(iteration, 0.0, playing);
        line.parts.learning = learning;
        line
    };
    let (first, second) = (timed(1, 3.0, 1.0), timed(2, 4.0, 4.0));
    assert_eq!(learning_share(&first, None), Some(0.25));
    assert_eq!(learning_share(&second, Some(&first)), Some(0.75));
    // They do not follow each other, or took no time, or less than none.
    assert_eq!(learning_share(&second, None), None);
    assert_eq!(learning_share(&timed(2, 3.0, 1.0), Some(&first)), None);
    assert_eq!(learning_share(&timed(2, 9.0, 0.5), Some(&first)), None);
    assert_eq!(learning_share(&timed(1, f64::NAN, 1.0), None), None);
}

#[test]
fn lines_without_workers_can_be_read_and_are_written_as_before() {
    let mut metrics = line(1, 1.0, 1.0);
    let text = serde_json::to_string(&metrics).unwrap();
    assert!(!text.contains("help"), "{text}");
    assert_eq!(serde_json::from_str::<Metrics>(&text).unwrap(), metrics);
    metrics.help = Some(Help {
        workers: 2,
        games: 64,
        checked: 32,
        liars: 1,
    });
    let text = serde_json::to_string(&metrics).unwrap();
    let help = r#""help":{"workers":2,"games":64,"checked":32,"liars":1}"#;
    assert!(text.contains(help), "{text}");
    assert_eq!(serde_json::from_str::<Metrics>(&text).unwrap(), metrics);
}
