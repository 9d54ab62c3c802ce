//! A short run of the load generator.

use std::time::Duration;

use load::ServerProcess;
use load::crash::TemporaryStore;
use load::measure::Measure;
#[cfg(target_os = "linux")]
use load::{
    Limits,
    attack::{Attack, Attacks},
    idle::idle,
};
use tokio::runtime::{Builder, Runtime};

fn served(scratch: &TemporaryStore) -> (Runtime, ServerProcess) {
    let store = scratch.path().display().to_string();
    let program = env!("CARGO_BIN_EXE_open_ttt").as_ref();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    (runtime, ServerProcess::start(program, &store).unwrap())
}

#[track_caller]
fn check(game: &str, rate: Option<u32>) {
    let scratch = TemporaryStore::new().unwrap();
    let (runtime, served) = served(&scratch);
    // On a slow machine it takes longer until a move is measured and checked.
    let mut times = (0..12).map(|doublings| Duration::from_millis(100 << doublings));
    let report = times.find_map(|time| {
        let measure = Measure {
            tables: 3,
            game: game.into(),
            time,
            warm_up: Duration::from_millis(50),
            rate,
            seed: 1,
        };
        let report = runtime.block_on(measure.run(served.server(), Some(served.id())));
        let report = report.unwrap();
        (report.moves > 0 && report.checked > 0).then_some(report)
    });
    let report = report.unwrap();
    assert!(report.changes >= report.moves, "{report}");
    assert!(
        report.p50_ms > 0.0 && report.p50_ms <= report.p99_ms,
        "{report}"
    );
    assert!(report.p99_ms <= report.max_ms, "{report}");
    if let Some(rate) = rate {
        // Each match can start its first move at once.
        let most = f64::from(rate) * report.seconds + 3.0;
        assert!(report.moves as f64 <= most, "{report}");
    }
}

#[test]
fn moves_are_measured() {
    check("ttt", None);
    check("connect4", Some(100));
}

#[cfg(target_os = "linux")]
#[test]
fn idle_connections_are_held() {
    let scratch = TemporaryStore::new().unwrap();
    let (runtime, served) = served(&scratch);
    let looked = idle(served.server(), served.id(), 20, Duration::from_millis(100));
    let report = runtime.block_on(looked).unwrap();
    assert_eq!((report.connections, report.held), (20, 20));
    assert!(report.with_kib >= report.before_kib);
}

/// Whether honest players notice is measured by hand: here other tests run beside it. But
/// none of them may be refused anything.
#[cfg(target_os = "linux")]
#[test]
fn attacks_run_beside_honest_players() {
    let scratch = TemporaryStore::new().unwrap();
    let store = scratch.path().display().to_string();
    let program = env!("CARGO_BIN_EXE_open_ttt").as_ref();
    let served = ServerProcess::start_with(program, &store, Limits::Default).unwrap();
    let attacks = Attacks {
        attacks: vec![Attack::Lobby, Attack::Requests, Attack::Watchers],
        honest: 2,
        addresses: 1,
        time: Duration::from_secs(3),
        patience: Duration::from_mins(10),
        rest: Duration::ZERO,
    };
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let attacking = attacks.run(served.server(), served.id());
    let report = runtime.block_on(attacking).unwrap();
    assert_eq!(report.failures, [""; 0], "{report}");
    assert!(report.moves > 0 && report.attempts > 100, "{report}");
    assert!(
        report.peak_kib >= report.before_kib && report.before_kib > 0,
        "{report}"
    );
}
