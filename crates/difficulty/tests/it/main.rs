//! The tool as it is called: a folder before, the same folder after.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

/// An empty folder that no other test uses.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(folder: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_difficulty"));
    command
        .arg("--out")
        .arg(folder)
        .args(more)
        .output()
        .unwrap()
}

fn read(folder: &Path, extension: &str) -> String {
    fs::read_to_string(folder.join("difficulty").with_extension(extension)).unwrap()
}

/// The fields of each line after the first.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().skip(1);
    rows.map(|line| line.split('\t').collect()).collect()
}

#[test]
fn every_setting_is_measured_and_more_mistakes_win_less() {
    let folder = folder("measured");
    let ran = run(&folder, &["--games", "400", "ttt"]);
    assert!(ran.status.success(), "{ran:?}");
    let text = read(&folder, "tsv");
    let rows = rows(&text);
    assert_eq!(rows.len(), 22);
    for (number, row) in rows.iter().enumerate() {
        let mistakes = format!("{:.1}", (number % 11) as f64 / 10.0);
        let against = ["random", "perfect"][number / 11];
        assert_eq!(row[..3], ["ttt", &mistakes, against]);
        let counts: Vec<u32> = row[3..]
            .iter()
            .map(|count| count.parse().unwrap())
            .collect();
        assert_eq!(counts.iter().sum::<u32>(), 400);
        if against == "perfect" {
            assert_eq!(counts[0], 0, "nobody beats the perfect player");
        }
        if mistakes == "0.0" {
            assert_eq!(counts[2], 0, "the perfect player is not beaten");
        }
    }
    let wins = |number: usize| rows[number][3].parse::<u32>().unwrap();
    assert!(wins(0) > wins(3) && wins(3) > wins(6) && wins(6) > wins(10));
    let losses = |number: usize| rows[number][5].parse::<u32>().unwrap();
    assert!(losses(12) < losses(15) && losses(15) < losses(21));

    let page = read(&folder, "md");
    assert_eq!(
        page.matches("\n| 0.").count() + page.matches("\n| 1.").count(),
        11
    );
    assert!(page.contains("## Tic-tac-toe"), "{page}");
    let picture = read(&folder, "svg");
    assert_eq!(picture.matches("<polygon").count(), 6);
    for name in [
        "wins",
        "draws",
        "losses",
        "against random",
        "against perfect",
    ] {
        assert!(picture.contains(&format!(">{name}</text>")), "{name}");
    }
    assert!(!picture.contains("NaN"));
    for tag in ["text", "style", "title", "svg"] {
        let opened = picture.matches(&format!("<{tag}")).count();
        assert_eq!(
            picture.matches(&format!("</{tag}>")).count(),
            opened,
            "{tag}"
        );
    }
}

#[test]
fn what_is_known_is_not_measured_again() {
    let folder = folder("resumed");
    assert!(run(&folder, &["--games", "10", "ttt"]).status.success());
    let whole = ["tsv", "md", "svg"].map(|extension| read(&folder, extension));

    // With other numbers of games nothing new comes of what is known.
    assert!(run(&folder, &["--games", "20", "ttt"]).status.success());
    assert_eq!(["tsv", "md", "svg"].map(|e| read(&folder, e)), whole);

    // A line that is missing is measured again, as it was.
    let lines: Vec<_> = whole[0].split_inclusive('\n').collect();
    let some: String = [&lines[..3], &lines[4..10], &lines[11..]].concat().concat();
    assert_ne!(some, whole[0]);
    fs::write(folder.join("difficulty.tsv"), some).unwrap();
    assert!(run(&folder, &["--games", "10", "ttt"]).status.success());
    assert_eq!(["tsv", "md", "svg"].map(|e| read(&folder, e)), whole);
}

#[test]
fn a_game_without_a_perfect_player_is_left_out() {
    let folder = folder("left_out");
    let ran = run(&folder, &["--games", "2", "mnk", "ttt", "chess"]);
    assert!(ran.status.success(), "{ran:?}");
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(
        said.contains("mnk is left out: perfect: the game has more than"),
        "{said}"
    );
    assert!(said.contains("chess is left out: unknown game"), "{said}");
    assert_eq!(rows(&read(&folder, "tsv")).len(), 22);
}

#[test]
fn a_damaged_file_is_told_and_kept() {
    for (damaged, line) in [
        ("", "line 1"),
        (
            "game\tmistakes\tagainst\twins\tdraws\tlosses\nttt\t0.0\trandom\t1\t2\n",
            "line 2",
        ),
        (
            "game\tmistakes\tagainst\twins\tdraws\tlosses\nttt\t0.0\trandom\t0\t0\t0\n",
            "line 2",
        ),
        (
            "game\tmistakes\tagainst\twins\tdraws\tlosses\nttt\t0.05\trandom\t1\t0\t0\n",
            "line 2",
        ),
    ] {
        let folder = folder("damaged");
        fs::write(folder.join("difficulty.tsv"), damaged).unwrap();
        let ran = run(&folder, &["--games", "2", "ttt"]);
        assert_eq!(ran.status.code(), Some(1));
        let said = String::from_utf8(ran.stderr).unwrap();
        assert!(said.contains(line), "{said}");
        assert_eq!(read(&folder, "tsv"), damaged);
    }
}

/// The games of each match between levels.
fn games(text: &str) -> Vec<u32> {
    let sum = |row: &Vec<&str>| {
        row[3..]
            .iter()
            .map(|count| count.parse::<u32>().unwrap())
            .sum()
    };
    rows(text).iter().map(sum).collect()
}

#[test]
fn a_match_between_levels_is_continued() {
    let folder = folder("continued");
    let levels = folder.join("levels.tsv");
    let measure = |games: &[&str]| {
        let ran = run(&folder, &[&["--levels", "ttt"], games].concat());
        assert!(ran.status.success(), "{ran:?}");
        fs::read_to_string(&levels).unwrap()
    };
    let whole = measure(&["--games", "4"]);
    assert_eq!(games(&whole), [4; 6]);

    let last = whole.trim_end().rfind("master").unwrap();
    let begun = format!("{}master\texpert\t2\t0\t0\n", &whole[..last]);
    fs::write(&levels, &begun).unwrap();
    assert_eq!(measure(&[]), begun, "no number of games is asked for");
    assert_eq!(measure(&["--games", "2"]), begun, "it has as many");
    let continued = measure(&["--games", "4"]);
    assert_eq!(games(&continued), [4; 6]);
    assert_eq!(continued[..last], whole[..last]);
    let wins: u32 = rows(&continued)[5][3].parse().unwrap();
    assert!(wins >= 2, "those it had: {continued}");
}

#[test]
fn a_match_between_levels_is_kept_while_it_is_played() {
    let folder = folder("killed");
    let mut command = Command::new(env!("CARGO_BIN_EXE_difficulty"));
    command.args(["--levels", "--games", "1000000", "ttt", "--out"]);
    let mut running = command.arg(&folder).spawn().unwrap();
    let kept = || fs::read_to_string(folder.join("levels.tsv")).unwrap_or_default();
    while !kept().contains("beginner") {
        assert!(running.try_wait().unwrap().is_none(), "it has ended");
        thread::yield_now();
    }
    running.kill().unwrap();
    running.wait().unwrap();
    // Whenever it was killed, what it had written is whole, and goes on.
    let before = games(&kept());
    assert_eq!(before.len(), 1, "a match");
    let goal = (before[0] + 2).to_string();
    let ran = run(&folder, &["--levels", "--games", &goal, "ttt"]);
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(games(&kept()), [before[0] + 2; 6]);
}
