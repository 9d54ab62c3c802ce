//! The results of `gumbel_muzero_policy` of `mctx` 0.0.71 (Google `DeepMind`) for
//! the same positions, estimates and options, with `rescale_values=False`,
//! `gumbel_scale=0`, and the estimates below written in Python. It has no proofs.

use std::num::NonZero;

use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{CompactKey, IndexedMoves, Side, TwoPlayerGame};
use open_ttt_search::{Estimates, GumbelOptions, PolicyValue};

use super::answer;

/// A model of arithmetic that any language has.
struct Scrambled;

/// A pseudo-random number from 0 to 1.
fn unit(number: u32, shift: u32, factor: u32) -> f32 {
    let mixed = number.wrapping_mul(2_654_435_761);
    let mixed = (mixed ^ (mixed >> shift)).wrapping_mul(factor);
    (mixed >> 8) as f32 / (1 << 24) as f32
}

impl PolicyValue<TicTacToe> for Scrambled {
    fn estimate(&mut self, positions: &[&TicTacToe], estimates: &mut Estimates) {
        for position in positions {
            let code = position.key() as u32;
            let logits = position.moves().map(|m| {
                let cell = position.move_index(m) as u32;
                4.0 * unit(9 * code + cell, 15, 2_246_822_519) - 2.0
            });
            let value = 2.0 * unit(code + 77, 13, 3_266_489_917) - 1.0;
            estimates.push(value, logits);
        }
    }
}

/// The first side's cells and the second's as bits; simulations, moves
/// considered, `value_scale`, `maxvisit_init`.
type Case = (u16, u16, u32, usize, f32, f32);

#[track_caller]
fn check(case: Case, chosen: usize, visits: [u32; 9], policy: [f32; 9]) {
    let (first, second, simulations, considered, value_scale, visit_offset) = case;
    let cells = std::array::from_fn(|cell| match 1 << cell {
        bit if first & bit != 0 => Some(Side::First),
        bit if second & bit != 0 => Some(Side::Second),
        _ => None,
    });
    let game = TicTacToe::from_cells(cells).unwrap();
    let options = GumbelOptions {
        considered: NonZero::new(considered).unwrap(),
        value_scale,
        visit_offset,
        proves: false,
        ..GumbelOptions::playing(simulations)
    };
    let answer = answer(&game, options, 1, Scrambled);
    assert_eq!(answer.chosen.map(|m| game.move_index(m)), Some(chosen));
    let mut counts = [0; 9];
    for m in &answer.moves {
        let cell = game.move_index(m.m);
        counts[cell] = m.visits;
        assert!(
            (m.policy - policy[cell]).abs() < 2e-5,
            "{m:?}: {}",
            policy[cell]
        );
    }
    assert_eq!(counts, visits);
}

#[test]
#[rustfmt::skip]
fn answers_match_mctx() {
    check(
        (0, 0, 16, 4, 0.1, 50.0), 8, [0, 0, 6, 0, 0, 2, 0, 2, 6],
        [0.00623, 0.02666, 0.13405, 0.00787, 0.01316, 0.1327, 0.00786, 0.00195, 0.66952],
    );
    check(
        (0, 0, 50, 16, 0.1, 50.0), 2, [1, 1, 19, 4, 1, 4, 1, 1, 18],
        [0.02039, 0.00099, 0.85499, 0.02496, 0.00001, 0.04686, 0.00159, 0.00021, 0.04999],
    );
    check(
        (1, 16, 40, 8, 0.1, 50.0), 3, [0, 1, 1, 16, 0, 15, 1, 1, 5],
        [0.0, 0.00207, 0.00022, 0.6952, 0.0, 0.08912, 0.02011, 0.14603, 0.04724],
    );
    check(
        (1, 16, 64, 16, 0.5, 10.0), 3, [0, 3, 3, 21, 0, 10, 3, 21, 3],
        [0.0, 0.0056, 0.0, 0.30477, 0.0, 0.41865, 0.01293, 0.21247, 0.04558],
    );
    check(
        (17, 256, 100, 16, 0.1, 50.0), 3, [0, 16, 5, 35, 0, 5, 34, 5, 0],
        [0.0, 0.25354, 0.08177, 0.18302, 0.0, 0.05517, 0.02134, 0.40516, 0.0],
    );
    check(
        (17, 256, 30, 3, 1.0, 50.0), 3, [0, 0, 12, 13, 0, 5, 0, 0, 0],
        [0.0, 0.00411, 0.00012, 0.98349, 0.0, 0.00026, 0.00597, 0.00605, 0.0],
    );
    check(
        (19, 260, 25, 16, 0.2, 20.0), 5, [0, 0, 0, 3, 0, 10, 3, 9, 0],
        [0.0, 0.0, 0.0, 0.00754, 0.0, 0.59662, 0.00043, 0.3954, 0.0],
    );
    check(
        (0, 0, 200, 9, 0.3, 5.0), 2, [5, 5, 71, 17, 5, 17, 5, 5, 70],
        [0.0, 0.0, 0.90575, 0.00073, 0.00143, 0.00355, 0.0, 0.0, 0.08852],
    );
}
