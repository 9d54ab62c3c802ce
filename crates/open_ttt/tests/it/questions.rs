//! Every question of a session, answered by invalid input, by help and quit, and by
//! the end of input.

use crate::program::{command, finish, run};

const TOO_LONG: usize = 1 << 20;

/// A question, and the answers that lead to it.
struct Question {
    /// The arguments of the program.
    args: &'static [&'static str],
    /// The answers to the questions before.
    before: &'static str,
    /// The reply to `zzz`.
    sentence: &'static str,
    /// The reply to `help`.
    help: &'static str,
}

const PLAY_PEGS: &[&str] = &["play", "--game", "pegs", "--first", "human"];

const MOVE_HELP: &str = "Type a move, such as a1, or one of these words:
  board  show the board again
  moves  list all possible moves
  undo   undo your last move
  quit   quit the game
";

const GAME_SENTENCE: &str = "Unknown game \"zzz\"; expected ttt, pegs, connect4, mnk, qubic, ultimate, reversi, dots, hex, lines, quarto, draughts, morris.\n";
const GAME_HELP: &str =
    "Type a number, or a key with parameters, such as pegs(lines=34) or mnk(m=15,n=15,k=5)\n";

const LIST_OF_3: [&str; 2] = [
    "\"zzz\" isn't on the list. Type a number from 1 to 3.\n",
    "Type a number from 1 to 3, or the start of a name\n",
];
const LIST_OF_4: [&str; 2] = [
    "\"zzz\" isn't on the list. Type a number from 1 to 4.\n",
    "Type a number from 1 to 4, or the start of a name\n",
];
const LIST_OF_8: [&str; 2] = [
    "\"zzz\" isn't on the list. Type a number from 1 to 8.\n",
    "Type a number from 1 to 8, or the start of a name\n",
];
const LIST_OF_9: [&str; 2] = [
    "\"zzz\" isn't on the list. Type a number from 1 to 9.\n",
    "Type a number from 1 to 9, or the start of a name\n",
];

const QUESTIONS: &[Question] = &[
    Question {
        args: &[],
        before: "",
        sentence: LIST_OF_3[0],
        help: LIST_OF_3[1],
    },
    Question {
        args: &[],
        before: "play\n",
        sentence: GAME_SENTENCE,
        help: GAME_HELP,
    },
    Question {
        args: &[],
        before: "rules\n",
        sentence: GAME_SENTENCE,
        help: GAME_HELP,
    },
    Question {
        args: &[],
        before: "rules\npegs\nrules\nttt\n",
        sentence: LIST_OF_3[0],
        help: LIST_OF_3[1],
    },
    Question {
        args: &[],
        before: "1\npegs\n",
        sentence: LIST_OF_4[0],
        help: LIST_OF_4[1],
    },
    Question {
        args: &[],
        before: "1\npegs\n2\n",
        sentence: LIST_OF_3[0],
        help: LIST_OF_3[1],
    },
    Question {
        args: &[],
        before: "1\npegs\n2\nred\n",
        sentence: LIST_OF_9[0],
        help: LIST_OF_9[1],
    },
    Question {
        args: &[],
        before: "1\nconnect4\n3\n5\n",
        sentence: LIST_OF_9[0],
        help: LIST_OF_9[1],
    },
    Question {
        args: &[],
        before: "1\n1\n1\n",
        sentence: "\"zzz\" isn't a move; expected a column from a to c and a row from 1 to 3, as in a1.\n",
        help: MOVE_HELP,
    },
    Question {
        args: &[],
        before: "1\n1\n1\na1\nb1\na2\nb2\na3\n",
        sentence: "\"zzz\" isn't yes or no.\n",
        help: "Type y to play again or n to stop\n",
    },
    Question {
        args: PLAY_PEGS,
        before: "",
        sentence: "\"zzz\" isn't human or computer.\n",
        help: "Type h for a person or c for a computer\n",
    },
    Question {
        args: PLAY_PEGS,
        before: "c\n",
        sentence: LIST_OF_8[0],
        help: LIST_OF_8[1],
    },
];

#[test]
fn an_invalid_answer_gets_a_single_line() {
    for question in QUESTIONS {
        let mut input = question.before.as_bytes().to_vec();
        let before = run(question.args, &input);
        let before = before.strip_suffix(INPUT_ENDED).unwrap();

        input.extend(b"zzz\n\n \t \n-1\n0\n99999999999999999999\n\x1b[2J\x07\n\xff\xfe\n");
        input.extend(vec![b'z'; TOO_LONG]);
        input.extend(b"\nquit\n");
        let after = run(question.args, &input);
        let after = after.strip_prefix(before).unwrap();

        assert!(
            !after.contains(|c: char| c.is_control() && c != '\n'),
            "{after:?}"
        );
        let replies: Vec<_> = after
            .split("\n> ")
            .map(|reply| reply.split_once('\n'))
            .collect();
        let replies: Vec<_> = replies.into_iter().map(|reply| reply.unwrap()).collect();
        assert_eq!(replies.len(), 10, "{after}");
        // The echo of an answer has its control characters escaped.
        assert_eq!(replies[0].0, "> zzz");
        assert_eq!(replies[6].0, "\\u{1b}[2J\\u{7}");
        assert_eq!(replies[7].0, "...");
        assert_eq!(replies[8].0, "...");
        assert_eq!(replies[9], ("quit", "Goodbye\n"));
        assert_eq!(format!("{}\n", replies[0].1), question.sentence);
        assert_eq!(replies[7].1, "That line isn't valid UTF-8.");
        assert_eq!(replies[8].1, "That line is longer than 4096 bytes.");
        for (typed, sentence) in &replies[..9] {
            assert_eq!(sentence.lines().count(), 1, "{typed}: {sentence}");
            assert!(sentence.len() < 150, "{sentence}");
        }
    }
}

#[test]
fn help_repeats_the_prompt() {
    for question in QUESTIONS {
        let before = run(question.args, question.before);
        let before = before.strip_suffix(INPUT_ENDED).unwrap();
        let input = format!("{}help\n?\nHELP\nquit\n", question.before);
        let help = question.help;
        let expected = format!("{before}> help\n{help}> ?\n{help}> HELP\n{help}> quit\nGoodbye\n");
        assert_eq!(run(question.args, input), expected);
    }
}

#[test]
fn quit_works_at_every_question() {
    for question in QUESTIONS {
        for word in ["quit", "QUIT", "exit", "q", " quit "] {
            let input = format!("{}{word}\n", question.before);
            let output = run(question.args, input);
            assert!(
                output.ends_with(&format!("> {}\nGoodbye\n", word.trim()))
                // The menu prints an empty line after its own answers.
                || output.ends_with(&format!("> {}\n\nGoodbye\n", word.trim())),
                "{output}"
            );
        }
    }
}

const INPUT_ENDED: &str = "> \nInput ended. Goodbye\n";

#[test]
fn the_end_of_input_ends_the_session() {
    for question in QUESTIONS {
        let output = run(question.args, question.before);
        assert!(output.ends_with(INPUT_ENDED), "{output}");
        // The last line needs no line feed.
        let input = format!("{}quit", question.before);
        assert!(run(question.args, input).ends_with("Goodbye\n"));
        let input = format!("{}zz", question.before);
        assert!(run(question.args, input).ends_with(INPUT_ENDED));
    }
}

#[test]
fn no_input_at_all() {
    for args in [&[][..], &["play"], PLAY_PEGS] {
        let mut command = command(args);
        command.stdin(std::process::Stdio::null());
        let ran = finish(command, "");
        assert_eq!((ran.status, &*ran.stderr), (Some(0), ""));
        assert!(ran.stdout.ends_with(INPUT_ENDED), "{ran:?}");
    }
}

#[test]
fn illegal_moves_are_rejected_with_a_reason() {
    let reply_to = |args: &[&str], moves: &str| {
        let output = run(args, format!("{moves}\nquit\n"));
        let last = moves.lines().last().unwrap();
        let (_, reply) = output.rsplit_once(&format!("> {last}\n")).unwrap();
        reply.strip_suffix("> quit\nGoodbye\n").unwrap().to_owned()
    };
    let people = |game| {
        [
            "play", "--first", "human", "--second", "human", "--game", game,
        ]
    };
    let taken = "Impossible move b2: that place is already taken.\n";
    assert_eq!(reply_to(&people("ttt"), "b2\nB 2"), taken);
    assert_eq!(
        reply_to(&people("pegs"), "A\nA\nA\na"),
        "Impossible move A: there is no room left.\n"
    );
    assert_eq!(
        reply_to(&people("pegs"), "I"),
        "\"I\" isn't a move; expected a peg from A to H.\n"
    );
    assert_eq!(
        reply_to(&people("connect4"), "8"),
        "\"8\" isn't a move; expected a column from 1 to 7.\n"
    );
    assert_eq!(
        reply_to(&people("mnk(m=4,n=2,k=2)"), "a3"),
        "\"a3\" isn't a move; expected a column from a to d and a row from 1 to 2, as in a1.\n"
    );
    assert_eq!(reply_to(&people("ttt"), "undo"), "Nothing to undo yet.\n");
}
