//! A game so far, and the rule about repetition.

use core::cell::Cell;
use core::hash::{Hash, Hasher};

use open_ttt_lib::games::{ConnectFour, Morris};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    History, IllegalMove, Notation, Outcome, ParseMoveError, PlayTextErrorKind, Reason, Repetition,
    Side, TwoPlayerGame, play_text,
};

/// Two sides push a token along a ring of five places. Moving it to place 3 wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ring {
    place: u8,
    to_move: Side,
    rule: Repetition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Push {
    Left,
    Right,
}

/// Equal for all positions: they are the same only if they are equal, too.
impl Hash for Ring {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Ring {
    fn new(rule: Repetition) -> Self {
        Self {
            place: 0,
            to_move: Side::First,
            rule,
        }
    }
}

impl TwoPlayerGame for Ring {
    type Move = Push;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.place == 3).then_some(Outcome::Win(!self.to_move))
    }

    fn moves(&self) -> impl Iterator<Item = Push> {
        let over = self.outcome().is_some();
        [Push::Left, Push::Right].into_iter().filter(move |_| !over)
    }

    fn play_unchecked(&mut self, push: Push) {
        let step = match push {
            Push::Left => 4,
            Push::Right => 1,
        };
        self.place = (self.place + step) % 5;
        self.to_move = !self.to_move;
    }

    fn repetition(&self) -> Option<Repetition> {
        Some(self.rule)
    }
}

impl Notation for Ring {
    fn move_text(&self, push: Push) -> String {
        match push {
            Push::Left => "l".to_owned(),
            Push::Right => "r".to_owned(),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Push, ParseMoveError> {
        match text {
            "l" => Ok(Push::Left),
            "r" => Ok(Push::Right),
            _ => Err(ParseMoveError::new(text, "l or r")),
        }
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["One", "Two"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Push"
    }
}

/// After these moves the game has this outcome, and had none before.
#[track_caller]
fn check(rule: Repetition, moves: &str, outcome: Outcome) {
    let mut game = History::new(Ring::new(rule));
    game.play_text(&moves[..moves.len() - 1]).unwrap();
    assert_eq!(game.outcome(), None);
    game.play_text(&moves[moves.len() - 1..]).unwrap();
    assert_eq!(game.outcome(), Some(outcome));
    assert_eq!(game.moves().len(), moves.len());
    // The rule forbids what the position alone allows.
    if game.position().outcome().is_none() {
        assert!(game.position().check(Push::Left).is_ok());
    }
    let error = IllegalMove::new(Push::Left, Reason::GameOver);
    let before = game.clone();
    assert_eq!(game.play(Push::Left), Err(error));
    assert_eq!(game, before);
    assert!(game.undo().is_some());
    assert_eq!(game.outcome(), None);
    game.play_text(&moves[moves.len() - 1..]).unwrap();
    assert_eq!(game, before);
}

#[test]
fn a_repetition_ends_the_game_as_its_rule_says() {
    let draw = |occurrences| Repetition::Draw { occurrences };
    // With the other side to move it is another position.
    check(draw(2), "rl", Outcome::Draw);
    check(draw(3), "rlrl", Outcome::Draw);
    check(draw(4), "rlrlrl", Outcome::Draw);
    // The third occurrence of a later position comes first.
    check(draw(3), "rrlrl", Outcome::Draw);
    check(Repetition::MoverLoses, "rl", Outcome::Win(Side::First));
    check(Repetition::MoverLoses, "rrl", Outcome::Win(Side::Second));
    check(Repetition::MoverLoses, "lr", Outcome::Win(Side::First));
    // The rules of the position come before those of its history.
    check(draw(2), "rrr", Outcome::Win(Side::First));
    check(draw(2), "ll", Outcome::Win(Side::Second));
}

#[test]
fn lists_of_moves_know_the_rule() {
    let rule = Repetition::Draw { occurrences: 2 };
    let error = play_text(&mut Ring::new(rule), "r l r").unwrap_err();
    assert_eq!(error.number, 3);
    assert_eq!(error.kind, PlayTextErrorKind::Illegal(Reason::GameOver));
    let mut game = History::new(Ring::new(rule));
    game.play_text("r").unwrap();
    // The number counts the moves of the list.
    assert_eq!(game.play_text("lr").unwrap_err().number, 2);
    assert_eq!(game.move_texts(), ["r", "l"]);
}

#[test]
fn the_position_before_the_last_move_is_kept() {
    let mut game = History::new(ConnectFour::new());
    assert_eq!(game.before(), None);
    for (played, m) in ["4", "4", "3"].into_iter().enumerate() {
        let before = *game.position();
        game.play_text(m).unwrap();
        assert_eq!(game.before(), Some(&before));
        assert_eq!(game.moves().len(), played + 1);
    }
}

#[test]
fn other_games_keep_no_positions() {
    let mut game = History::new(ConnectFour::new());
    game.play_text("4453").unwrap();
    assert!(game.earlier().is_empty());
    assert_eq!(game.moves().len(), 4);
    let mut other = ConnectFour::new();
    play_text(&mut other, "445").unwrap();
    game.undo();
    assert_eq!(game.position(), &other);
    assert_eq!(game.move_texts(), ["4", "4", "5"]);
    let mut ring = History::new(Ring::new(Repetition::MoverLoses));
    ring.play_text("rr").unwrap();
    assert_eq!(ring.earlier().len(), 2);
}

/// A playout ends although nothing in the position does.
#[test]
fn an_endless_playout_is_a_draw() {
    // Always to the left and back.
    let mut draws = [0, u64::MAX].into_iter().cycle();
    let start = Ring::new(Repetition::MoverLoses);
    assert_eq!(start.play_out(&mut || draws.next().unwrap()), Outcome::Draw);
}

/// A playout of a thousand moves ends as the game does; a longer one is a draw.
#[test]
fn where_positions_come_back_a_playout_still_counts() {
    let start = Ring::new(Repetition::MoverLoses);
    for (moves, outcome) in [
        (2, Outcome::Win(Side::Second)),
        (1_000, Outcome::Win(Side::Second)),
        (1_002, Outcome::Draw),
    ] {
        // To the left and back, and at last twice to the left.
        let back_and_forth = [0, u64::MAX].into_iter().cycle().take(moves - 2);
        let mut draws = back_and_forth.chain([0, 0]);
        assert_eq!(start.play_out(&mut || draws.next().unwrap()), outcome);
    }
}

/// The outcome after these moves, by comparing the position with all before it.
fn naive_outcome<G: TwoPlayerGame>(start: &G, moves: &[G::Move]) -> Option<Outcome> {
    let mut positions = vec![start.clone()];
    for &m in moves {
        positions.push(positions[positions.len() - 1].after(m));
    }
    let last = positions.pop()?;
    let by_repetition = || {
        let before = positions.last()?;
        let equal = positions.iter().filter(|&one| *one == last).count();
        before
            .repetition()?
            .outcome(1 + equal as u32, before.to_move())
    };
    last.outcome().or_else(by_repetition)
}

/// Random play with take-backs, which also goes on where the rule about repetition ends
/// the game: the history is that of its moves.
#[track_caller]
fn check_take_backs<G: TwoPlayerGame + core::fmt::Debug>(start: &G, seed: u64) -> usize {
    let mut rng = Rng::new(seed);
    let mut game = History::new(start.clone());
    let mut repetitions = 0;
    for _ in 0..400 {
        let legal: Vec<_> = game.position().moves().collect();
        match rng.pick(legal).filter(|_| rng.below(6) > 0) {
            Some(m) if game.outcome().is_none() => game.play(m).unwrap(),
            Some(m) => game.play_unchecked(m),
            None => {
                for _ in 0..=rng.below(4) {
                    let last = game.moves().last().copied();
                    assert_eq!(game.undo(), last);
                }
            }
        }
        let outcome = naive_outcome(start, game.moves());
        assert_eq!(game.outcome(), outcome, "{:?}", game.moves());
        repetitions += usize::from(outcome.is_some() && game.position().outcome().is_none());
        let mut replayed = History::new(start.clone());
        for &m in game.moves() {
            replayed.play_unchecked(m);
        }
        assert_eq!(game, replayed);
        assert_eq!(game.earlier().last(), game.before());
    }
    repetitions
}

#[test]
fn repetitions_are_found_as_by_comparing_all_positions() {
    let repetitions = |seed| check_take_backs(&Morris::three(), seed);
    let found: usize = (0..30).map(repetitions).sum();
    assert!(found > 50, "{found}");
    for rule in [
        Repetition::MoverLoses,
        Repetition::Draw { occurrences: 2 },
        Repetition::Draw { occurrences: 5 },
    ] {
        assert!(check_take_backs(&Ring::new(rule), 7) > 50);
    }
}

thread_local! {
    /// How many positions of a [`Walk`] have been compared, and how many moves made.
    static COMPARED: Cell<usize> = const { Cell::new(0) };
    static MOVED: Cell<usize> = const { Cell::new(0) };
}

fn count(counter: &'static std::thread::LocalKey<Cell<usize>>) {
    counter.set(counter.get() + 1);
}

/// A token that goes up and down an endless scale.
#[expect(clippy::derived_hash_with_manual_eq, reason = "it only counts")]
#[derive(Clone, Debug, Eq, Hash)]
struct Walk {
    place: u32,
}

impl PartialEq for Walk {
    fn eq(&self, other: &Self) -> bool {
        count(&COMPARED);
        self.place == other.place
    }
}

impl TwoPlayerGame for Walk {
    type Move = Push;

    fn to_move(&self) -> Side {
        Side::First
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn moves(&self) -> impl Iterator<Item = Push> {
        [Push::Left, Push::Right].into_iter()
    }

    fn play_unchecked(&mut self, push: Push) {
        count(&MOVED);
        match push {
            Push::Left => self.place -= 1,
            Push::Right => self.place += 1,
        }
    }

    fn repetition(&self) -> Option<Repetition> {
        Some(Repetition::Draw { occurrences: 5 })
    }
}

/// Neither with all positions before it, nor by playing the game again.
#[test]
fn a_move_of_a_long_game_is_compared_with_few_positions() {
    let mut game = History::new(Walk { place: 0 });
    let mut moves = 0;
    let mut play = |game: &mut History<Walk>, push| {
        game.play(push).unwrap();
        moves += 1;
    };
    // Three steps ahead for each one back: no position occurs five times.
    while game.moves().len() < 10_000 {
        for push in [Push::Right, Push::Right, Push::Left, Push::Right] {
            play(&mut game, push);
        }
        assert_eq!(game.undo(), Some(Push::Right));
        play(&mut game, Push::Right);
        assert_eq!(game.outcome(), None);
    }
    let compared = COMPARED.get();
    assert!(compared < 2 * moves, "{compared} for {moves} moves");
    assert_eq!(MOVED.get(), moves);
    for _ in 0..10_000 {
        game.undo();
    }
    assert_eq!((game.moves().len(), game.position().place), (0, 0));
    let compared = COMPARED.get();
    assert!(compared < 4 * moves, "{compared} for {moves} moves");
    assert_eq!(MOVED.get(), moves);
}
