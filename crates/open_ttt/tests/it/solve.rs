use crate::program::{check_one_sentence, command, finish, run, run_json};

/// Solves a position and checks its output; the last line has the time.
#[track_caller]
fn check(game: &str, moves: &str, positions: u64, lines: &[&str]) {
    let args = ["solve", "--game", game, "--moves", moves];
    let text = run(args, "");
    let (last, output) = text.lines().collect::<Vec<_>>().split_last().map_or_else(
        || panic!("there is no output"),
        |(last, output)| ((*last).to_owned(), output.to_vec()),
    );
    assert_eq!(output, lines);
    assert!(
        last.starts_with(&format!("{positions} positions in ")),
        "{last}"
    );
    assert!(last.ends_with(" s"), "{last}");
}

#[test]
fn every_move_has_a_result() {
    check(
        "ttt",
        "a1 b1 a2 b2",
        69,
        &[
            "X wins in 1",
            "a3   X wins in 1",
            "b3   X draws",
            "c1   X loses in 2",
            "c2   X loses in 2",
            "c3   X loses in 2",
        ],
    );
    check(
        "pegs",
        "ABCDEFGH ABCDEFGH ABCDEF",
        5,
        &["Red draws", "G    Red draws", "H    Red loses by 2"],
    );
}

#[test]
fn a_solution_as_json() {
    for threads in ["1", "2"] {
        let reports = run_json(
            [
                "solve",
                "--game",
                "pegs(lines=38)",
                "--moves",
                "ABCDEF",
                "--json",
                "--threads",
                threads,
            ],
            "",
        );
        let [report] = &reports[..] else {
            panic!("{reports:?}");
        };
        assert_eq!(report["game"], "pegs(lines=38)");
        assert_eq!(report["moves"], "ABCDEF");
        assert_eq!(report["to_move"], "Red");
        assert_eq!(report["threads"].to_string(), threads);
        assert!(report["ms"].is_f64());
        assert_eq!(report["result"], "loss");
        assert_eq!(report["margin"], -3);
        assert_eq!(report["plies"], serde_json::Value::Null);
        assert_eq!(report["positions"], 5_682_817);
        let each = report["each"].as_array().unwrap();
        assert_eq!(each.len(), 8);
        assert_eq!(each[0]["margin"], report["margin"]);
        assert!(each.iter().all(|each| each["move"].is_string()));
    }
}

#[test]
fn a_finished_game_has_no_moves() {
    check("ttt", "a1 b1 a2 b2 a3", 1, &["O has lost"]);
}

#[test]
fn a_large_game_is_refused_with_alternatives() {
    for game in ["connect4", "mnk", "ultimate"] {
        let ran = finish(command(["solve", "--game", game]), "");
        let sentence = format!(
            "open_ttt: {game} is too large to solve; try ttt, pegs, qubic and lines, or a smaller board\n"
        );
        assert_eq!(
            (ran.status, &*ran.stdout, &*ran.stderr),
            (Some(2), "", &*sentence)
        );
        check_one_sentence(&ran.stderr);
    }
}

/// The solver of this game finds only the winner. In a won position it leaves moves
/// undecided, and it uses symmetry.
#[test]
fn the_winner_of_k_in_a_row() {
    let solve = |game: &str| {
        let text = run(["solve", "--game", game], "");
        let mut lines: Vec<_> = text.lines().map(ToOwned::to_owned).collect();
        let last = lines.pop();
        assert!(last.is_some_and(|last| last.contains(" positions in ")));
        lines
    };
    let won = solve("mnk(m=6,n=5,k=4)");
    assert_eq!(won[0], "X wins");
    let moves = &won[1..won.len() - 1];
    assert!(moves.contains(&"c3   X wins".to_owned()));
    for line in moves {
        let (m, worth) = line.split_once("   ").unwrap();
        assert_eq!(worth, "X wins");
        let letter = char::from(b'a' + b'f' - m.as_bytes()[0]);
        let mirrored = format!("{letter}{}   X wins", &m[1..]);
        assert!(moves.contains(&mirrored), "{mirrored}");
    }
    let open = format!("{} moves undecided", 30 - moves.len());
    assert_eq!(won.last(), Some(&open));
    let drawn = solve("mnk(m=5,n=5,k=4)");
    assert_eq!(drawn.len(), 26);
    assert!(drawn[1..].iter().all(|line| line.ends_with("   X draws")));
    let reports = run_json(["solve", "--game", "mnk(m=6,n=5,k=4)", "--json"], "");
    assert_eq!(reports[0]["result"], "win");
    assert_eq!(reports[0]["plies"], serde_json::Value::Null);
    assert_eq!(reports[0]["each"][0]["result"], "win");
    assert_eq!(reports[0]["each"][29]["result"], "unknown");
}
