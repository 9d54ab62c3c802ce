//! A game of one's own with nothing but rules, notation, drawing and a name. Its moves
//! are numbered anew in each position, and its positions come back.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use open_ttt_catalog::{Catalog, CatalogGame, PlayerSpec};
use open_ttt_coach::GameValue;
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    BoardCell, Choice, Described, Drawing, Encode, IndexedMoves, Layout, Named, Notation, Outcome,
    ParseMoveError, Picture, Piece, Place, PlayTextErrorKind, Reason, Repetition, Side, SpecError,
    TwoPlayerGame, play_text,
};
use open_ttt_nn::Network;
use open_ttt_players::play_game;
use open_ttt_search::{Budget, Clock, StopFlag};

/// A counter steps down from 9 by one or two; who reaches 0 wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Countdown {
    number: u8,
    to_move: Side,
}

const START: u8 = 9;

impl TwoPlayerGame for Countdown {
    /// The number to step to.
    type Move = u8;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.number == 0).then_some(Outcome::Win(!self.to_move))
    }

    fn moves(&self) -> impl Iterator<Item = u8> {
        self.number.saturating_sub(2)..self.number
    }

    fn play_unchecked(&mut self, number: u8) {
        self.number = number;
        self.to_move = !self.to_move;
    }

    // No position of this game comes back, but a program must see what it says.
    fn repetition(&self) -> Option<Repetition> {
        Some(Repetition::Draw { occurrences: 3 })
    }
}

impl IndexedMoves for Countdown {
    fn move_count(&self) -> usize {
        2
    }

    fn move_index(&self, number: u8) -> usize {
        usize::from(number + 2 + START - self.number) % 2
    }

    fn indexed_move(&self, index: usize) -> Option<u8> {
        self.moves()
            .find(|&number| self.move_index(number) == index)
    }
}

impl Notation for Countdown {
    fn move_text(&self, number: u8) -> String {
        number.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<u8, ParseMoveError> {
        let number = text.trim().parse().ok().filter(|number| *number < START);
        number.ok_or_else(|| ParseMoveError::new(text, "a number from 0 to 8"))
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["X", "O"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Number"
    }
}

impl Drawing for Countdown {
    fn picture(&self) -> Picture<u8> {
        let cells = (0..=START).map(|x| BoardCell {
            piece: (x == self.number).then_some(Piece::neutral("*")),
            ..BoardCell::at(Place::flat(x, 0))
        });
        let choices = self.moves().map(|x| Choice::path(x, [Place::flat(x, 0)]));
        Picture {
            cells: cells.collect(),
            choices: choices.collect(),
            ..Picture::new(Layout::grid(START + 1, 1))
        }
    }
}

impl Described for Countdown {
    const KEY: &'static str = "countdown";
    const TITLE: &'static str = "Countdown";
    const RULES: &'static str = "Step down by one or two. Who reaches 0 wins.";

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self {
            number: START,
            to_move: Side::First,
        })
    }
}

impl CatalogGame for Countdown {}

fn catalog() -> Catalog {
    Catalog::bundled().with::<Countdown>()
}

#[test]
fn a_catalog_is_a_value_that_grows() {
    let [bundled, grown] = [Catalog::bundled(), catalog()];
    assert_eq!(grown.games().len(), bundled.games().len() + 1);
    assert_eq!(grown.keys().last(), Some("countdown"));
    assert_eq!(grown.game("Countdown").unwrap().name(), "countdown");
    assert!(bundled.game("countdown").is_err(), "the other is as before");
    assert!(Catalog::empty().game("ttt").is_err());
}

#[test]
fn a_game_with_the_key_of_another_takes_its_place() {
    let catalog = Catalog::empty()
        .with::<TicTacToe>()
        .with::<Countdown>()
        .with::<TicTacToe>();
    assert_eq!(catalog.keys().collect::<Vec<_>>(), ["ttt", "countdown"]);
}

#[test]
fn an_illegal_move_is_not_taken_for_another() {
    let mut game = catalog().game("countdown").unwrap();
    for (text, allowed) in [("8", true), ("7", true), ("6", false), ("0", false)] {
        let m = game.parse_move(text).unwrap();
        let checked = game.check(m).map_err(|illegal| illegal.reason);
        let expected = if allowed {
            Ok(())
        } else {
            Err(Reason::Forbidden)
        };
        assert_eq!(checked, expected, "{text}");
    }
    let error = play_text(&mut game, "7 4").unwrap_err();
    assert_eq!(
        (error.number, error.kind),
        (2, PlayTextErrorKind::Illegal(Reason::Forbidden))
    );
    play_text(&mut game, "5 3 1 0").unwrap();
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)));
    let late = game.parse_move("8").unwrap();
    assert_eq!(game.check(late).unwrap_err().reason, Reason::GameOver);
}

#[test]
fn a_line_of_play_is_in_the_numbers_of_its_positions() {
    let mut game = catalog().game("countdown").unwrap();
    // A multiple of three loses: 8 leaves 7 or 6.
    play_text(&mut game, "8").unwrap();
    let analysis = game.analyze(NonZero::<usize>::MIN, &Budget::UNLIMITED, &StopFlag::new());
    assert_eq!(
        (analysis.value.result, analysis.exact),
        (GameValue::Win, true)
    );
    let mut texts = Vec::new();
    for m in analysis.principal_variation {
        texts.push(game.move_text(m));
        game.play(m).unwrap();
    }
    assert_eq!(texts[0], "6");
    assert_eq!(texts.last().map(String::as_str), Some("0"));
}

#[test]
fn its_rule_about_repetition_is_seen() {
    let game = catalog().game("countdown").unwrap();
    let rule = Repetition::Draw { occurrences: 3 };
    assert_eq!(game.repetition(), Some(rule));
    assert_eq!(Catalog::bundled().game("ttt").unwrap().repetition(), None);
}

#[test]
fn a_network_sees_what_is_drawn() {
    let mut game = catalog().game("countdown").unwrap();
    let encoding = game.encoding();
    assert_eq!(
        (encoding.rows, encoding.columns, encoding.moves),
        (1, 10, 2)
    );
    let mut seen = Vec::new();
    while game.outcome().is_none() {
        let mut planes = vec![f32::NAN; encoding.inputs()];
        game.encode(&mut planes);
        assert!(planes.iter().all(|value| (-1.0..=1.0).contains(value)));
        assert!(!seen.contains(&planes), "positions look different");
        seen.push(planes);
        let m = game.moves().last().unwrap();
        game.play(m).unwrap();
        assert_eq!(game.encoding(), encoding);
    }
    assert_eq!(seen.len(), usize::from(START));
    // The counter is of neither side, on the last of ten cells.
    let neutral = &seen[0][20..30];
    assert_eq!(neutral, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn every_computer_plays_it() {
    let game = catalog().game("countdown").unwrap();
    let clock = Clock::new(|| Duration::ZERO);
    let network = Network::new(&game, "perceptron(hidden=4)".parse().unwrap(), 1).unwrap();
    let network = Arc::new(network);
    let mut rng = Rng::new(1);
    for name in [
        "perfect",
        "negamax(depth=3)",
        "mcts(iterations=40)",
        "random",
        "net:x(simulations=8)",
    ] {
        let spec: PlayerSpec = name.parse().unwrap();
        let players = game
            .players(&spec.with_network(Arc::clone(&network)), clock)
            .unwrap();
        let mut player = players(rng.next_u64());
        let mut other = game
            .player(&"random(seed=2)".parse().unwrap(), clock)
            .unwrap();
        let record = play_game(&game, &mut player, &mut other);
        assert!(
            record.position.outcome().is_some(),
            "{name}: {:?}",
            record.end
        );
    }
}

#[test]
fn a_network_player_resigns_another_game() {
    use open_ttt_players::{Decision, Turn};

    let game = catalog().game("countdown").unwrap();
    let network = Network::new(&game, "perceptron(hidden=4)".parse().unwrap(), 1).unwrap();
    let spec: PlayerSpec = "net:x".parse().unwrap();
    let clock = Clock::new(|| Duration::ZERO);
    let mut player = game
        .player(&spec.with_network(Arc::new(network)), clock)
        .unwrap();
    let other = catalog().game("ttt").unwrap();
    assert_eq!(player.take_turn(&Turn::new(&other)), Decision::Resign);
    assert_ne!(player.take_turn(&Turn::new(&game)), Decision::Resign);
}
