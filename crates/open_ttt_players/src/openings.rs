use open_ttt_lib::random::{Rng, nth_seed};
use open_ttt_lib::rules::{History, IllegalMove, Reason, TwoPlayerGame};

/// The openings of a match, which make its games differ. Both games of a pair
/// have the same one.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_players::Openings;
///
/// let start = ConnectFour::new();
/// let openings = Openings::random(4, 1);
/// assert_eq!(openings.moves(&start, 0).len(), 4);
/// assert_ne!(openings.moves(&start, 0), openings.moves(&start, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Openings<G: TwoPlayerGame>(OpeningSource<G::Move>);

#[derive(Clone, Debug)]
enum OpeningSource<M> {
    Random { plies: u32, seed: u64 },
    Listed(Vec<Vec<M>>),
}

/// The attempts to find a random opening that doesn't end the game.
const MAX_ATTEMPTS: u32 = 32;

impl<G: TwoPlayerGame> Openings<G> {
    /// Every game begins at the start position.
    pub const fn none() -> Self {
        Self::random(0, 0)
    }

    /// Random moves, different for each pair; fewer if the game is too short. The
    /// seed determines the openings.
    pub const fn random(plies: u32, seed: u64) -> Self {
        Self(OpeningSource::Random { plies, seed })
    }

    /// These openings in turn, each a list of moves from `start`, repeated from
    /// the first after the last.
    ///
    /// # Errors
    ///
    /// The first illegal move. The last move of a list that ends the game counts
    /// as illegal, with [`Reason::GameOver`].
    pub fn listed(start: &G, openings: Vec<Vec<G::Move>>) -> Result<Self, IllegalMove<G::Move>> {
        for opening in &openings {
            let mut game = History::new(start.clone());
            for &m in opening {
                game.play(m)?;
                if game.outcome().is_some() {
                    return Err(IllegalMove::new(m, Reason::GameOver));
                }
            }
        }
        Ok(Self(OpeningSource::Listed(openings)))
    }

    /// The opening of a pair of games; it doesn't end the game.
    pub fn moves(&self, start: &G, pair: u32) -> Vec<G::Move> {
        match &self.0 {
            OpeningSource::Random { plies, seed } => {
                let mut rng = Rng::new(nth_seed(*seed, pair.into()));
                random_opening(start, *plies, &mut rng)
            }
            OpeningSource::Listed(openings) if openings.is_empty() => Vec::new(),
            OpeningSource::Listed(openings) => openings[pair as usize % openings.len()].clone(),
        }
    }
}

/// Random moves that don't end the game.
fn random_opening<G: TwoPlayerGame>(start: &G, plies: u32, rng: &mut Rng) -> Vec<G::Move> {
    let mut longest = Vec::new();
    for _ in 0..MAX_ATTEMPTS {
        // A position that comes back may end the game, too.
        let mut game = History::new(start.clone());
        while game.outcome().is_none() && game.moves().len() < plies as usize {
            let Some(m) = rng.pick(game.position().moves()) else {
                break;
            };
            game.play_unchecked(m);
        }
        let continues = game.outcome().is_none();
        if !continues {
            game.undo();
        }
        if game.moves().len() > longest.len() {
            longest = game.moves().to_vec();
        }
        if continues {
            break;
        }
    }
    longest
}
