use super::super::bits::Lots;
use super::{BOARD, ConnectFour, completing};
use crate::rules::{DecisiveMoves, Outcome, TwoPlayerGame};

impl DecisiveMoves for ConnectFour {
    fn play_out_decisively(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        let mut lots = Lots::new(draw);
        let (mut own, mut other) = (self.own, self.opponent());
        let mut landing = self.landing();
        let mut mover = self.to_move();
        let mut wins = completing(own, self.occupied);
        let mut threats = completing(other, self.occupied);
        while landing != 0 {
            if wins & landing != 0 {
                return Outcome::Win(mover);
            }
            let forced = threats & landing;
            let possible = match forced.count_ones() {
                0 => landing,
                1 => forced,
                // Nobody stops two threats with one piece.
                _ => 0,
            };
            // A piece below a threat lets the opponent complete it.
            let mut safe = possible & !(threats >> 1);
            let place = match safe.count_ones() {
                0 => return Outcome::Win(!mover),
                1 => safe,
                count => {
                    for _ in 0..lots.below(count.into()) {
                        safe &= safe - 1;
                    }
                    safe & safe.wrapping_neg()
                }
            };
            own |= place;
            // The next piece falls on top of this one.
            landing = (landing + place) & BOARD;
            wins = threats & !place;
            threats = completing(own, own | other);
            (own, other) = (other, own);
            mover = !mover;
        }
        Outcome::Draw
    }
}
