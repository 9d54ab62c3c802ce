use super::line_masks::cells;
use super::proof_table::Pieces;
use super::symmetric_images::cell_maps;
use alloc::vec;
use alloc::vec::Vec;
use open_ttt_lib::rules::{LineGame, Symmetry};

/// The symmetries of a board of at most 64 cells, to find the image that stands for a
/// position and all its images.
#[derive(Debug)]
pub(super) struct BoardSymmetries {
    /// Where each symmetry maps each cell, the identity first.
    cell_maps: Vec<Vec<u8>>,
    /// The symmetries that map one cell to another, by the latter and then the former.
    onto: Vec<Vec<Vec<u16>>>,
}

impl BoardSymmetries {
    pub(super) fn new<G: LineGame + Symmetry>(game: &G) -> Self {
        Self::of(cell_maps(game), game.move_count())
    }

    /// The symmetries that map cells like this.
    fn of(cell_maps: Vec<Vec<u8>>, cell_count: usize) -> Self {
        let mut onto = vec![vec![Vec::new(); cell_count]; cell_count];
        for (index, map) in cell_maps.iter().enumerate() {
            for (cell, &to) in map.iter().enumerate() {
                onto[to as usize][cell].push(index as u16);
            }
        }
        Self { cell_maps, onto }
    }

    /// The greatest image, and the symmetry that leads to it as a map of cells.
    ///
    /// Only symmetries that put a piece of the first word on the highest cell possible
    /// are tried.
    pub(super) fn canonical(&self, pieces: Pieces) -> (Pieces, &[u8]) {
        let [first, second] = pieces;
        for onto in self.onto.iter().rev() {
            let mut best: Option<(Pieces, &[u8])> = None;
            for &index in cells(first).flat_map(|cell| &onto[cell as usize]) {
                let map = &self.cell_maps[index as usize];
                let image_of_first = image(first, map);
                if best.is_none_or(|([greatest, _], _)| image_of_first >= greatest) {
                    let image = [image_of_first, image(second, map)];
                    if best.is_none_or(|(greatest, _)| image > greatest) {
                        best = Some((image, map));
                    }
                }
            }
            if let Some(best) = best {
                return best;
            }
        }
        let images = self
            .cell_maps
            .iter()
            .map(|map| ([0, image(second, map)], &map[..]));
        images
            .max_by_key(|&(image, _)| image)
            .unwrap_or((pieces, &[]))
    }

    /// Whether a symmetry other than the identity leaves the position as it is.
    pub(super) fn is_symmetric(&self, [first, second]: Pieces) -> bool {
        let is_kept = |map: &&Vec<u8>| image(first, map) == first && image(second, map) == second;
        self.cell_maps.iter().skip(1).any(|map| is_kept(&map))
    }
}

/// The image of a set of cells.
fn image(set: u64, map: &[u8]) -> u64 {
    cells(set).fold(0, |image, cell| image | 1 << map[cell as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use open_ttt_lib::random::Rng;

    /// The symmetries of a cube of four cells a side: its axes exchanged, and each of
    /// them reversed or not.
    fn symmetries_of_cube() -> BoardSymmetries {
        const ORDERS: [[usize; 3]; 6] = [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ];
        let image = |cell: u8, order: [usize; 3], reversed: u8| {
            let at = [cell & 3, cell >> 2 & 3, cell >> 4].map(u32::from);
            let axis = |axis: usize| {
                let at = at[order[axis]];
                if reversed >> axis & 1 == 0 {
                    at
                } else {
                    3 - at
                }
            };
            (axis(0) + 4 * axis(1) + 16 * axis(2)) as u8
        };
        let all = ORDERS
            .into_iter()
            .flat_map(|order| (0..8).map(move |reversed| (order, reversed)));
        let map = |(order, reversed)| (0..64).map(|cell| image(cell, order, reversed)).collect();
        BoardSymmetries::of(all.map(map).collect(), 64)
    }

    #[test]
    fn the_canonical_position_is_the_greatest_of_all_images() {
        let symmetries = symmetries_of_cube();
        assert_eq!(symmetries.cell_maps.len(), 48);
        let mut rng = Rng::new(1);
        for round in 0..300 {
            // Few pieces, and often none of one side: symmetric positions.
            let mut word = || (0..round % 5).fold(0_u64, |word, _| word | 1 << rng.below(64));
            let first = word();
            let pieces = [first, word() & !first];
            let images = symmetries
                .cell_maps
                .iter()
                .map(|map| pieces.map(|word| image(word, map)));
            let (canonical, map) = symmetries.canonical(pieces);
            assert_eq!(Some(canonical), images.clone().max(), "{pieces:x?}");
            assert_eq!(canonical, pieces.map(|word| image(word, map)));
            let same = images.filter(|&image| image == pieces).count();
            assert_eq!(symmetries.is_symmetric(pieces), same > 1, "{pieces:x?}");
        }
    }
}
