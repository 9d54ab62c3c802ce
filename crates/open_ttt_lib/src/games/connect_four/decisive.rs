use super::{BOARD, ConnectFour, winning_cells};
use crate::games::bits::RandomBits;
use crate::rules::{DecisiveMoves, Outcome, TwoPlayerGame};

impl DecisiveMoves for ConnectFour {
    fn play_out_decisively(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        let mut random = RandomBits::new(draw);
        let (mut own, mut other) = (self.own, self.opponent());
        let mut landing = self.landing();
        let mut mover = self.to_move();
        let mut wins = winning_cells(own, self.occupied);
        let mut threats = winning_cells(other, self.occupied);
        while landing != 0 {
            if wins & landing != 0 {
                return Outcome::Win(mover);
            }
            let forced = threats & landing;
            let possible = match forced.count_ones() {
                0 => landing,
                1 => forced,
                // One move can't stop two threats.
                _ => 0,
            };
            // A piece below a threat allows the opponent to complete it.
            let mut safe = possible & !(threats >> 1);
            let cell = match safe.count_ones() {
                0 => return Outcome::Win(!mover),
                1 => safe,
                count => {
                    for _ in 0..random.below(count.into()) {
                        safe &= safe - 1;
                    }
                    safe & safe.wrapping_neg()
                }
            };
            own |= cell;
            // The next piece lands on top of this one.
            landing = (landing + cell) & BOARD;
            wins = threats & !cell;
            threats = winning_cells(own, own | other);
            (own, other) = (other, own);
            mover = !mover;
        }
        Outcome::Draw
    }
}
