use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

/// A fixed number of places for a key and what is known by it, two words each,
/// that threads share without locks.
///
/// A place is two words that are written one after the other, so a reader can
/// meet the halves of two writes. The first word holds the key combined with
/// the second by exclusive or: a torn pair shows some other key, and is not
/// believed (Hyatt and Mann, "A lock-less transposition table implementation
/// for parallel search chess engines", 2002).
///
/// Places stand in rows of [`WIDTH`](Self::WIDTH), one row to a cache line:
///
/// ```text
///  row 0 | key^word word | key^word word | key^word word | key^word word |
///  row 1 | key^word word | ...                                              64 bytes
/// ```
pub(crate) struct PairArray {
    rows: Vec<Row>,
    /// How many places of a row are used: fewer than there are only in an
    /// array smaller than a row.
    width: usize,
}

#[derive(Default)]
#[repr(align(64))]
struct Row([Place; PairArray::WIDTH]);

#[derive(Default)]
struct Place {
    sealed_key: AtomicU64,
    word: AtomicU64,
}

impl PairArray {
    /// The most places in a row.
    pub(crate) const WIDTH: usize = 4;

    /// An empty array of at most this many bytes, but never of less than one
    /// place. The number of rows is a power of two.
    ///
    /// All its memory is taken and touched here. Where there is not so much,
    /// it is smaller.
    pub(crate) fn new(bytes: usize) -> Self {
        let width = (bytes / size_of::<Place>()).clamp(1, Self::WIDTH);
        let mut row_count = 1 << (bytes / size_of::<Row>()).max(1).ilog2();
        let mut rows = Vec::new();
        while rows.try_reserve_exact(row_count).is_err() && row_count > 1 {
            row_count /= 2;
        }
        rows.resize_with(row_count, Row::default);
        Self { rows, width }
    }

    /// How many rows there are.
    pub(crate) fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The keys and words of a row, in the order of their places. An empty
    /// place has the word 0.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (u64, u64)> {
        self.rows[row].0[..self.width].iter().map(|place| {
            let word = place.word.load(Ordering::Relaxed);
            (place.sealed_key.load(Ordering::Relaxed) ^ word, word)
        })
    }

    /// Writes one place of a row; places are counted from 0.
    pub(crate) fn put(&self, row: usize, place: usize, key: u64, word: u64) {
        let place = &self.rows[row].0[place];
        place.sealed_key.store(key ^ word, Ordering::Relaxed);
        place.word.store(word, Ordering::Relaxed);
    }

    /// Empties every place.
    pub(crate) fn clear(&mut self) {
        self.rows.fill_with(Row::default);
    }
}

impl Clone for PairArray {
    fn clone(&self) -> Self {
        let copy = |word: &AtomicU64| AtomicU64::new(word.load(Ordering::Relaxed));
        let rows = self.rows.iter().map(|row| {
            Row(core::array::from_fn(|place| Place {
                sealed_key: copy(&row.0[place].sealed_key),
                word: copy(&row.0[place].word),
            }))
        });
        Self {
            rows: rows.collect(),
            width: self.width,
        }
    }
}

impl fmt::Debug for PairArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PairArray")
            .field("rows", &self.rows.len())
            .field("width", &self.width)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_as_large_as_its_bytes_allow() {
        for (bytes, rows, width) in [
            (0, 1, 1),
            (16, 1, 1),
            (47, 1, 2),
            (64, 1, 4),
            (127, 1, 4),
            (128, 2, 4),
            (1 << 20, 1 << 14, 4),
        ] {
            let array = PairArray::new(bytes);
            assert_eq!((array.row_count(), array.width), (rows, width), "{bytes}");
        }
        assert_eq!(size_of::<Row>(), 64);
    }

    #[test]
    fn a_torn_pair_shows_another_key() {
        let array = PairArray::new(64);
        array.put(0, 2, 0xA0, 5);
        assert_eq!(array.row(0).nth(2), Some((0xA0, 5)));
        // The second half of another write.
        array.rows[0].0[2].word.store(6, Ordering::Relaxed);
        assert_eq!(array.row(0).nth(2), Some((0xA3, 6)));
    }

    #[test]
    fn a_clone_goes_its_own_way() {
        let mut array = PairArray::new(1 << 10);
        array.put(3, 1, 8, 9);
        let copy = array.clone();
        array.clear();
        assert!(array.row(3).all(|pair| pair == (0, 0)));
        assert_eq!(copy.row(3).nth(1), Some((8, 9)));
    }
}
