//! Invalid arguments: exit status 2, no output, and a one-sentence error that says
//! what would be right.

use std::ffi::OsStr;

use crate::program::{check_one_sentence, command, finish};

#[track_caller]
fn check<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, sentence: &str) {
    let ran = finish(command(args), "");
    assert_eq!(ran.stderr, format!("open_ttt: {sentence}\n"));
    assert_eq!((ran.status, &*ran.stdout), (Some(2), ""));
    check_one_sentence(&ran.stderr);
}

/// A command line without spaces in its words, and a sentence.
#[track_caller]
fn check_line(line: &str, sentence: &str) {
    check(line.split(' '), sentence);
}

const COMMANDS: &str = "the commands are play, games, perft, analyze, solve, arena, replay, review, puzzle, serve, admin, store, join, player, train, work, new, completions, man (see open_ttt --help)";

#[test]
fn unknown_commands() {
    check_line("bogus", &format!("\"bogus\" isn't a command; {COMMANDS}"));
    check_line(
        "--bogus",
        &format!("\"--bogus\" isn't a command; {COMMANDS}"),
    );
    check_line("-x play", &format!("\"-x\" isn't a command; {COMMANDS}"));
    check_line(
        "help bogus",
        &format!("\"bogus\" isn't a command; {COMMANDS}"),
    );
    check_line("pla", &format!("\"pla\" isn't a command; {COMMANDS}"));
    check([""], &format!("\"\" isn't a command; {COMMANDS}"));
    check_line("-- play", &format!("\"play\" isn't a command; {COMMANDS}"));
}

#[test]
fn settings_of_a_server_that_contradict() {
    check_line(
        "serve --max-store-mib 0",
        "--max-store-mib must be at least 1",
    );
    check_line(
        "serve --store nats://127.0.0.1:1 --max-store-mib 5",
        "--max-store-mib is for a file; a NATS stream has limits of its own",
    );
    check_line("serve --keep-days 0", "--keep-days must be at least 1");
    for option in [
        "--max-connections",
        "--max-connections-per-address",
        "--max-matches",
    ] {
        check_line(
            &format!("serve {option} 0"),
            &format!("{option} must be at least 1"),
        );
    }
    check_line(
        "serve --hosts https://play.example.org/",
        "--hosts: \"https://play.example...\" isn't a name such as play.example.org",
    );
    check_line(
        "serve --store memory --listen 127.0.0.1",
        "can't listen on \"127.0.0.1\": invalid socket address",
    );
    check_line(
        "serve --origins example.org",
        "--origins: \"example.org\" isn't an origin such as https://example.org",
    );
    check_line(
        "serve --archive games",
        "--archive needs --keep-days, after which matches are archived",
    );
}

#[test]
fn choices_are_named() {
    check_line(
        "--theme blue",
        "--theme can't be \"blue\"; it is one of dark, light (see open_ttt --help)",
    );
    check_line(
        "completions tcsh",
        "<SHELL> can't be \"tcsh\"; it is one of bash, elvish, fish, powershell, zsh (see open_ttt completions --help)",
    );
}

#[test]
fn negative_numbers_are_values() {
    for (line, option) in [
        ("admin ban 192.0.2.7 --hours -1", "--hours: "),
        (
            "arena --game ttt --a random --b random --seed -1",
            "--seed: ",
        ),
        ("analyze --game ttt --threads -1", "--threads: "),
        ("train --game ttt --minutes -1", "--minutes: "),
    ] {
        let ran = finish(command(line.split(' ')), "");
        assert_eq!(ran.status, Some(2), "{ran:?}");
        check_one_sentence(&ran.stderr);
        assert!(ran.stderr.contains(option), "{line}: {}", ran.stderr);
    }
}

#[test]
fn filters_of_a_log() {
    for filter in ["inof", "info,debgu", "open_ttt_net=loud"] {
        check_line(
            &format!("serve --listen 127.0.0.1:0 --log {filter}"),
            &format!("--log: {filter:?} isn't a filter like info or warn,open_ttt_net=debug"),
        );
    }
}

#[test]
fn quick_and_rated_games() {
    for flag in ["--quick", "--rated"] {
        check_line(
            &format!("join http://localhost {flag}"),
            "join needs --game <KEY> (see open_ttt join --help)",
        );
        for other in ["--no-key", "--opponent random"] {
            let other_flag = other.split(' ').next().unwrap_or_default();
            check_line(
                &format!("join http://localhost --game ttt {flag} {other}"),
                &format!("{flag} and {other_flag} can't be combined (see open_ttt join --help)"),
            );
        }
    }
    check_line(
        "player",
        "player needs a command: show, games, export, import (see open_ttt player --help)",
    );
    check_line(
        "player show",
        "show needs <SERVER> (see open_ttt player show --help)",
    );
    check_line(
        "player import http://localhost/#player=1",
        "<LINK>: a player's link is a server's address and #player= with 32 digits (see open_ttt player import --help)",
    );
}

#[test]
fn unknown_flags() {
    check_line(
        "play --bogus x",
        "play doesn't accept \"--bogus\"; its options are --game, --first, --second, --plain, --no-save, --pace, --theme, --symbols, --colors (see open_ttt play --help)",
    );
    check_line(
        "play x",
        "play doesn't accept \"x\"; its options are --game, --first, --second, --plain, --no-save, --pace, --theme, --symbols, --colors (see open_ttt play --help)",
    );
    check_line(
        "games ttt",
        "games doesn't accept \"ttt\"; its options are --json (see open_ttt games --help)",
    );
    check_line(
        "analyze --gam ttt",
        "analyze doesn't accept \"--gam\"; did you mean --game? (see open_ttt analyze --help)",
    );
    check_line(
        "play draughts",
        "play doesn't accept \"draughts\"; did you mean --game draughts? (see open_ttt play --help)",
    );
    check_line(
        "analyze mnk(m=4,n=4,k=4)",
        "analyze doesn't accept \"mnk(m=4,n=4,k=4)\"; did you mean --game 'mnk(m=4,n=4,k=4)'? (see open_ttt analyze --help)",
    );
    check_line(
        "perft -1",
        "perft doesn't accept \"-1\"; its options are --game, --moves, --depth, --divide, --json (see open_ttt perft --help)",
    );
    check_line(
        "arena --game ttt extra",
        "arena doesn't accept \"extra\"; its options are --game, --a, --b, --games, --threads, --openings, --seed, --sprt, --save, --json, --plain, --theme, --symbols, --colors (see open_ttt arena --help)",
    );
}

#[test]
fn missing_and_conflicting_flags() {
    check_line(
        "analyze",
        "analyze needs --game <KEY> (see open_ttt analyze --help)",
    );
    check_line(
        "perft --game ttt",
        "perft needs --depth <N> (see open_ttt perft --help)",
    );
    check_line(
        "arena",
        "arena needs --game <KEY>, --a <SPEC>, --b <SPEC> (see open_ttt arena --help)",
    );
    check_line(
        "analyze --game",
        "--game needs a value, as in --game <KEY> (see open_ttt analyze --help)",
    );
    check_line(
        "analyze --game ttt --game pegs",
        "--game can only be given once (see open_ttt analyze --help)",
    );
    check_line(
        "games --json --json",
        "--json can only be given once (see open_ttt games --help)",
    );
    check_line(
        "analyze --game ttt --batch --moves a1",
        "--batch and --moves can't be combined (see open_ttt analyze --help)",
    );
    check_line(
        "replay --json",
        "replay needs <FILE> (see open_ttt replay --help)",
    );
    check_line(
        "replay games --end --json",
        "--end and --json can't be combined (see open_ttt replay --help)",
    );
    check_line(
        "games --json=1",
        "--json doesn't take a value (see open_ttt games --help)",
    );
    check_line(
        "--version=1",
        "--version doesn't take a value (see open_ttt --help)",
    );
}

#[test]
fn unknown_games() {
    let game = |game: &str, sentence: &str| {
        for command in ["play", "perft", "analyze", "arena"] {
            let sentence = format!("--game: {sentence} (see open_ttt {command} --help)");
            check([command, "--game", game], &sentence);
        }
    };
    game(
        "nope",
        "unknown game \"nope\"; expected ttt, pegs, connect4, mnk, qubic, ultimate, reversi, dots, hex, lines, quarto, draughts, morris",
    );
    game("mnk(m=0)", "mnk: m must be 1 to 19, not 0");
    game("mnk(n=20)", "mnk: n must be 1 to 19, not 20");
    game("mnk(k=99)", "mnk: k must be 1 to 19, not 99");
    game("mnk(m=-1)", "mnk: m must be 1 to 19, not \"-1\"");
    game("mnk(m=x)", "mnk: m must be 1 to 19, not \"x\"");
    game(
        "mnk(m=4294967297)",
        "mnk: m must be 1 to 19, not \"4294967297\"",
    );
    game("mnk(q=3)", "mnk has no parameter \"q\"; it takes m, n, k");
    game("pegs(lines=35)", "pegs: lines must be 34 or 38, not 35");
    game("ttt(m=3)", "ttt has no parameter \"m\"; it takes none");
    for malformed in [
        "",
        "mnk(",
        "mnk(m=3",
        "mnk(m)",
        "mnk)",
        "mnk(m=3,m=4)",
        "t t t!",
        "ttt\u{7}",
    ] {
        let sentence = format!("{malformed:?} is not of the form name or name(key=value,...)");
        game(malformed, &sentence);
    }
}

#[test]
fn unknown_players() {
    let player = |spec: &str, sentence: &str| {
        let tail = format!("{sentence} (see open_ttt");
        check(
            ["play", "--first", spec],
            &format!("--first: {tail} play --help)"),
        );
        check(
            ["play", "--second", spec],
            &format!("--second: {tail} play --help)"),
        );
        check(
            ["arena", "--game", "ttt", "--b", "random", "--a", spec],
            &format!("--a: {tail} arena --help)"),
        );
    };
    player(
        "nobody",
        "unknown player \"nobody\"; expected human, beginner, easy, medium, hard, expert, master, level, fallible, perfect, negamax, mcts, random, net:FILE, engine:COMMAND",
    );
    for mistakes in ["nan", "7.0", "-0.1", "inf", "x", "1.0000001"] {
        player(
            &format!("perfect(mistakes={mistakes})"),
            &format!("perfect: mistakes must be a number from 0 to 1, not \"{mistakes}\""),
        );
    }
    player(
        "random(x=1)",
        "random has no parameter \"x\"; it takes seed",
    );
    player(
        "human(ms=1)",
        "human has no parameter \"ms\"; it takes none",
    );
    player("mcts(ms=0)", "mcts: ms must be 1 to 3600000, not \"0\"");
    player(
        "negamax(depth=x)",
        "negamax: depth must be 1 to 1000, not \"x\"",
    );
    for (spec, threads) in [("perfect", "0"), ("negamax", "65"), ("mcts", "two")] {
        player(
            &format!("{spec}(threads={threads})"),
            &format!("{spec}: threads must be 1 to 64, not {threads:?}"),
        );
    }
    player(
        "random(seed=-1)",
        "random: seed must be 0 to 18446744073709551615, not \"-1\"",
    );
    player(
        "perfect(mistakes=0.1",
        "\"perfect(mistakes=0.1\" is not of the form name or name(key=value,...)",
    );
    player(
        "net:a(depth=5)",
        "net has no parameter \"depth\"; it takes simulations, ms, mistakes, seed",
    );
    player(
        "net:\n",
        "net: file must be a name of 1 to 4096 bytes without control characters, as in net:best.safetensors, not \"\"",
    );
    player("", "\"\" is not of the form name or name(key=value,...)");
}

#[test]
fn humans_cannot_play_in_the_arena() {
    let human = "only computers can play here: beginner, easy, medium, hard, expert, master, level, fallible, perfect, negamax, mcts, random, net:FILE, engine:COMMAND";
    for (line, flag) in [
        ("--a human --b random", "--a"),
        ("--a random --b Human", "--b"),
    ] {
        let line = format!("arena --game ttt {line}");
        check_line(
            &line,
            &format!("{flag}: {human} (see open_ttt arena --help)"),
        );
    }
    let large = "perfect: the game has more than 400000 positions; negamax plays it";
    check_line(
        "arena --game ultimate --a perfect --b random",
        &format!("--a: {large}"),
    );
    check_line(
        "arena --game mnk --a random --b perfect",
        &format!("--b: {large}"),
    );
}

#[test]
fn numbers_and_times() {
    let depth = |depth: &str| {
        check(
            ["perft", "--game", "ttt", "--depth", depth],
            &format!(
                "--depth: \"{depth}\" isn't a whole number from 0 to 400 (see open_ttt perft --help)"
            ),
        );
    };
    for text in ["x", "", "-1", "401", "1.5", "99999999999999999999"] {
        depth(text);
    }
    let games = |games: &str| {
        check(
            ["arena", "--games", games],
            &format!(
                "--games: \"{games}\" isn't a whole number from 1 to 10000000 (see open_ttt arena --help)"
            ),
        );
    };
    for text in ["0", "-1", "10000001", "ten"] {
        games(text);
    }
    let sprt = |sprt: &str, sentence: &str| {
        check(
            ["arena", "--sprt", sprt],
            &format!("--sprt: {sentence} (see open_ttt arena --help)"),
        );
    };
    for text in ["", "5", "0;5", "0,5,10", "a,b"] {
        let sentence = format!("{text:?} isn't two Elo differences; write them like 0,10");
        sprt(text, &sentence);
    }
    for (text, numbers) in [
        ("5,0", "5 and 0"),
        ("-0.5, -0.5", "-0.5 and -0.5"),
        ("nan,1", "NaN and 1"),
        ("0,2000", "0 and 2000"),
    ] {
        let order = "aren't two Elo differences from -1000 to 1000, the smaller one first";
        sprt(text, &format!("{numbers} {order}"));
    }
    for openings in ["-1", "401", "x"] {
        check(
            ["arena", "--openings", openings],
            &format!(
                "--openings: {openings:?} isn't a whole number from 0 to 400 (see open_ttt arena --help)"
            ),
        );
    }
    let time = |time: &str| {
        check(
            ["analyze", "--game", "ttt", "--time", time],
            &format!(
                "--time: {time:?} isn't a time; write a number with ms, s, m or h, such as 500ms (at most 24h) \
                 (see open_ttt analyze --help)"
            ),
        );
    };
    for text in [
        "10",
        "s",
        "0s",
        "-1s",
        "nans",
        "infs",
        "25h",
        "1 day",
        "\u{7}\n1s",
        "1e400s",
    ] {
        time(text);
    }
}

#[test]
fn moves() {
    let moves = |game, moves: &str, sentence: &str| {
        check(["analyze", "--game", game, "--moves", moves], sentence);
        check(
            ["perft", "--depth", "1", "--game", game, "--moves", moves],
            sentence,
        );
    };
    let no_cell = "isn't a move; expected a column from a to c and a row from 1 to 3, as in a1";
    moves("ttt", "z9", &format!("move 1: \"z9\" {no_cell}"));
    moves("ttt", "a1 b4", &format!("move 2: \"b4\" {no_cell}"));
    moves("ttt", "a1b2", &format!("move 1: \"a1b2\" {no_cell}"));
    moves(
        "ttt",
        "\u{1b}[31m\n",
        &format!("move 1: \"\\u{{1b}}[31m\" {no_cell}"),
    );
    moves(
        "ttt",
        "a1 a1",
        "move 2: \"a1\" is not possible: that place is already taken",
    );
    moves(
        "ttt",
        "a1 b1 a2 b2 a3 c3",
        "move 6: \"c3\" is not possible: the game is over",
    );
    moves(
        "pegs",
        "AAAA",
        "move 4: \"A\" is not possible: there is no room left",
    );
    moves(
        "pegs",
        "ABX",
        "move 3: \"X\" isn't a move; expected a peg from A to H",
    );
    moves(
        "connect4",
        "4 8",
        "move 2: \"8\" isn't a move; expected a column from 1 to 7",
    );
    moves(
        "connect4",
        "12121212",
        "move 8: \"2\" is not possible: the game is over",
    );
    let long = "a".repeat(100_000);
    moves(
        "ttt",
        &long,
        &format!("move 1: \"aaaaaaaaaaaaaaaaaaaa...\" {no_cell}"),
    );
}

#[test]
fn very_long_arguments_are_shortened() {
    let long = "b".repeat(100_000);
    let shown = "bbbbbbbbbbbbbbbbbbbb...";
    check([&long], &format!("\"{shown}\" isn't a command; {COMMANDS}"));
    check(
        ["games", &long],
        &format!(
            "games doesn't accept \"{shown}\"; its options are --json (see open_ttt games --help)"
        ),
    );
    check(
        ["play", "--game", &long],
        &format!(
            "--game: \"{shown}\" is not of the form name or name(key=value,...) (see open_ttt play --help)"
        ),
    );
    check(
        ["perft", "--depth", &"9".repeat(100_000)],
        "--depth: \"99999999999999999999...\" isn't a whole number from 0 to 400 (see open_ttt perft --help)",
    );
    let name = "n".repeat(250);
    let sentence = format!(
        "--game: unknown game \"{}...\"; expected ttt, pegs, connect4, mnk, qubic, ultimate, reversi, dots, hex, lines, quarto, draughts, morris",
        &name[..20]
    );
    check(
        ["play", "--game", &name],
        &format!("{sentence} (see open_ttt play --help)"),
    );
}

#[test]
fn control_characters_are_escaped() {
    let shown = "a\\n\\n\\u{1b}[2J\\u{7}";
    check(
        ["a\n\n\u{1b}[2J\u{7}"],
        &format!("\"{shown}\" isn't a command; {COMMANDS}"),
    );
    check(
        ["games", "--a\n\n\u{1b}[2J\u{7}"],
        &format!(
            "games doesn't accept \"--{shown}\"; its options are --json (see open_ttt games --help)"
        ),
    );
    check(
        ["play", "--first", "a\n\n\u{1b}[2J\u{7}"],
        &format!(
            "--first: \"{shown}\" is not of the form name or name(key=value,...) (see open_ttt play --help)"
        ),
    );
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    let not_utf8 = || OsString::from_vec(b"\xff\xfe".to_vec());
    let sentence = "an argument isn't valid UTF-8";
    for flags in [["play", "--game"], ["analyze", "--moves"], ["arena", "--a"]] {
        let mut args: Vec<OsString> = flags.map(OsString::from).to_vec();
        args.push(not_utf8());
        check(
            args,
            &format!("{sentence} (see open_ttt {} --help)", flags[0]),
        );
    }
    check(
        [not_utf8()],
        &format!("\"\u{fffd}\u{fffd}\" isn't a command; {COMMANDS}"),
    );
}
