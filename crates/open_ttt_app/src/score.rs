use open_ttt_lib::rules::{Outcome, Side};

/// The score of a series of games, by player.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    pub(crate) wins: [u32; 2],
    pub(crate) draws: u32,
}

impl Score {
    /// Adds a game that this player has won, or nobody.
    pub(crate) fn add(&mut self, winner: Option<usize>) {
        match winner {
            Some(player) => self.wins[player] += 1,
            None => self.draws += 1,
        }
    }

    pub(crate) fn games(&self) -> u32 {
        self.wins.iter().sum::<u32>() + self.draws
    }

    pub(crate) fn line(&self, players: [&str; 2]) -> String {
        let [first, second] = players;
        let [first_wins, second_wins] = self.wins;
        format!(
            "Score: {first} {first_wins}, {second} {second_wins}, draws {}",
            self.draws
        )
    }
}

/// The result of a game, with the points of a scoring game: `X wins`,
/// `White wins 5 to 3`, `Draw`.
pub fn result_text(names: [&str; 2], outcome: Outcome, points: Option<[u32; 2]>) -> String {
    match outcome {
        Outcome::Win(side) => {
            let name = names[side.index()];
            let [winner, loser] = [side, side.other()].map(Side::index);
            points.map_or_else(
                || format!("{name} wins"),
                |points| format!("{name} wins {} to {}", points[winner], points[loser]),
            )
        }
        Outcome::Draw => points.map_or_else(
            || "Draw".to_owned(),
            |[first, second]| format!("Draw, {first} to {second}"),
        ),
    }
}
