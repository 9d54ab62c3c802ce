use std::fmt::Debug;

use open_ttt_lib::games::{ConnectFour, LineSet, Mnk, Morris, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    Described, FromName, Notation, Outcome, Parameter, ParseMoveError, Side, SpecError,
    TwoPlayerGame, play_text,
};
use open_ttt_lib::state_machine::{GameConflict, GameMachine, GameMove, StateMachine};

#[track_caller]
fn begin<G: FromName + Debug>(start: &G) -> GameMachine<G> {
    GameMachine::new(start.clone()).unwrap_or_else(|error| panic!("{error}"))
}

fn write<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("it can be written")
}

/// Plays random games on the machine and on the game itself, and on a replica
/// that is written and read again after every move.
#[track_caller]
fn check_games<G>(start: &G, games: u64)
where
    G: FromName + Notation + Debug + 'static,
{
    for seed in 0..games {
        let mut rng = Rng::new(seed);
        let mut game = start.clone();
        let mut machine = begin(start);
        let mut replica = machine.clone();
        let mut texts = Vec::new();
        while let Some(m) = rng.pick(game.moves()) {
            let transition = machine.transition(m);
            assert_eq!(transition.0, game.move_text(m));
            texts.push(transition.0.clone());
            let next = machine.apply(&transition);
            assert_eq!(machine.apply(&transition), next, "apply is deterministic");
            assert_eq!(machine.position(), &game, "apply leaves the state alone");
            let mut advanced = machine.clone();
            assert_eq!(advanced.advance(&transition), Ok(()));
            assert_eq!(Ok(&advanced), next.as_ref());
            machine = next.unwrap_or_else(|conflict| panic!("{m:?}: {conflict}"));
            game.play_unchecked(m);
            assert_eq!(machine.position(), &game);
            assert_eq!(machine.moves().last(), Some(&m));

            let sent = write(&transition);
            let received: GameMove = serde_json::from_str(&sent).expect("a move can be read");
            assert_eq!(received, transition);
            replica = replica
                .apply(&received)
                .unwrap_or_else(|conflict| panic!("{received:?}: {conflict}"));
            let json = write(&replica);
            assert_eq!(json, write(&machine));
            replica = serde_json::from_str(&json).expect("a state can be read");
            assert_eq!(replica, machine, "{json}");
        }
        assert_eq!(machine.moves().len(), texts.len());
        let moves: Vec<_> = texts.iter().map(write).collect();
        let name = start.name();
        let expected = format!(r#"{{"game":"{name}","moves":[{}]}}"#, moves.join(","));
        assert_eq!(write(&machine), expected);
        assert_eq!(machine.start(), start);
        assert!(
            machine.apply(&texts[0].as_str().into()).is_err(),
            "it is over"
        );
    }
}

#[test]
fn plays_tic_tac_toe() {
    check_games(&TicTacToe::new(), 100);
}

#[test]
fn plays_pegs() {
    check_games(&Pegs::new(), 50);
    check_games(&Pegs::with_lines(LineSet::ThirtyEight), 50);
}

#[test]
fn plays_connect_four() {
    check_games(&ConnectFour::new(), 50);
}

#[test]
fn plays_mnk() {
    for (m, n, k) in [(1, 1, 1), (1, 19, 3), (5, 4, 4), (15, 15, 5), (19, 19, 6)] {
        let start = Mnk::new(m, n, k).unwrap_or_else(|| panic!("{m},{n},{k} is a game"));
        check_games(&start, 4);
    }
}

#[track_caller]
fn check_conflict<G>(start: &G, moves: &str, text: &str, expected: GameConflict, json: &str)
where
    G: FromName + Notation + Debug + 'static,
{
    let mut position = start.clone();
    let mut machine = begin(start);
    for m in play_text(&mut position, moves).unwrap_or_else(|error| panic!("{error}")) {
        let transition = machine.transition(m);
        let next = machine.apply(&transition);
        machine = next.unwrap_or_else(|conflict| panic!("{m:?}: {conflict}"));
    }
    let before = machine.clone();
    assert_eq!(machine.apply(&text.into()), Err(expected), "{text:?}");
    assert_eq!(machine.advance(&text.into()), Err(expected));
    assert_eq!(machine, before, "a conflict leaves the state alone");
    assert_eq!(write(&expected), json);
    let read: GameConflict = serde_json::from_str(json).expect("a conflict can be read");
    assert_eq!(read, expected);
    let sentence = expected.to_string();
    assert!(!sentence.is_empty() && !sentence.ends_with('.'));
}

/// A rewound game is the one in which no more moves have been made.
#[track_caller]
fn check_rewound<G>(start: &G, seed: u64)
where
    G: FromName + Notation + Debug + 'static,
{
    let mut rng = Rng::new(seed);
    let mut states = vec![begin(start)];
    while let Some(last) = states.last().filter(|last| last.outcome().is_none())
        && let Some(m) = rng.pick(last.position().moves())
    {
        states.push(last.apply(&last.transition(m)).expect("a legal move"));
    }
    for state in &states {
        for (count, earlier) in states.iter().enumerate().take(state.moves().len() + 1) {
            assert_eq!(&state.rewound(count), earlier);
        }
        assert_eq!(&state.rewound(usize::MAX), state);
    }
}

#[test]
fn a_game_is_rewound() {
    for seed in 0..20 {
        check_rewound(&Morris::three(), seed);
        check_rewound(&TicTacToe::new(), seed);
    }
}

#[test]
fn conflicts_say_why() {
    use GameConflict::{Full, GameOver, NotAMove, Occupied};

    let ttt = TicTacToe::new();
    check_conflict(&ttt, "a1", "A 1", Occupied, r#""Occupied""#);
    check_conflict(&ttt, "a1 a2 b1 b2 c1", "c2", GameOver, r#""GameOver""#);
    check_conflict(&ConnectFour::new(), "444444", "4", Full, r#""Full""#);
    check_conflict(&Pegs::new(), "DDD", "d", Full, r#""Full""#);
    let long = "a".repeat(1 << 20);
    let padded = format!("a1{}", " ".repeat(GameMove::MAX_LENGTH));
    for nonsense in ["", " ", "d1", "a1 b1", "\u{0}", "-", &long, &padded] {
        check_conflict(&ttt, "", nonsense, NotAMove, r#""NotAMove""#);
        check_conflict(&ttt, "a1 a2 b1 b2 c1", nonsense, NotAMove, r#""NotAMove""#);
    }
}

#[test]
fn a_position_that_is_no_start_is_refused() {
    let mut game = ConnectFour::new();
    play_text(&mut game, "44").expect("the moves are legal");
    let error = GameMachine::new(game).expect_err("moves have been made");
    assert_eq!(
        error.to_string(),
        "the position is not the start of connect4"
    );
}

#[test]
fn a_game_is_begun_by_its_name() {
    let machine = GameMachine::<Pegs>::from_name(" PEGS( lines = 38 )").expect("a game");
    assert_eq!(machine, begin(&Pegs::with_lines(LineSet::ThirtyEight)));
    let error = GameMachine::<Pegs>::from_name("pegs(lines=35)").expect_err("no such lines");
    assert_eq!(error.to_string(), "pegs: lines must be 34 or 38, not 35");
}

#[test]
fn reading_forgives_what_the_notation_forgives() {
    let json = r#"{"moves":["a"," D "],"game":"Pegs( lines = 34 )"}"#;
    let machine: GameMachine<Pegs> = serde_json::from_str(json).expect("a state");
    assert_eq!(write(&machine), r#"{"game":"pegs","moves":["A","D"]}"#);
}

#[track_caller]
fn check_refused(json: &str, expected: &str) {
    let error = serde_json::from_str::<GameMachine<TicTacToe>>(json).expect_err("no state");
    let sentence = error.to_string();
    assert!(sentence.starts_with(expected), "{sentence}");
    assert!(sentence.len() < 300, "{sentence}");
    assert!(!sentence.contains(char::is_control), "{sentence:?}");
}

#[test]
fn states_that_moves_do_not_lead_to_are_refused() {
    check_refused(
        r#"{"game":"ttt","moves":["a1","a1"]}"#,
        "move 2, \"a1\": that place is already taken",
    );
    check_refused(
        r#"{"game":"ttt","moves":["a1","d1"]}"#,
        "move 2, \"d1\": that isn't a move of the game",
    );
    check_refused(
        r#"{"game":"ttt","moves":["a1","a2","b1","b2","c1","c2"]}"#,
        "move 6, \"c2\": the game is over",
    );
    check_refused(
        r#"{"game":"ttt","moves":["a1\u0000"]}"#,
        "move 1, \"a1\\0\": that isn't a move of the game",
    );
}

#[test]
fn other_games_are_refused() {
    check_refused(
        r#"{"game":"pegs","moves":[]}"#,
        "unknown game \"pegs\"; expected ttt",
    );
    check_refused(
        r#"{"game":"ttt(m=3)","moves":[]}"#,
        "ttt has no parameter \"m\"; it takes none",
    );
    let long = "t".repeat(1 << 20);
    check_refused(
        &format!(r#"{{"game":"{long}","moves":[]}}"#),
        "\"tttttttttttttttttttt...\" is not of the form",
    );
}

#[test]
fn what_is_no_state_is_refused() {
    for json in [
        "",
        "null",
        "[]",
        "{}",
        r#""ttt""#,
        r#"{"game":"ttt"}"#,
        r#"{"moves":[]}"#,
        r#"{"game":"ttt","moves":null}"#,
        r#"{"game":"ttt","moves":"a1"}"#,
        r#"{"game":"ttt","moves":{"0":"a1"}}"#,
        r#"{"game":"ttt","moves":[4]}"#,
        r#"{"game":"ttt","moves":[null]}"#,
        r#"{"game":"ttt","moves":[["a1"]]}"#,
        r#"{"game":null,"moves":[]}"#,
        r#"{"game":["ttt"],"moves":[]}"#,
        r#"{"game":"ttt","moves":[],"version":2}"#,
        r#"{"game":"ttt","moves":[],"moves":["a1"]}"#,
        r#"{"game":"ttt","game":"ttt","moves":[]}"#,
        r#"{"game":"ttt","moves":[]"#,
        r#"{"game":"ttt","moves":[]}x"#,
    ] {
        check_refused(json, "");
    }
    check_refused(&"[".repeat(1 << 20), "");
}

#[test]
fn lengths_are_bounded() {
    let longest = "x".repeat(GameMove::MAX_LENGTH);
    assert_eq!(
        serde_json::from_str::<GameMove>(&write(&longest)).ok(),
        Some(GameMove(longest.clone()))
    );
    check_refused(
        &format!(r#"{{"game":"ttt","moves":["{longest}x"]}}"#),
        "\"xxxxxxxxxxxxxxxxxxxx...\" is longer than 64 bytes",
    );
    let moves = vec!["\"a1\""; 1_000_000].join(",");
    check_refused(
        &format!(r#"{{"game":"ttt","moves":[{moves}]}}"#),
        "invalid length 10001, expected a list of at most 10000 moves",
    );
}

/// A game of waiting, which ends after so many moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Waiting {
    left: u32,
    length: u32,
}

impl TwoPlayerGame for Waiting {
    type Move = ();
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.length - self.left)
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.left == 0).then_some(Outcome::Draw)
    }

    fn moves(&self) -> impl Iterator<Item = ()> {
        (self.left > 0).then_some(()).into_iter()
    }

    fn play_unchecked(&mut self, (): ()) {
        self.left -= 1;
    }
}

impl Notation for Waiting {
    /// The text of a move depends on where it is played.
    fn move_text(&self, (): ()) -> String {
        format!("w{}", self.left)
    }

    fn parse_move(&self, text: &str) -> Result<(), ParseMoveError> {
        if text.eq_ignore_ascii_case(&self.move_text(())) {
            Ok(())
        } else {
            Err(ParseMoveError::new(text, self.move_text(())))
        }
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["One", "Two"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Wait"
    }
}

impl Described for Waiting {
    const KEY: &'static str = "waiting";
    const TITLE: &'static str = "Waiting";
    const RULES: &'static str = "Wait.";
    const PARAMETERS: &'static [Parameter] = &[Parameter {
        name: "length",
        meaning: "how many moves there are",
        allowed: open_ttt_lib::rules::AllowedValues::Range(1..=20_000),
        default: 3,
    }];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        let length = values.first().copied().unwrap_or_default();
        Ok(Self {
            left: length,
            length,
        })
    }

    fn parameters(&self) -> Vec<u32> {
        vec![self.length]
    }
}

#[test]
fn moves_are_written_where_they_are_played() {
    let start = Waiting { left: 3, length: 3 };
    check_games(&start, 1);
    let machine = begin(&start);
    let machine = machine.apply(&"w3".into()).expect("the first move");
    let machine = machine.apply(&"w2".into()).expect("the second move");
    assert_eq!(write(&machine), r#"{"game":"waiting","moves":["w3","w2"]}"#);
}

#[test]
fn a_game_without_end_stops_where_it_can_still_be_read() {
    let longest = GameMachine::<Waiting>::MAX_MOVES;
    let state = |length: usize| {
        let moves: Vec<_> = (0..longest)
            .map(|n| format!("\"w{}\"", length - n))
            .collect();
        let moves = moves.join(",");
        format!(r#"{{"game":"waiting(length={length})","moves":[{moves}]}}"#)
    };
    let full: GameMachine<Waiting> = serde_json::from_str(&state(20_000)).expect("a state");
    assert_eq!(full.moves().len(), longest);
    assert_eq!(
        full.apply(&full.transition(())),
        Err(GameConflict::TooManyMoves)
    );
    assert_eq!(write(&full), state(20_000));
    let ended: GameMachine<Waiting> = serde_json::from_str(&state(longest)).expect("a state");
    assert_eq!(ended.apply(&"w0".into()), Err(GameConflict::GameOver));
}
