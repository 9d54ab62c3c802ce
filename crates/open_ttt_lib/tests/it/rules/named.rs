//! Valid and invalid names of games.

use std::fmt::Debug;

use open_ttt_lib::games::{ConnectFour, LineSet, Mnk, Pegs, TicTacToe};
use open_ttt_lib::rules::{Described, FromName, Named, Spec, SpecError};

#[track_caller]
fn check<G: FromName + Debug>(written: &str, expected: &G, name: &str) {
    assert_eq!(G::from_name(written).as_ref(), Ok(expected), "{written:?}");
    assert_eq!(expected.name(), name);
}

#[track_caller]
fn check_error<G: FromName + Debug>(written: &str, expected: &str) {
    let error = G::from_name(written).expect_err("the name is invalid");
    assert_eq!(error.to_string(), expected, "{written:?}");
}

#[test]
fn valid_names() {
    let pegs_38 = Pegs::with_lines(LineSet::ThirtyEight);
    let small = Mnk::new(5, 4, 3).expect("5,4,3 is a game");
    let narrow = Mnk::new(3, 15, 5).expect("3,15,5 is a game");
    check("ttt", &TicTacToe::new(), "ttt");
    check(" T T T ( ) ", &TicTacToe::new(), "ttt");
    check("connect4()", &ConnectFour::new(), "connect4");
    check("pegs", &Pegs::new(), "pegs");
    check("pegs(lines=34)", &Pegs::new(), "pegs");
    check("PEGS(Lines = 38)", &pegs_38, "pegs(lines=38)");
    check("pegs(lines=0038)", &pegs_38, "pegs(lines=38)");
    check("mnk", &Mnk::default(), "mnk");
    check("mnk(n=15)", &Mnk::default(), "mnk");
    check("mnk(k=3,n=4,m=5)", &small, "mnk(m=5,n=4,k=3)");
    check("mnk(m=3)", &narrow, "mnk(m=3,n=15,k=5)");
}

#[test]
fn every_size_of_mnk_comes_back_from_its_name() {
    for m in 1..=Mnk::MAX_SIDE {
        for n in 1..=Mnk::MAX_SIDE {
            for k in 1..=Mnk::MAX_SIDE {
                let read = Mnk::with_parameters(&[m, n, k].map(u32::from));
                match Mnk::new(m, n, k) {
                    Some(game) => {
                        assert_eq!(read.as_ref(), Ok(&game));
                        assert_eq!(Mnk::from_name(&game.name()).as_ref(), Ok(&game));
                    }
                    None => assert!(read.is_err(), "{m},{n},{k}"),
                }
            }
        }
    }
}

#[test]
fn invalid_values() {
    check_error::<Mnk>("mnk(m=0)", "mnk: m must be 1 to 19, not 0");
    check_error::<Mnk>("mnk(n=20)", "mnk: n must be 1 to 19, not 20");
    check_error::<Mnk>("mnk(k=99)", "mnk: k must be 1 to 19, not 99");
    check_error::<Mnk>(
        "mnk(m=3,n=3)",
        "mnk: k must be 1 to 3, the longer side of the board, not 5",
    );
    check_error::<Mnk>("mnk(m=257)", "mnk: m must be 1 to 19, not 257");
    check_error::<Mnk>(
        "mnk(m=4294967299)",
        "mnk: m must be 1 to 19, not \"4294967299\"",
    );
    check_error::<Mnk>("mnk(m=-3)", "mnk: m must be 1 to 19, not \"-3\"");
    check_error::<Mnk>("mnk(m=+3)", "mnk: m must be 1 to 19, not \"+3\"");
    check_error::<Mnk>("mnk(m=m)", "mnk: m must be 1 to 19, not \"m\"");
    check_error::<Mnk>("mnk(m=\u{1b})", "mnk: m must be 1 to 19, not \"\\u{1b}\"");
    check_error::<Pegs>("pegs(lines=35)", "pegs: lines must be 34 or 38, not 35");
}

#[test]
fn unknown_parameters() {
    check_error::<Mnk>("mnk(q=3)", "mnk has no parameter \"q\"; it takes m, n, k");
    check_error::<Pegs>(
        "pegs(line=38)",
        "pegs has no parameter \"line\"; it takes lines",
    );
    check_error::<TicTacToe>("ttt(m=3)", "ttt has no parameter \"m\"; it takes none");
}

#[test]
fn unknown_names() {
    check_error::<Pegs>("mnk", "unknown game \"mnk\"; expected pegs");
    check_error::<TicTacToe>("connect4", "unknown game \"connect4\"; expected ttt");
}

#[test]
fn malformed_names() {
    for text in [
        "",
        " ",
        "()",
        "(m=3)",
        "mnk(m=3",
        "mnk m=3)",
        "mnk)",
        "mnk(m=3))",
        "mnk((m=3))",
        "mnk(m=3)x",
        "mnk(m=3,m=3)",
        "mnk(m=3,M=4)",
        "mnk(m=3,)",
        "mnk(,m=3)",
        "mnk(m)",
        "mnk(m=)",
        "mnk(=3)",
        "mnk(m 3)",
        "mnk-3",
        "m\u{0}nk",
        "mñk",
    ] {
        let error = Mnk::from_name(text).expect_err("the name is invalid");
        assert!(
            matches!(error, SpecError::Malformed { .. }),
            "{text:?}: {error}"
        );
        let sentence = error.to_string();
        assert!(
            sentence.ends_with("is not of the form name or name(key=value,...)"),
            "{sentence}"
        );
        assert!(!sentence.contains(char::is_control), "{sentence:?}");
    }
}

#[test]
fn long_names_are_rejected_with_a_short_message() {
    let padded = |length: usize| format!("mnk{}", " ".repeat(length - 3));
    assert_eq!(
        Mnk::from_name(&padded(Spec::MAX_LENGTH)),
        Ok(Mnk::default())
    );
    for text in [
        padded(Spec::MAX_LENGTH + 1),
        "m".repeat(1 << 20),
        format!("mnk(m={})", "3".repeat(1 << 20)),
        format!("mnk({}=3)", "m".repeat(200)),
        format!("mnk(m={})", "3".repeat(200)),
        "z".repeat(200),
    ] {
        let error = Mnk::from_name(&text).expect_err("the name is invalid");
        assert!(error.to_string().len() < 120, "{error}");
    }
}

#[test]
fn values_that_do_not_match_the_parameters() {
    let error = Mnk::with_parameters(&[3, 3]).expect_err("two values for three");
    assert_eq!(error.to_string(), "mnk takes 3 parameters, not 2");
    assert!(Pegs::with_parameters(&[]).is_err());
    assert!(TicTacToe::with_parameters(&[1]).is_err());
}

#[test]
fn a_game_comes_back_from_its_parameters() {
    assert!(TicTacToe::new().parameters().is_empty());
    assert_eq!(Pegs::with_lines(LineSet::ThirtyEight).parameters(), [38]);
    let game = Mnk::new(5, 4, 3).expect("5,4,3 is a game");
    assert_eq!(game.parameters(), [5, 4, 3]);
}
