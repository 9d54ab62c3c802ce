use super::presser::Sides;
use super::rows::Rows;

/// Whether the defender holds every line that is open to the attacker by
/// pairs: two free cells of each line that belong to no other pair. Whenever
/// the attacker takes one the defender takes the other, so the attacker
/// completes nothing, whoever is to move.
///
/// The pairs are looked for line by line, the shortest first, so that not all
/// there are may be found; those found are pairs.
pub(super) fn pairs_hold(rows: &Rows, attacker: Sides) -> bool {
    let mut lines: Vec<u64> = rows.open(attacker.own, attacker.other).collect();
    let free = attacker.free() & rows.board();
    let most_pairs = free.count_ones() as usize / 2;
    if lines.len() > most_pairs * rows.most_through_two() as usize {
        return false;
    }
    let mut paired = 0_u64;
    let mut pairs: Vec<u64> = Vec::new();
    while !lines.is_empty() {
        // The line with the fewest cells left has the least choice.
        lines.retain(|line| !pairs.iter().any(|pair| line & pair == *pair));
        let Some(at) = (0..lines.len()).min_by_key(|&at| (lines[at] & !paired).count_ones()) else {
            return true;
        };
        let left = lines.swap_remove(at) & !paired;
        if left.count_ones() < 2 {
            return false;
        }
        // The pair that lies on most other lines, for it holds them as well.
        let mut best = (0, 0);
        let mut firsts = left;
        while firsts != 0 {
            let first = firsts & firsts.wrapping_neg();
            firsts ^= first;
            let mut seconds = firsts;
            while seconds != 0 {
                let second = seconds & seconds.wrapping_neg();
                seconds ^= second;
                let pair = first | second;
                let holds = lines.iter().filter(|&line| line & pair == pair).count();
                let touches = lines.iter().filter(|&line| line & pair != 0).count();
                // Cells that other lines do not need are cheap.
                let merit = (holds * 64 + 32).saturating_sub(touches) + 1;
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
