use open_ttt_lib::random::{Rng, nth_seed};
use open_ttt_lib::rules::{IllegalMove, Reason, TwoPlayerGame};

/// How the games of a match begin, so that they differ: the same for both games
/// of a pair.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_players::Openings;
///
/// let start = ConnectFour::new();
/// let openings = Openings::random(4, 1);
/// assert_eq!(openings.line(&start, 0).len(), 4);
/// assert_ne!(openings.line(&start, 0), openings.line(&start, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Openings<G: TwoPlayerGame>(Kind<G::Move>);

#[derive(Clone, Debug)]
enum Kind<M> {
    Random { plies: u32, seed: u64 },
    Listed(Vec<Vec<M>>),
}

/// How often a random opening is begun anew because it has ended the game.
const TRIES: u32 = 32;

impl<G: TwoPlayerGame> Openings<G> {
    /// Every game begins at the start.
    pub const fn none() -> Self {
        Self::random(0, 0)
    }

    /// So many random plies, other ones for each pair; fewer where the game is
    /// too short for them. The same seed gives the same openings.
    pub const fn random(plies: u32, seed: u64) -> Self {
        Self(Kind::Random { plies, seed })
    }

    /// These moves from the start, one list after the other, and the first
    /// again after the last.
    ///
    /// # Errors
    ///
    /// The first move that is illegal; a list that ends the game has its last
    /// move refused as [`Reason::GameOver`].
    pub fn listed(start: &G, lines: Vec<Vec<G::Move>>) -> Result<Self, IllegalMove<G::Move>> {
        for line in &lines {
            let mut position = start.clone();
            for &m in line {
                position.play(m)?;
                if position.outcome().is_some() {
                    return Err(IllegalMove {
                        attempted: m,
                        reason: Reason::GameOver,
                    });
                }
            }
        }
        Ok(Self(Kind::Listed(lines)))
    }

    /// The moves that both games of a pair begin with. The game goes on after
    /// them.
    pub fn line(&self, start: &G, pair: u32) -> Vec<G::Move> {
        match &self.0 {
            Kind::Random { plies, seed } => {
                let mut rng = Rng::new(nth_seed(*seed, pair.into()));
                random_line(start, *plies, &mut rng)
            }
            Kind::Listed(lines) if lines.is_empty() => Vec::new(),
            Kind::Listed(lines) => lines[pair as usize % lines.len()].clone(),
        }
    }
}

/// Random moves after which the game goes on.
fn random_line<G: TwoPlayerGame>(start: &G, plies: u32, rng: &mut Rng) -> Vec<G::Move> {
    let mut longest = Vec::new();
    for _ in 0..TRIES {
        let mut position = start.clone();
        let mut line = Vec::new();
        while line.len() < plies as usize {
            let Some(m) = rng.pick(position.moves()) else {
                break;
            };
            position.play_unchecked(m);
            line.push(m);
        }
        let goes_on = position.outcome().is_none();
        if !goes_on {
            line.pop();
        }
        if line.len() > longest.len() {
            longest = line;
        }
        if goes_on {
            break;
        }
    }
    longest
}
