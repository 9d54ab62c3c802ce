/// A hash table of fixed size in which a new entry replaces the one in its slot.
///
/// Positions are told apart by their hash alone, which suits play but not proofs; in a
/// table of positions without a win a collision can hide a win but never claims one.
#[derive(Debug)]
pub(super) struct DirectMappedTable<V>(Vec<(u64, Option<V>)>);

impl<V: Copy> DirectMappedTable<V> {
    /// An empty table with a power of two of slots.
    pub(super) fn new(slots: usize) -> Self {
        Self(vec![(0, None); slots.next_power_of_two()])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill((0, None));
    }

    pub(super) fn get(&self, hash: u64) -> Option<V> {
        let (stored, value) = self.0[self.slot(hash)];
        value.filter(|_| stored == hash)
    }

    pub(super) fn insert(&mut self, hash: u64, value: V) {
        let slot = self.slot(hash);
        self.0[slot] = (hash, Some(value));
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.0.len() - 1)
    }
}
