use open_ttt_lib::rules::{Outcome, Side};

/// How a series of games stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Series {
    wins: [u32; 2],
    draws: u32,
}

impl Series {
    pub(crate) fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Win(side) => self.wins[side.index()] += 1,
            Outcome::Draw => self.draws += 1,
        }
    }

    pub(crate) fn games(&self) -> u32 {
        self.wins.iter().sum::<u32>() + self.draws
    }

    pub(crate) fn standing(&self, names: &[String; 2]) -> String {
        let [first, second] = Side::BOTH.map(|side| {
            let index = side.index();
            format!("{} {}", names[index], self.wins[index])
        });
        format!("Series: {first}, {second}, draws {}", self.draws)
    }
}
