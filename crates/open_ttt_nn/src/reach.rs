/// Which cells of the input each cell of the output is made of, and by which of
/// the weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    rows: usize,
    columns: usize,
    /// For each weight of the kernel, the cells that it joins.
    runs: Vec<Vec<Run>>,
}

/// Neighbouring cells, each of which is made of the cell in the same place among
/// other neighbouring ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The first cell of the input.
    pub(super) from: usize,
    /// The first cell of the output.
    pub(super) to: usize,
    pub(super) length: usize,
}

impl Reach {
    /// Each cell is made of itself and its eight neighbours, as far as they are on
    /// the board. The weights are numbered row by row.
    pub fn neighbours(rows: usize, columns: usize) -> Self {
        let runs = (0..9).map(|tap| {
            let (down, right) = (tap / 3, tap % 3);
            let cells = |row: usize| {
                // One more than the neighbour's row, so that none is negative.
                let below = row + down;
                if !(1..=rows).contains(&below) {
                    return None;
                }
                let first = 1_usize.saturating_sub(right);
                let end = columns.min(columns + 1 - right);
                (first < end).then(|| Run {
                    from: (below - 1) * columns + first + right - 1,
                    to: row * columns + first,
                    length: end - first,
                })
            };
            (0..rows).filter_map(cells).collect()
        });
        Self {
            rows,
            columns,
            runs: runs.collect(),
        }
    }

    /// Each cell is made of itself. With one cell: everything of everything.
    pub fn itself(cells: usize) -> Self {
        let all = Run {
            from: 0,
            to: 0,
            length: cells,
        };
        Self {
            rows: 1,
            columns: cells,
            runs: vec![vec![all]],
        }
    }

    /// How many cells there are.
    pub const fn cells(&self) -> usize {
        self.rows * self.columns
    }

    /// How many weights there are for each pair of channels.
    pub const fn kernel(&self) -> usize {
        self.runs.len()
    }

    pub(super) const fn sides(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// For each weight of the kernel, the cells that it joins.
    pub(super) fn runs(&self) -> &[Vec<Run>] {
        &self.runs
    }
}
