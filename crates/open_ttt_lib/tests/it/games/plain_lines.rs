//! A naive board for lines of every kind.

use std::collections::{BTreeSet, HashMap};

use open_ttt_lib::games::{LinesOptions, Marks};
use open_ttt_lib::rules::{Outcome, Side};

use super::plain::{Plain, PlainMoves};

pub(super) type Cell = [i32; 4];

/// Letters in a map from coordinates, with every row of cells checked after a move.
#[derive(Clone)]
pub(super) struct PlainLines {
    pub(super) options: LinesOptions,
    letters: HashMap<Cell, char>,
    plies: usize,
    winner: Option<Side>,
}

impl PlainLines {
    pub(super) fn new(options: LinesOptions) -> Self {
        Self {
            options,
            letters: HashMap::new(),
            plies: 0,
            winner: None,
        }
    }

    fn extents(&self) -> Cell {
        let LinesOptions {
            columns,
            rows,
            layers,
            blocks,
            boards,
            ..
        } = self.options;
        [columns, rows, layers, blocks.max(boards)].map(i32::from)
    }

    /// The cells: row by row, layer by layer, block by block or board by board.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let [columns, rows, layers, blocks] = self.extents();
        let mut cells = Vec::new();
        for w in 0..blocks {
            for z in 0..layers {
                for y in 0..rows {
                    for x in 0..columns {
                        cells.push([x, y, z, w]);
                    }
                }
            }
        }
        cells
    }

    /// The cell so many steps away.
    fn away(&self, from: Cell, direction: Cell, steps: i32) -> Option<Cell> {
        let mut to = from;
        for axis in 0..4 {
            to[axis] += direction[axis] * steps;
            let extent = self.extents()[axis];
            if axis < usize::from(self.options.wrap) {
                to[axis] = to[axis].rem_euclid(extent);
            } else if !(0..extent).contains(&to[axis]) {
                return None;
            }
        }
        Some(to)
    }

    fn directions(&self) -> Vec<Cell> {
        let mut directions = Vec::new();
        for number in 0..81 {
            let direction =
                [number / 27, number / 9 % 3, number / 3 % 3, number % 3].map(|n| n - 1);
            let fits = (0..4).all(|axis| direction[axis] == 0 || self.extents()[axis] > 1);
            let on_a_board = self.options.boards == 1 || direction[3] == 0;
            let opposite = direction.map(|n| -n);
            if fits && on_a_board && direction != [0; 4] && !directions.contains(&opposite) {
                directions.push(direction);
            }
        }
        directions
    }

    /// The rows of so many different cells in a direction, each once.
    fn windows(&self, direction: Cell) -> Vec<Vec<Cell>> {
        let mut known = BTreeSet::new();
        let mut windows = Vec::new();
        let length = i32::from(self.options.in_a_row);
        for start in self.cells() {
            let cells: Option<Vec<Cell>> = (0..length)
                .map(|step| self.away(start, direction, step))
                .collect();
            let Some(cells) = cells else { continue };
            let set: BTreeSet<_> = cells.iter().copied().collect();
            if set.len() == cells.len() && known.insert(set) {
                windows.push(cells);
            }
        }
        windows
    }

    /// Whether a cell has this mark, `x` or `o`.
    pub(super) fn has(&self, cell: Cell, letter: char) -> bool {
        self.letters.get(&cell) == Some(&letter)
    }

    fn is_line(&self, window: &[Cell], direction: Cell) -> bool {
        let Some(letter) = self.letters.get(&window[0]) else {
            return false;
        };
        let same = |cell: &Cell| self.letters.get(cell) == Some(letter);
        let beyond = [
            self.away(window[0], direction, -1),
            self.away(window[window.len() - 1], direction, 1),
        ];
        let goes_on = beyond
            .iter()
            .flatten()
            .any(|cell| !window.contains(cell) && same(cell));
        window.iter().all(same) && !(self.options.exact && goes_on)
    }

    fn has_line(&self, board: i32) -> bool {
        let is_on = |cell: &Cell| self.options.boards == 1 || cell[3] == board;
        if self.options.in_a_row == 1 && self.directions().is_empty() {
            return self.letters.keys().any(is_on);
        }
        self.directions().into_iter().any(|direction| {
            let windows = self.windows(direction);
            windows
                .iter()
                .any(|window| is_on(&window[0]) && self.is_line(window, direction))
        })
    }

    fn text(&self, [x, y, z, w]: Cell) -> String {
        let [.., layers, blocks] = self.extents();
        let mut numbers = Vec::new();
        if blocks > 1 {
            numbers.push((w + 1).to_string());
        }
        if layers > 1 {
            numbers.push((z + 1).to_string());
        }
        let letter = "abcdefghijklmnopqrs"
            .chars()
            .nth(x as usize)
            .expect("19 columns");
        format!("{}{letter}{}", numbers.join("-"), y + 1)
    }

    fn free(&self) -> Vec<Cell> {
        let falls = if !self.options.gravity {
            [0; 4]
        } else if self.options.layers == 1 {
            [0, 1, 0, 0]
        } else {
            [0, 0, 1, 0]
        };
        let rests = |cell: &Cell| {
            let below: Cell = std::array::from_fn(|axis| cell[axis] - falls[axis]);
            below == *cell || below.contains(&-1) || self.letters.contains_key(&below)
        };
        let is_open = |cell: &Cell| self.options.boards == 1 || !self.has_line(cell[3]);
        let mut cells = self.cells();
        cells.retain(|cell| !self.letters.contains_key(cell) && rests(cell) && is_open(cell));
        cells
    }

    fn with(&self, cell: Cell, letter: char) -> Self {
        let mut next = self.clone();
        next.letters.insert(cell, letter);
        next
    }

    /// What the heuristic promises.
    pub(super) fn heuristic(&self) -> i32 {
        if let Some(winner) = self.winner {
            return if winner == self.to_move() {
                1_000_000
            } else {
                -1_000_000
            };
        }
        if self.options.marks == Marks::Own {
            let mut balance = 0;
            for direction in self.directions() {
                for window in self.windows(direction) {
                    let count = |letter| {
                        let on = |cell: &&Cell| self.has(**cell, letter);
                        window.iter().filter(on).count() as u32
                    };
                    let weight = |count: u32| i32::pow(8, count.min(6) - 1);
                    match (count('x'), count('o')) {
                        (0, 0) => {}
                        (xs, 0) => balance += weight(xs),
                        (0, os) => balance -= weight(os),
                        _ => {}
                    }
                }
            }
            let sign = if self.options.misere { -1 } else { 1 };
            return balance * sign * if self.to_move() == Side::First { 1 } else { -1 };
        }
        let open = (0..i32::from(self.options.boards)).filter(|&board| !self.has_line(board));
        let last = open.count() == 1;
        let mut decisive = 0;
        let mut others = 0;
        for cell in self.free() {
            let letters = if self.options.marks == Marks::Any {
                "xo"
            } else {
                "x"
            };
            for letter in letters.chars() {
                if last && self.with(cell, letter).has_line(cell[3]) {
                    decisive += 1;
                } else {
                    others += 1;
                }
            }
        }
        match (self.options.misere, decisive, others) {
            (false, 0, _) => 0,
            (false, ..) => 100,
            (true, _, 0) => -100,
            (true, _, safe) => (100 - safe).max(1) * if safe % 2 == 1 { 1 } else { -1 },
        }
    }
}

impl PlainMoves for PlainLines {
    fn moves(&self) -> Vec<String> {
        if self.winner.is_some() {
            return Vec::new();
        }
        let cells = self.free().into_iter().map(|cell| self.text(cell));
        match self.options.marks {
            Marks::Any => cells
                .flat_map(|text| [format!("{text}x"), format!("{text}o")])
                .collect(),
            Marks::Own | Marks::Same => cells.collect(),
        }
    }

    fn play(&mut self, text: &str) {
        let side = self.to_move();
        let (name, letter) = match (self.options.marks, side) {
            (Marks::Any, _) => {
                let (name, letter) = text.split_at(text.len() - 1);
                (name, letter.chars().next().expect("a letter"))
            }
            (Marks::Own, Side::Second) => (text, 'o'),
            _ => (text, 'x'),
        };
        let cell = self
            .cells()
            .into_iter()
            .find(|&cell| self.text(cell) == name);
        let cell = cell.expect("a cell");
        self.letters.insert(cell, letter);
        self.plies += 1;
        let decided = (0..i32::from(self.options.boards)).all(|board| self.has_line(board));
        if decided {
            self.winner = Some(if self.options.misere { !side } else { side });
        }
    }
}

impl Plain for PlainLines {
    /// The first turn has one mark, and each later one as many as the rules say.
    fn to_move(&self) -> Side {
        let mut side = Side::First;
        let mut left = 1;
        for _ in 0..self.plies {
            left -= 1;
            if left == 0 {
                side = !side;
                left = self.options.stones;
            }
        }
        side
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.winner {
            Some(side) => Some(Outcome::Win(side)),
            None => self.free().is_empty().then_some(Outcome::Draw),
        }
    }
}
