/// The geometry of a convolution: for each weight of the kernel, which input cell it
/// connects to which output cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvShape {
    rows: usize,
    columns: usize,
    /// For each weight of the kernel, the cells that it connects.
    spans: Vec<Vec<Span>>,
}

/// Consecutive output cells and the equally many consecutive input cells that a
/// weight connects them to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The first cell of the input.
    pub(super) from: usize,
    /// The first cell of the output.
    pub(super) to: usize,
    pub(super) length: usize,
}

impl Span {
    pub(super) const fn new(from: usize, to: usize, length: usize) -> Self {
        Self { from, to, length }
    }
}

impl ConvShape {
    /// A three by three convolution with zero padding. The weights are numbered row by
    /// row.
    pub fn three_by_three(rows: usize, columns: usize) -> Self {
        let spans = (0..9).map(|tap| {
            let (down, right) = (tap / 3, tap % 3);
            let cells = |row: usize| {
                // The neighbour's row plus one, so that it is not negative.
                let below = row + down;
                if !(1..=rows).contains(&below) {
                    return None;
                }
                let first = 1_usize.saturating_sub(right);
                let end = columns.min(columns + 1 - right);
                let from = (below - 1) * columns + first + right - 1;
                (first < end).then(|| Span::new(from, row * columns + first, end - first))
            };
            (0..rows).filter_map(cells).collect()
        });
        Self {
            rows,
            columns,
            spans: spans.collect(),
        }
    }

    /// A one by one convolution. With one cell: a fully connected layer.
    pub fn pointwise(cells: usize) -> Self {
        Self {
            rows: 1,
            columns: cells,
            spans: vec![vec![Span::new(0, 0, cells)]],
        }
    }

    /// The number of cells of the board.
    pub const fn cells(&self) -> usize {
        self.rows * self.columns
    }

    /// The number of weights for each pair of channels.
    pub const fn kernel(&self) -> usize {
        self.spans.len()
    }

    pub(super) const fn sides(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// For each weight of the kernel, the cells that it connects.
    pub(super) fn spans(&self) -> &[Vec<Span>] {
        &self.spans
    }
}
