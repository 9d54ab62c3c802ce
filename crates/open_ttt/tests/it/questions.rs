//! Every question of a session: what happens on nonsense, on help, when the
//! player leaves and when the input ends.

use crate::program::{command, finish, run};

const TOO_LONG: usize = 1 << 20;

/// A question, and how one comes to it.
struct Question {
    /// The arguments of the program.
    args: &'static [&'static str],
    /// The answers to the questions before.
    before: &'static str,
    /// What is said to an answer of `zzz`.
    sentence: &'static str,
    /// What is said when help is wanted.
    help: &'static str,
}

const PLAY_PEGS: &[&str] = &["play", "--game", "pegs", "--first", "human"];

const MOVE_HELP: &str = "Write a move, such as a1, or one of these words:
  board  shows the board again
  undo   takes back your last move and what came after it
  quit   ends the session
";

const GAME_SENTENCE: &str =
    "there is no game \"zzz\"; there is ttt, pegs, connect4, mnk, qubic, ultimate\n";
const GAME_HELP: &str = "Write a number, or a name with what you choose about the game, \
                         such as pegs(lines=38) or mnk(m=5,n=5,k=4)\n";

const QUESTIONS: &[Question] = &[
    Question {
        args: &[],
        before: "",
        sentence: "\"zzz\" is neither play, rules nor quit\n",
        help: "Write the number or the first letter of what you want\n",
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
        sentence: "\"zzz\" is neither play, rules nor quit\n",
        help: "Write the number or the first letter of what you want\n",
    },
    Question {
        args: &[],
        before: "1\npegs\n",
        sentence: "\"zzz\" is neither 1, 2 nor 3\n",
        help: "Write 1, 2 or 3\n",
    },
    Question {
        args: &[],
        before: "1\npegs\n2\n",
        sentence: "\"zzz\" is neither Red nor White\n",
        help: "Write the number or the name of a side\n",
    },
    Question {
        args: &[],
        before: "1\npegs\n2\nred\n",
        sentence: "\"zzz\" is no number from 1 to 4\n",
        help: "Write the number of a computer above\n",
    },
    Question {
        args: &[],
        before: "1\nconnect4\n3\n4\n",
        sentence: "\"zzz\" is no number from 1 to 4\n",
        help: "Write the number of a computer above\n",
    },
    Question {
        args: &[],
        before: "1\n1\n1\n",
        sentence: "\"zzz\" is not a move; write a column from a to c and a row from 1 to 3, as in a1\n",
        help: MOVE_HELP,
    },
    Question {
        args: &[],
        before: "1\n1\n1\na1\nb1\na2\nb2\na3\n",
        sentence: "\"zzz\" is neither y nor n\n",
        help: "Write y for another game or n to leave\n",
    },
    Question {
        args: PLAY_PEGS,
        before: "",
        sentence: "\"zzz\" is neither h nor c\n",
        help: "Write h if a person plays this side, c if the computer does, or quit\n",
    },
    Question {
        args: PLAY_PEGS,
        before: "c\n",
        sentence: "\"zzz\" is no computer; write a number from 1 to 4\n",
        help: "Write the number of one of the computers above, or its name, or quit\n",
    },
];

/// What is said to answers that are neither a choice nor a word for the
/// program itself.
#[test]
fn nonsense_is_answered_by_one_sentence() {
    for question in QUESTIONS {
        let mut input = question.before.as_bytes().to_vec();
        let before = run(question.args, &input);
        let before = before.strip_suffix(ENDED).unwrap();

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
        // What was typed is shown as it would be in a terminal, fit for one.
        assert_eq!(replies[0].0, "> zzz");
        assert_eq!(replies[6].0, "\\u{1b}[2J\\u{7}");
        assert_eq!(replies[7].0, "...");
        assert_eq!(replies[8].0, "...");
        assert_eq!(replies[9], ("quit", "Goodbye\n"));
        assert_eq!(format!("{}\n", replies[0].1), question.sentence);
        assert_eq!(replies[7].1, "That line is not text in UTF-8");
        assert_eq!(replies[8].1, "That line is longer than 4096 bytes");
        for (typed, sentence) in &replies[..9] {
            assert_eq!(sentence.lines().count(), 1, "{typed}: {sentence}");
            assert!(sentence.len() < 150, "{sentence}");
        }
    }
}

#[test]
fn help_is_given_and_the_question_stays() {
    for question in QUESTIONS {
        let before = run(question.args, question.before);
        let before = before.strip_suffix(ENDED).unwrap();
        let input = format!("{}help\n?\nHELP\nquit\n", question.before);
        let help = question.help;
        let expected = format!("{before}> help\n{help}> ?\n{help}> HELP\n{help}> quit\nGoodbye\n");
        assert_eq!(run(question.args, input), expected);
    }
}

#[test]
fn one_may_leave_at_every_question() {
    for question in QUESTIONS {
        for word in ["quit", "QUIT", "exit", "q", " quit "] {
            let input = format!("{}{word}\n", question.before);
            let output = run(question.args, input);
            assert!(
                output.ends_with(&format!("> {}\nGoodbye\n", word.trim()))
                // The menu puts a line below its own answers.
                || output.ends_with(&format!("> {}\n\nGoodbye\n", word.trim())),
                "{output}"
            );
        }
    }
}

const ENDED: &str = "> \nThe input has ended, and so does the game\n";

#[test]
fn the_end_of_the_input_is_the_end() {
    for question in QUESTIONS {
        let output = run(question.args, question.before);
        assert!(output.ends_with(ENDED), "{output}");
        // The last line need not be ended.
        let input = format!("{}quit", question.before);
        assert!(run(question.args, input).ends_with("Goodbye\n"));
        let input = format!("{}zz", question.before);
        assert!(run(question.args, input).ends_with(ENDED));
    }
}

#[test]
fn no_input_at_all() {
    for args in [&[][..], &["play"], PLAY_PEGS] {
        let mut command = command(args);
        command.stdin(std::process::Stdio::null());
        let ran = finish(command, "");
        assert_eq!((ran.status, &*ran.stderr), (Some(0), ""));
        assert!(ran.stdout.ends_with(ENDED), "{ran:?}");
    }
}

#[test]
fn moves_that_cannot_be_played() {
    let said = |args: &[&str], moves: &str| {
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
    let taken = "Impossible move b2: that place is already taken\n";
    assert_eq!(said(&people("ttt"), "b2\nB 2"), taken);
    assert_eq!(
        said(&people("pegs"), "A\nA\nA\na"),
        "Impossible move A: there is no room left\n"
    );
    assert_eq!(
        said(&people("pegs"), "I"),
        "\"I\" is not a move; write a peg from A to H\n"
    );
    assert_eq!(
        said(&people("connect4"), "8"),
        "\"8\" is not a move; write a column from 1 to 7\n"
    );
    assert_eq!(
        said(&people("mnk(m=4,n=2,k=2)"), "a3"),
        "\"a3\" is not a move; write a column from a to d and a row from 1 to 2, as in a1\n"
    );
    assert_eq!(
        said(&people("ttt"), "undo"),
        "There is no move of yours to take back\n"
    );
}
