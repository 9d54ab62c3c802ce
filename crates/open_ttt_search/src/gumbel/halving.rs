/// Sequential halving: the order in which simulations are shared among the moves
/// considered (Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed
/// bandits", 2013).
///
/// With `m` moves and `n` simulations, each of the ⌈log₂ m⌉ phases has the same
/// share and visits the remaining moves in rounds; the better half goes on, until
/// two moves share the rest. For each simulation it gives the number of visits of
/// the move to try: the best move with that many.
///
/// ```text
/// 4 moves, 16 simulations: 0000 1111 22 33 44 55
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Halving {
    simulations: u32,
    phases: u32,
    /// The moves that remain.
    moves: u32,
    /// The visits of each of them before this round: those of the move to try.
    pub(super) visits: u32,
    /// The rounds left in this phase, including this one.
    rounds: u32,
    /// The moves tried in this round.
    tried: u32,
    /// The simulations made.
    made: u32,
}

impl Halving {
    pub(super) fn new(moves: usize, simulations: u32) -> Self {
        let moves = (moves.min(u32::MAX as usize) as u32).max(1);
        let mut halving = Self {
            simulations,
            phases: moves.next_power_of_two().trailing_zeros().max(1),
            moves,
            ..Self::default()
        };
        halving.rounds = halving.rounds_of_phase();
        halving
    }

    fn rounds_of_phase(&self) -> u32 {
        let round = u64::from(self.phases) * u64::from(self.moves);
        ((u64::from(self.simulations) / round) as u32).max(1)
    }

    pub(super) fn is_over(&self) -> bool {
        self.made >= self.simulations
    }

    pub(super) fn count(&mut self) {
        self.made += 1;
        self.tried += 1;
        if self.tried < self.moves {
            return;
        }
        self.tried = 0;
        self.visits += 1;
        self.rounds -= 1;
        if self.rounds == 0 {
            self.moves = (self.moves / 2).max(2.min(self.moves));
            self.rounds = self.rounds_of_phase();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(moves: usize, simulations: u32) -> Vec<u32> {
        let mut halving = Halving::new(moves, simulations);
        let mut sequence = Vec::new();
        while !halving.is_over() {
            sequence.push(halving.visits);
            halving.count();
        }
        sequence
    }

    /// The schedule, phase by phase.
    fn written_out(moves: usize, simulations: usize) -> Vec<u32> {
        if moves == 1 {
            return (0..simulations as u32).collect();
        }
        let phases = (moves as f64).log2().ceil() as usize;
        let mut all = Vec::new();
        let mut visits = 0;
        let mut left = moves;
        while all.len() < simulations {
            for _ in 0..(simulations / (phases * left)).max(1) {
                all.extend(vec![visits; left]);
                visits += 1;
            }
            left = (left / 2).max(2);
        }
        all.truncate(simulations);
        all
    }

    #[test]
    fn four_moves_are_halved_once() {
        let expected = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
        assert_eq!(sequence(4, 16), expected);
        assert_eq!(sequence(1, 4), [0, 1, 2, 3]);
        assert_eq!(sequence(16, 3), [0, 0, 0]);
        assert_eq!(sequence(5, 0), []);
    }

    #[test]
    fn schedules_match_their_phases() {
        for moves in 1..40 {
            for simulations in [0, 1, 2, 7, 16, 32, 50, 100, 333] {
                let expected = written_out(moves, simulations as usize);
                assert_eq!(sequence(moves, simulations), expected, "{moves} moves");
            }
        }
    }
}
