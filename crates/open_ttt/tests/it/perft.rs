use crate::program::{run, run_json};

/// Checks the counts of a game ply by ply, from depth 1.
#[track_caller]
fn check(game: &str, moves: &str, counts: &[u64]) {
    let depth = counts.len().to_string();
    let args = ["perft", "--game", game, "--depth", &depth, "--moves", moves];
    let expected: Vec<_> = (1..)
        .zip(counts)
        .map(|(depth, count)| format!("{depth:<4} {count}"))
        .collect();
    assert_eq!(run(args, "").lines().collect::<Vec<_>>(), expected);

    let reports = run_json(args.iter().chain(&["--json"]), "");
    assert_eq!(reports.len(), counts.len());
    for (index, (report, &count)) in reports.iter().zip(counts).enumerate() {
        assert_eq!(report["game"], game);
        assert_eq!(report["depth"], index + 1);
        assert_eq!(report["nodes"], count);
        assert_eq!(report.get("first"), None);
        assert!(report["ms"].is_f64() && report["moves"].is_string());
    }

    let divided = run_json(args.iter().chain(&["--divide", "--json"]), "");
    assert_eq!(divided.len() as u64, counts[0]);
    let total: u64 = divided
        .iter()
        .map(|report| report["nodes"].as_u64().unwrap())
        .sum();
    assert_eq!(Some(&total), counts.last());
    let expected: Vec<_> = divided
        .iter()
        .map(|report| {
            let first = report["first"].as_str().unwrap();
            format!("{first:<4} {}", report["nodes"])
        })
        .collect();
    let text = run(args.iter().chain(&["--divide"]), "");
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn published_counts_of_every_game() {
    check("ttt", "", &[9, 72, 504, 3_024, 15_120, 54_720]);
    check("mnk(m=3,n=3,k=3)", "", &[9, 72, 504, 3_024, 15_120, 54_720]);
    check("mnk", "", &[225, 225 * 224]);
    check("mnk(m=4,n=2,k=2)", "", &[8, 56, 336]);
    check("pegs", "", &[8, 64, 512, 4_088, 32_480]);
    check("pegs(lines=38)", "", &[8, 64, 512, 4_088, 32_480]);
    check(
        "connect4",
        "",
        &[7, 49, 343, 2_401, 16_807, 117_649, 823_536],
    );
}

#[test]
fn counts_from_a_position() {
    check("ttt", "a1 b1 a2 b2", &[5, 16]);
    check("pegs", "AAABBB", &[6, 36]);
    check("connect4", "111111", &[6]);
}

#[test]
fn before_the_first_ply_and_after_the_end() {
    let of = |depth, moves| {
        run(
            ["perft", "--game", "ttt", "--depth", depth, "--moves", moves],
            "",
        )
    };
    assert_eq!(of("0", ""), "0    1\n");
    assert_eq!(of("2", "a1 b1 a2 b2 a3"), "1    0\n2    0\n");
}
