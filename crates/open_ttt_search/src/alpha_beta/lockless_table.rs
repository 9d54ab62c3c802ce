use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};

/// A hash table of fixed size that threads share without locks. A slot holds a
/// 64-bit key and 64 bits of data.
///
/// A slot's two words are written one after the other, so a reader can see the
/// halves of two writes. The first word is the key XOR the data: a torn pair shows
/// a different key (Hyatt and Mann, "A lock-less transposition table
/// implementation for parallel search chess engines", 2002).
///
/// A bucket of [`SLOTS`](Self::SLOTS) slots fills one cache line:
///
/// ```text
///  bucket 0 | key^data data | key^data data | key^data data | key^data data |
///  bucket 1 | key^data data | ...                                              64 bytes
/// ```
#[derive(Clone, Debug)]
pub(crate) struct LocklessTable {
    buckets: Vec<Bucket>,
    /// The slots used of each bucket: fewer than `SLOTS` only in a table smaller
    /// than a bucket.
    slots: usize,
}

#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; LocklessTable::SLOTS]);

#[derive(Debug, Default)]
struct Slot {
    key_xor_data: AtomicU64,
    data: AtomicU64,
}

impl LocklessTable {
    /// The maximum number of slots in a bucket.
    pub(crate) const SLOTS: usize = 4;

    pub(crate) const BUCKET_BYTES: usize = size_of::<Bucket>();

    /// An empty table of at most this many bytes, but at least one slot. The
    /// number of buckets is a power of two.
    ///
    /// All memory is allocated and touched here. If there is too little of it, the
    /// table is smaller.
    pub(crate) fn new(bytes: usize) -> Self {
        let slots = (bytes / size_of::<Slot>()).clamp(1, Self::SLOTS);
        let mut bucket_count = 1 << (bytes / Self::BUCKET_BYTES).max(1).ilog2();
        let mut buckets = Vec::new();
        while buckets.try_reserve_exact(bucket_count).is_err() && bucket_count > 1 {
            bucket_count /= 2;
        }
        buckets.resize_with(bucket_count, Bucket::default);
        Self { buckets, slots }
    }

    pub(crate) fn bucket_count(&self) -> usize {
        self.buckets.len()
    }

    /// The key and the data of each slot in a bucket. The data of an empty slot is
    /// 0.
    pub(crate) fn bucket(&self, bucket: usize) -> impl Iterator<Item = (u64, u64)> {
        self.buckets[bucket].0[..self.slots].iter().map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            (slot.key_xor_data.load(Ordering::Relaxed) ^ data, data)
        })
    }

    pub(crate) fn store(&self, bucket: usize, slot: usize, key: u64, data: u64) {
        let slot = &self.buckets[bucket].0[slot];
        slot.key_xor_data.store(key ^ data, Ordering::Relaxed);
        slot.data.store(data, Ordering::Relaxed);
    }

    pub(crate) fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
    }
}

impl Clone for Slot {
    fn clone(&self) -> Self {
        let copy = |word: &AtomicU64| AtomicU64::new(word.load(Ordering::Relaxed));
        Self {
            key_xor_data: copy(&self.key_xor_data),
            data: copy(&self.data),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_at_most_the_given_size() {
        for (bytes, buckets, slots) in [
            (0, 1, 1),
            (16, 1, 1),
            (47, 1, 2),
            (64, 1, 4),
            (127, 1, 4),
            (128, 2, 4),
            (1 << 20, 1 << 14, 4),
        ] {
            let table = LocklessTable::new(bytes);
            let size = (table.bucket_count(), table.slots);
            assert_eq!(size, (buckets, slots), "{bytes}");
        }
        assert_eq!(LocklessTable::BUCKET_BYTES, 64);
    }

    #[test]
    fn a_torn_write_shows_another_key() {
        let table = LocklessTable::new(64);
        table.store(0, 2, 0xA0, 5);
        assert_eq!(table.bucket(0).nth(2), Some((0xA0, 5)));
        // The second half of another write.
        table.buckets[0].0[2].data.store(6, Ordering::Relaxed);
        assert_eq!(table.bucket(0).nth(2), Some((0xA3, 6)));
    }

    #[test]
    fn a_clone_is_independent() {
        let mut table = LocklessTable::new(1 << 10);
        table.store(3, 1, 8, 9);
        let copy = table.clone();
        table.clear();
        assert!(table.bucket(3).all(|pair| pair == (0, 0)));
        assert_eq!(copy.bucket(3).nth(1), Some((8, 9)));
    }
}
