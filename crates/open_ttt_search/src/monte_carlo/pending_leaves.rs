/// Leaves that were selected and not yet evaluated, with the paths to them.
#[derive(Clone, Debug)]
pub(super) struct PendingLeaves<G> {
    /// The positions of the leaves.
    pub(super) positions: Vec<G>,
    /// The nodes of all paths in sequence, each from the root to its leaf.
    nodes: Vec<u32>,
    /// The end of each path.
    ends: Vec<usize>,
}

impl<G> PendingLeaves<G> {
    pub(super) const fn new() -> Self {
        Self {
            positions: Vec::new(),
            nodes: Vec::new(),
            ends: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(super) fn push(&mut self, position: G, path: &[u32]) {
        self.positions.push(position);
        self.nodes.extend_from_slice(path);
        self.ends.push(self.nodes.len());
    }

    /// The leaves with their paths, in the order in which they were added.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&G, &[u32])> {
        let mut begin = 0;
        self.positions
            .iter()
            .zip(&self.ends)
            .map(move |(position, &end)| {
                let path = &self.nodes[begin..end];
                begin = end;
                (position, path)
            })
    }

    pub(super) fn clear(&mut self) {
        self.positions.clear();
        self.nodes.clear();
        self.ends.clear();
    }
}
