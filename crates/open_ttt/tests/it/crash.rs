use load::crash::{Crash, TemporaryStore};
use tokio::runtime::Builder;

/// The long loop is `cargo run --profile dist -p load -- crash`.
#[test]
fn a_killed_server_loses_nothing_it_has_acknowledged() {
    // Each kill breaks the open connections. On a slow machine the server's lives are
    // too short for a connection or a move, so they get longer.
    for lives in (0..12).map(|doublings| 20_u32 << doublings..150 << doublings) {
        let scratch = TemporaryStore::new().unwrap();
        let crash = Crash {
            tables: 4,
            game: "ttt".into(),
            kills: 40,
            seconds: None,
            shortest: lives.start,
            longest: lives.end,
            seed: 7,
        };
        let program = env!("CARGO_BIN_EXE_open_ttt").as_ref();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let report = runtime
            .block_on(crash.run(program, &scratch.path()))
            .unwrap();
        assert!(report.is_sound(), "{report}");
        assert_eq!((report.kills, report.checked), (40, 4));
        assert!(report.stored >= report.received, "{report}");
        if report.reconnections > 0 && report.acknowledged > 0 {
            return;
        }
    }
    panic!("no move was acknowledged");
}
