use core::cmp::Ordering;

/// Sorts moves, or what is known of them, as [`slice::sort_by`] does: equal ones keep their
/// order.
///
/// It sorts by binary insertion, which takes little code: this is compiled for the moves of
/// every game, and [`slice::sort_by`] has ten kilobytes each. The legal moves of a position are
/// hundreds at most as a rule; the time for *n* of them grows as *n* log *n* comparisons, and
/// *n*² copies within the list.
///
/// ```
/// use open_ttt_search::sort_moves;
///
/// let mut moves = ["c3", "a1", "b2"];
/// sort_moves(&mut moves, |a, b| a.cmp(b));
/// assert_eq!(moves, ["a1", "b2", "c3"]);
/// ```
pub fn sort_moves<T: Copy>(moves: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for end in 1..moves.len() {
        let m = moves[end];
        let place = moves[..end].partition_point(|other| compare(other, &m) != Ordering::Greater);
        moves.copy_within(place..end, place + 1);
        moves[place] = m;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use open_ttt_lib::random::Rng;

    use super::*;

    #[test]
    fn lists_are_sorted_as_slices_sort() {
        let mut rng = Rng::new(1);
        for len in 0..200_usize {
            // Some are equal in what is compared, and differ in their places.
            let values = (0..len).map(|place| (rng.below(len.div_ceil(2).max(1)), place));
            let mut sorted: Vec<_> = values.collect();
            let mut moves = sorted.clone();
            sorted.sort_by_key(|value| value.0);
            sort_moves(&mut moves, |a, b| a.0.cmp(&b.0));
            assert_eq!(moves, sorted);
        }
    }
}
