//! What the tree searches share.

use alloc::vec;
use alloc::vec::Vec;
use open_ttt_lib::rules::TwoPlayerGame;

/// The index of the root.
pub(crate) const ROOT: usize = 0;

/// The new index of each node of a tree when only the subtree of `root` is kept, in
/// the same order: entry `i` is that of node `root + i`, `None` if it is dropped.
/// Every node must have a greater index than its parent.
pub(crate) fn subtree_indices<C: IntoIterator<Item = usize>>(
    root: usize,
    node_count: usize,
    children: impl Fn(usize) -> C,
) -> Vec<Option<u32>> {
    let mut indices = vec![None; node_count - root];
    indices[0] = Some(0);
    let mut kept = 0;
    for node in root..node_count {
        if indices[node - root].is_none() {
            continue;
        }
        indices[node - root] = Some(kept);
        kept += 1;
        for child in children(node) {
            indices[child - root] = Some(0);
        }
    }
    indices
}

/// The moves from one position to another that is one or two moves ahead, of which
/// the first is one of these; `None` if there are none.
pub(crate) fn moves_between<G: TwoPlayerGame>(
    from: &G,
    to: &G,
    first_moves: impl IntoIterator<Item = G::Move>,
) -> Option<Vec<G::Move>> {
    let first_moves: Vec<_> = first_moves.into_iter().collect();
    if let Some(&m) = first_moves.iter().find(|&&m| from.after(m) == *to) {
        return Some(vec![m]);
    }
    first_moves.into_iter().find_map(|first| {
        let next = from.after(first);
        let second = next.moves().find(|&second| next.after(second) == *to)?;
        Some(vec![first, second])
    })
}

/// Clamps an option to 0 to one million; NaN becomes 0.
pub(crate) fn non_negative(number: f32) -> f32 {
    if number > 0.0 { number.min(1e6) } else { 0.0 }
}
