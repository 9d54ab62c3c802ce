//! The tree of a small end of tic-tac-toe, and which part of it a search visits.

use std::collections::HashMap;

use open_ttt_lib::games::{Cell, TicTacToe};
use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, play_text};
use open_ttt_search::{Grade, Score, WinLoss, alpha_beta as search, negamax};

use super::svg::{Anchor, Svg, ink};
use super::watched::Watched;

/// The moves to the position at the top: O to move, with four free cells.
const MOVES: &str = "c3 b3 a3 c1 b2";

/// The size of a cell, and of what is below a board, in pixels.
const CELL: f64 = 9.0;
const BOARD: f64 = 3.0 * CELL;
const COLUMN: f64 = BOARD + 15.0;
const ROW: f64 = 92.0;
const TOP: f64 = 44.0;

/// A position of the tree.
struct Node {
    game: TicTacToe,
    path: Vec<Cell>,
    /// The middle of its board.
    x: f64,
    children: Vec<Node>,
}

impl Node {
    /// The tree below a position; `leaves` counts those so far.
    fn new(game: TicTacToe, path: Vec<Cell>, leaves: &mut u32) -> Self {
        let children: Vec<Self> = game
            .moves()
            .map(|m| {
                let path = path.iter().copied().chain([m]).collect();
                Self::new(game.after(m), path, leaves)
            })
            .collect();
        let x = if let [first, .., last] = &*children {
            f64::midpoint(first.x, last.x)
        } else if let [only] = &*children {
            only.x
        } else {
            *leaves += 1;
            f64::from(*leaves) * COLUMN - COLUMN / 2.0 + 10.0
        };
        Self {
            game,
            path,
            x,
            children,
        }
    }

    fn y(&self) -> f64 {
        TOP + ROW * self.path.len() as f64
    }

    fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }
}

/// Every position of the tree with its value.
pub(crate) fn minimax() -> String {
    draw(
        "A game that is nearly over: every position, with its value",
        |game| {
            let _ = negamax(game, 9, &WinLoss);
        },
    )
}

/// The positions that alpha-beta visits; the others are pale.
pub(crate) fn alpha_beta() -> String {
    draw(
        "The same game: what alpha-beta visits for the same value",
        |game| {
            let _ = search(game, 9, &WinLoss);
        },
    )
}

fn draw(title: &str, search: impl FnOnce(&Watched<TicTacToe>)) -> String {
    let mut game = TicTacToe::new();
    play_text(&mut game, MOVES).expect("a legal game");
    let watched = Watched::new(game);
    search(&watched);
    let visits = watched.visits().into_iter();
    let order: HashMap<Vec<Cell>, usize> = visits.zip(1..).collect();
    let mut leaves = 0;
    let tree = Node::new(game, Vec::new(), &mut leaves);
    let width = f64::from(leaves) * COLUMN + 20.0;
    let mut svg = Svg::new(width as u32, (TOP + ROW * 4.0 + 64.0) as u32);
    let all = tree.count();
    let heading = format!(
        "{title} ({} of {all} positions, by number)",
        order.len() + 1
    );
    svg.text((12.0, 22.0), Anchor::Start, 14, ink::TEXT, &heading);
    draw_node(&mut svg, &tree, &order);
    svg.finish(&heading)
}

fn draw_node(svg: &mut Svg, node: &Node, order: &HashMap<Vec<Cell>, usize>) {
    let is_visited = |node: &Node| node.path.is_empty() || order.contains_key(&node.path);
    for child in &node.children {
        let color = if is_visited(child) {
            ink::QUIET
        } else {
            ink::PALE
        };
        let (from, to) = (
            (node.x, node.y() + BOARD + 16.0),
            (child.x, child.y() - 2.0),
        );
        svg.line(from, to, color, 1.2);
        draw_node(svg, child, order);
    }
    let left = node.x - BOARD / 2.0;
    draw_board(svg, &node.game, (left, node.y()), is_visited(node));
    let below = node.y() + BOARD + 12.0;
    if is_visited(node) {
        let (text, color) = value(&node.game);
        svg.text((left + 4.0, below), Anchor::Middle, 11, color, text);
    }
    if let Some(number) = order.get(&node.path) {
        let right = left + BOARD;
        svg.text((right, below), Anchor::End, 9, ink::QUIET, number);
    }
}

/// What a position is worth with best play, as both sides see it.
fn value(game: &TicTacToe) -> (&'static str, &'static str) {
    let score = negamax(game, 9, &WinLoss);
    let winner = match (score.grade(), game.to_move()) {
        _ if score == Score::DRAW => None,
        (Grade::Win, side) => Some(side),
        (_, side) => Some(!side),
    };
    match winner {
        Some(Side::First) => ("X", ink::FIRST),
        Some(Side::Second) => ("O", ink::SECOND),
        None => ("=", ink::DRAW),
    }
}

fn draw_board(svg: &mut Svg, game: &TicTacToe, at: (f64, f64), is_visited: bool) {
    let edge = match (is_visited, game.outcome()) {
        (false, _) => ink::PALE,
        (true, Some(Outcome::Win(Side::First))) => ink::FIRST,
        (true, Some(Outcome::Win(Side::Second))) => ink::SECOND,
        (true, _) => ink::QUIET,
    };
    svg.rectangle(at, (BOARD, BOARD), "white", edge);
    for step in [1.0, 2.0] {
        let (x, y) = (at.0 + step * CELL, at.1 + step * CELL);
        svg.line((x, at.1), (x, at.1 + BOARD), ink::PALE, 0.8);
        svg.line((at.0, y), (at.0 + BOARD, y), ink::PALE, 0.8);
    }
    for (column, row) in (0..3).flat_map(|row| (0..3).map(move |column| (column, row))) {
        let cell = Cell::new(column, row).expect("on the board");
        let x = at.0 + (f64::from(column) + 0.5) * CELL;
        let y = at.1 + (2.5 - f64::from(row)) * CELL;
        let color = |color| if is_visited { color } else { ink::PALE };
        match game.owner(cell) {
            Some(Side::First) => {
                let (arm, color) = (2.6, color(ink::FIRST));
                svg.line((x - arm, y - arm), (x + arm, y + arm), color, 1.6);
                svg.line((x - arm, y + arm), (x + arm, y - arm), color, 1.6);
            }
            Some(Side::Second) => svg.circle((x, y), 2.7, "none", color(ink::SECOND)),
            None => {}
        }
    }
}
