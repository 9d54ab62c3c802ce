use core::fmt::Debug;
use std::collections::HashMap;

use super::{Laws, walk};
use crate::rules::{Encode, Objective, Outcome, Side, Symmetry, TwoPlayerGame};

impl<G: TwoPlayerGame + Debug> Laws<G> {
    /// The laws of [`Encode`] except the one about symmetries.
    #[track_caller]
    pub fn encode(self) -> Self
    where
        G: Encode,
    {
        let encoding = self.start.encoding();
        assert_eq!(
            encoding.moves,
            self.start.move_count(),
            "the encoding counts the game's moves"
        );
        let mut written: HashMap<(Side, Vec<u32>), &G> = HashMap::new();
        for position in &self.positions {
            assert_eq!(
                position.encoding(),
                encoding,
                "all positions have the same encoding: {position:?}"
            );
            let planes = planes_of(position);
            assert!(
                planes.iter().all(|number| number.abs() <= 1.0),
                "every number is written and from -1 to 1: {position:?}"
            );
            let bits = planes.iter().map(|number| number.to_bits()).collect();
            let owner = *written
                .entry((position.to_move(), bits))
                .or_insert(position);
            assert!(
                owner == position,
                "different positions are written differently: {owner:?}, {position:?}"
            );
            if let (Objective::Margin(margin), Some(outcome)) =
                (position.objective(), position.outcome())
            {
                let sign = margin(position).partial_cmp(&0.0);
                assert_eq!(
                    sign.map(|sign| Outcome::from_margin(sign as i32)),
                    Some(outcome),
                    "the side with more points has won: {position:?}"
                );
            }
            let mut indices = Vec::new();
            for m in position.moves() {
                let index = position.move_index(m);
                assert!(
                    index < encoding.moves && !indices.contains(&index),
                    "{m:?} has an index of its own: {position:?}"
                );
                indices.push(index);
            }
        }
        for [one, other] in walk::transpositions(&self.start) {
            assert_eq!(
                planes_of(&one),
                planes_of(&other),
                "equal positions are written alike: {one:?}, {other:?}"
            );
        }
        self.perspective();
        self
    }

    /// The law of [`Encode`] about symmetries.
    #[track_caller]
    pub fn encode_images(self) -> Self
    where
        G: Encode + Symmetry,
    {
        let inputs = self.start.encoding().inputs();
        // The values of an input in all positions, as an FNV-1a hash (Fowler, Noll
        // and Vo 1991).
        let histories = |image: &dyn Fn(&G) -> G| {
            let mut histories = vec![0xCBF2_9CE4_8422_2325_u64; inputs];
            for position in &self.positions {
                for (history, number) in histories.iter_mut().zip(planes_of(&image(position))) {
                    *history = (*history ^ u64::from(number.to_bits()))
                        .wrapping_mul(0x0000_0100_0000_01B3);
                }
            }
            histories.sort_unstable();
            histories
        };
        let plain = histories(&G::clone);
        for &transform in self.start.symmetries() {
            assert!(
                histories(&|position| position.image(transform)) == plain,
                "an image's numbers are the position's in another order: {transform:?}"
            );
        }
        self
    }
}

/// The inputs of a position; those not written are NaN.
pub(super) fn planes_of<G: Encode>(position: &G) -> Vec<f32> {
    let mut planes = vec![f32::NAN; position.encoding().inputs()];
    position.encode(&mut planes);
    planes
}
