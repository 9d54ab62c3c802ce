use super::line_masks::{Bitboards, LineMasks, bit, cells};
use alloc::vec::Vec;

/// Whether the opponent of the attacker, whose pieces are seen from the attacker,
/// has a pairing strategy (Hales and Jewett 1963): on each line that is open to the
/// attacker a pair of free cells that no other pair shares. The defender answers a
/// move on one cell of a pair on the other, so the attacker completes no line,
/// whichever side is to move.
///
/// The search is greedy and may miss a pairing.
pub(super) fn has_pairing(masks: &LineMasks, pieces: Bitboards) -> bool {
    let mut lines: Vec<u64> = masks.open(pieces, None).collect();
    let free = pieces.free() & masks.board();
    let max_pairs = free.count_ones() as usize / 2;
    if lines.len() > max_pairs * masks.max_shared_lines as usize {
        return false;
    }
    let mut paired = 0_u64;
    let mut pairs: Vec<u64> = Vec::new();
    while !lines.is_empty() {
        lines.retain(|line| !pairs.iter().any(|pair| line & pair == *pair));
        // The line with the fewest unpaired cells has the least choice.
        let Some(index) = (0..lines.len()).min_by_key(|&at| (lines[at] & !paired).count_ones())
        else {
            return true;
        };
        let unpaired = lines.swap_remove(index) & !paired;
        if unpaired.count_ones() < 2 {
            return false;
        }
        // The best pair covers the most other lines.
        let mut best = (0, 0);
        for first in cells(unpaired).map(bit) {
            for second in cells(unpaired & !(first | (first - 1))).map(bit) {
                let pair = first | second;
                let covers = lines.iter().filter(|&line| line & pair == pair).count();
                let touches = lines.iter().filter(|&line| line & pair != 0).count();
                // Cells that few other lines need are cheap.
                let merit = (covers * 64 + 32).saturating_sub(touches) + 1;
                if merit > best.0 {
                    best = (merit, pair);
                }
            }
        }
        paired |= best.1;
        pairs.push(best.1);
    }
    true
}
