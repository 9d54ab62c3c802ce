use std::path::Path;
use std::{env, fs};

use open_ttt_catalog::Catalog;
use open_ttt_lib::rules::{Color, Drawing, Layout, Notation, Picture};
use ratatui::layout::Size;
use ratatui::style::Color as Ink;

use super::super::board::{Board, Highlights};
use super::super::move_input::Cursor;
use super::super::theme::Theme;
use super::{DARK, LIGHT, PLAIN, drawn, game, people, text};
use crate::App;
use crate::contrast::contrast;

const SIZES: [[u16; 2]; 3] = [[80, 24], [40, 15], [120, 40]];

/// Compares the screens of a game after moves and what a person does then, in all sizes and with
/// and without Unicode, with a file. With the environment variable `UPDATE_SCREENS` it writes the
/// file instead, which is then to be read.
#[track_caller]
pub(super) fn check_file<G>(
    name: &str,
    app: &App<G>,
    moves: &str,
    act: impl Fn(&mut super::MatchState<'_, G>),
) where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    let mut screens = String::new();
    let all = SIZES.map(|size| (size, DARK)).into_iter();
    for (size, theme) in all.chain([([80, 24], PLAIN)]) {
        let mut state = people(app, moves, theme);
        act(&mut state);
        let buffer = drawn(&mut state, size);
        screens += &text(&buffer);
        screens += &"=".repeat(size[0].into());
        screens.push('\n');
        check_theme(&mut state, theme, size);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/screen/tests/screens");
    let path = folder.join(name).with_extension("txt");
    if env::var_os("UPDATE_SCREENS").is_some() {
        fs::create_dir_all(&folder).expect("the folder can be written");
        fs::write(&path, &screens).expect("the file can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        screens == expected,
        "{name}:\n{screens}-- is not --\n{expected}"
    );
}

/// Without colours no cell has one, and without Unicode each is ASCII.
#[track_caller]
fn check_theme<G>(state: &mut super::MatchState<'_, G>, theme: Theme, size: [u16; 2])
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    let buffer = drawn(state, size);
    let has_color = buffer
        .content
        .iter()
        .any(|cell| (cell.fg, cell.bg) != (Ink::Reset, Ink::Reset));
    assert_eq!(has_color, theme != PLAIN);
    if theme == PLAIN {
        assert!(text(&buffer).is_ascii());
    }
}

#[test]
fn every_game_in_every_size() {
    let games = [
        ("tic_tac_toe", "ttt", "b2 a1 c1 a3"),
        ("pegs", "pegs", "A B A D D C E H E"),
        ("connect_four", "connect4", "4 4 3 5 2 1"),
        ("mnk", "mnk(m=15,n=15,k=5)", "h8 i9 o15 a1"),
        ("qubic", "qubic", "2b2 3c3 1a1"),
        ("ultimate", "ultimate", "e5 e6"),
        ("reversi", "reversi", "d3 c3"),
        ("dots", "dots", "a1-b1 a1-a2 b1-b2 a2-b2"),
        ("hex", "hex", "f6 e7 k11"),
        ("lines", "lines", ""),
        ("quarto", "quarto", "dtrf"),
        ("draughts", "draughts", "11-15 22-18"),
        ("morris", "morris", "d2 f4 g7"),
    ];
    let keys = games.map(|(_, name, _)| name.split('(').next());
    for key in Catalog::bundled().keys() {
        assert!(keys.contains(&Some(key)), "{key} isn't drawn");
    }
    for (file, name, moves) in games {
        check_file(file, &App::new(game(name)), moves, |_| ());
    }
}

/// A screen of any size shows the place with the cursor, if it has room for a board at all.
#[track_caller]
fn check_sizes(name: &str) {
    let app = App::new(game(name));
    for size in [
        [1, 1],
        [2, 3],
        [5, 4],
        [10, 4],
        [13, 9],
        [39, 14],
        [300, 99],
    ] {
        let mut state = people(&app, "", DARK);
        drawn(&mut state, size);
        let Cursor::Place(Some(cursor)) = state.input.cursor else {
            panic!("the cursor is on the board");
        };
        let is_visible = state.input.places.iter().any(|&(place, _)| place == cursor);
        assert_eq!(is_visible, size[1] > 3, "{name} {size:?}");
    }
}

#[test]
fn the_cursor_is_visible_in_every_size() {
    for name in [
        "ttt",
        "pegs",
        "mnk(m=19,n=19,k=5)",
        "qubic",
        "ultimate",
        "dots",
        "hex",
        "quarto",
        "draughts",
        "morris",
    ] {
        check_sizes(name);
    }
}

#[test]
fn an_empty_layout_is_an_empty_board() {
    let places = || Vec::<String>::new();
    for layout in [
        Layout::grid(0, 0),
        Layout::hexagons(0, 3, None),
        Layout::points(2, 0, Vec::new()),
        Layout::Dots {
            columns: places(),
            rows: places(),
        },
        Layout::Layers {
            layers: places(),
            columns: places(),
            rows: places(),
        },
        Layout::Stacks {
            stacks: Vec::new(),
            height: 3,
        },
    ] {
        let picture: Picture<u8> = Picture::new(layout);
        let board = Board::draw(&picture, &Highlights::default(), DARK, Size::new(80, 24));
        assert_eq!((board.width(), board.height()), (1, 1));
        assert!(board.places.is_empty());
    }
}

/// The relative luminance of an indexed colour.
fn luminance(ink: Ink) -> f64 {
    let Ink::Indexed(index) = ink else {
        panic!("{ink:?} has no value of its own");
    };
    crate::contrast::luminance(index)
}

const COLORS: [Color; 12] = [
    Color::Red,
    Color::Orange,
    Color::Yellow,
    Color::Green,
    Color::Teal,
    Color::Blue,
    Color::Purple,
    Color::Pink,
    Color::Brown,
    Color::Gray,
    Color::Black,
    Color::White,
];

#[test]
fn text_is_legible_in_both_themes() {
    for (theme, ground) in [(DARK, 0.0), (LIGHT, 1.0)] {
        for color in COLORS {
            let ink = theme.text(color).fg.expect("a colour");
            let ratio = contrast(luminance(ink), ground);
            assert!(ratio >= 3.0, "{color:?} on {ground}: {ratio:.2}");
            for on_felt in [false, true] {
                let [surface, mark] = theme.surface(color, on_felt).map(luminance);
                let ratio = contrast(surface, mark);
                assert!(ratio >= 4.0, "a mark on {color:?}: {ratio:.2}");
            }
        }
        for style in [theme.cursor(), theme.chosen(), theme.line(), theme.hint()] {
            let [ink, ground] = [style.fg, style.bg].map(|it| luminance(it.expect("a colour")));
            assert!(contrast(ink, ground) >= 4.0, "{style:?}");
        }
    }
}

#[test]
fn black_and_white_are_what_they_are_called() {
    // On the felt under both of them.
    let sides = [Color::Black, Color::White];
    for theme in [DARK, LIGHT] {
        let felt = luminance(theme.ground(sides).bg.expect("a ground"));
        let [black, white] = sides.map(|side| luminance(theme.surface(side, true)[0]));
        assert!(black <= 0.0 && white >= 0.99);
        assert!(contrast(black, felt) >= 4.0 && contrast(white, felt) >= 4.0);
    }
    assert_eq!(DARK.ground([Color::Red, Color::White]).bg, None);
}
