use load::crash::{Crash, Scratch};
use tokio::runtime::Builder;

/// The long loop is `cargo run --release -p load -- crash`.
#[test]
fn a_server_that_is_killed_loses_nothing_it_has_acknowledged() {
    let scratch = Scratch::new().unwrap();
    let crash = Crash {
        program: env!("CARGO_BIN_EXE_open_ttt").into(),
        store: scratch.store(),
        tables: 4,
        game: "ttt".into(),
        kills: 3,
        lives_ms: 20..300,
        seed: 7,
    };
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let report = runtime.block_on(crash.run()).unwrap();
    assert!(report.is_whole(), "{report}");
    assert_eq!(report.kills, 3);
    // Each kill breaks the connections that stand, and nothing is looked at
    // where nobody plays.
    assert!(report.reconnections > 0, "{report}");
    assert!(report.acknowledged > 0, "{report}");
    assert!(report.stored >= report.told, "{report}");
}
