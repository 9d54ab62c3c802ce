use core::any::Any;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::num::NonZero;

use super::erased::Erased;
use super::solving::SolveRequest;
use super::{
    AnalysisResult, CatalogGame, DynMove, PlayerSpec, SolveProgress, SolvedPosition, game,
};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    Drawing, IllegalMove, IndexedMoves, Named, Notation, Outcome, ParseMoveError, Picture, Side,
    SpecError, TwoPlayerGame,
};
use open_ttt_players::{Player, PlayerFactory};
use open_ttt_search::{Budget, Clock, SolveError, StopFlag};

/// Any game of the catalog, chosen at run time.
///
/// It is a game itself, so whatever works for one game works for all: the
/// terminal, records, matches. What is to be fast, searching and counting, is
/// passed on to the game behind it: [`player`](Self::player),
/// [`analyze`](Self::analyze), [`solve`](Self::solve), [`perft`](Self::perft).
///
/// ```
/// use open_ttt_lib::rules::play_text;
///
/// let mut game = open_ttt_catalog::game("pegs(lines=38)")?;
/// play_text(&mut game, "ABCH").expect("four moves");
/// assert_eq!(game.perft(2), 8 * 8);
/// # Ok::<(), open_ttt_lib::rules::SpecError>(())
/// ```
pub struct DynGame(Box<dyn Erased>);

impl DynGame {
    /// Any game with the powers a catalog asks for, your own included.
    pub fn new(game: impl CatalogGame) -> Self {
        Self(Box::new(game))
    }

    /// The game itself, if it is of this type.
    pub fn downcast_ref<G: Any>(&self) -> Option<&G> {
        self.0.as_any().downcast_ref()
    }

    /// What the game is called in a menu.
    pub fn title(&self) -> &'static str {
        self.0.title()
    }

    /// How it is played, in a few short lines.
    pub fn rules(&self) -> &'static str {
        self.0.rules()
    }

    /// The strongest computer there is for this game, as a [`PlayerSpec`] is
    /// written: one that a person does not mind to wait for.
    pub fn strongest(&self) -> &'static str {
        self.0.strongest()
    }

    /// Counts the ways to play `depth` moves, as [`rules::perft`](open_ttt_lib::rules::perft).
    pub fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ => self.perft_divide(depth).iter().map(|(_, n)| n).sum(),
        }
    }

    /// Counts them by first move, as
    /// [`rules::perft_divide`](open_ttt_lib::rules::perft_divide).
    pub fn perft_divide(&self, depth: u32) -> Vec<(DynMove, u64)> {
        self.0.perft_divide(depth)
    }

    /// Finds out what a position is worth and which moves are best.
    ///
    /// Where the work is hard, so many threads do it, which makes no difference
    /// to what is exact. With one none is started. In a game that
    /// [can be proved](Self::can_be_proved) the answer is exact unless the budget
    /// or the flag ends it before.
    pub fn analyze(
        &self,
        threads: NonZero<usize>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> AnalysisResult {
        self.0.analyze(threads, budget, stop)
    }

    /// Whether [`analyze`](Self::analyze), without a limit, is exact soon from
    /// any position: within seconds mostly, minutes at worst.
    pub fn can_be_proved(&self) -> bool {
        self.0.can_be_proved()
    }

    /// Whether [`solve`](Self::solve) knows a way.
    pub fn can_be_solved(&self) -> bool {
        self.0.can_be_solved()
    }

    /// Solves the game outright from this position; `None` if it is too large
    /// for that.
    ///
    /// How many threads work on it makes no difference to the result. With one
    /// none is started. `progress` is told how far it has come.
    ///
    /// # Errors
    ///
    /// [`SolveError`] if the flag is raised.
    pub fn solve(
        &self,
        threads: NonZero<usize>,
        stop: &StopFlag,
        mut progress: impl FnMut(SolveProgress),
    ) -> Option<Result<SolvedPosition, SolveError>> {
        self.0.solve(&mut SolveRequest {
            threads,
            stop,
            progress: &mut progress,
        })
    }

    /// A computer player for this game and those that go on from it.
    ///
    /// # Errors
    ///
    /// [`SpecError::Unavailable`] if no computer is meant, or this one cannot
    /// play this game.
    pub fn player(
        &self,
        spec: &PlayerSpec,
        clock: Clock,
    ) -> Result<Box<dyn Player<Self> + Send>, SpecError> {
        let seed = spec.seed.unwrap_or_else(|| Rng::from_entropy().next_u64());
        Ok(self.players(spec, clock)?(seed))
    }

    /// Makes computer players for this game, each from a seed that stands for
    /// the one in `spec`: what they share is worked out only once.
    ///
    /// # Errors
    ///
    /// As for [`player`](Self::player).
    pub fn players(
        &self,
        spec: &PlayerSpec,
        clock: Clock,
    ) -> Result<PlayerFactory<'static, Self>, SpecError> {
        self.0.players(spec, clock)
    }
}

impl Clone for DynGame {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

impl fmt::Debug for DynGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for DynGame {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(&*other.0)
    }
}

impl Eq for DynGame {}

impl Hash for DynGame {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl TwoPlayerGame for DynGame {
    type Move = DynMove;

    fn to_move(&self) -> Side {
        self.0.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn moves(&self) -> impl Iterator<Item = DynMove> {
        self.0.moves().into_iter()
    }

    fn play_unchecked(&mut self, m: DynMove) {
        self.0.play_unchecked(m);
    }

    fn check(&self, m: DynMove) -> Result<(), IllegalMove<DynMove>> {
        self.0.check(m).map_err(|reason| IllegalMove {
            attempted: m,
            reason,
        })
    }
}

impl IndexedMoves for DynGame {
    fn move_count(&self) -> usize {
        self.0.move_count()
    }

    fn move_index(&self, m: DynMove) -> usize {
        m.index()
    }

    fn indexed_move(&self, index: usize) -> Option<DynMove> {
        (index < self.move_count()).then(|| DynMove::new(index))
    }
}

impl Notation for DynGame {
    fn move_text(&self, m: DynMove) -> String {
        self.0.move_text(m)
    }

    fn parse_move(&self, text: &str) -> Result<DynMove, ParseMoveError> {
        self.0.parse_move(text)
    }

    fn side_name(&self, side: Side) -> &'static str {
        self.0.side_name(side)
    }

    fn move_noun(&self) -> &'static str {
        self.0.move_noun()
    }
}

impl Drawing for DynGame {
    fn picture(&self) -> Picture<DynMove> {
        self.0.picture()
    }
}

impl Named for DynGame {
    fn name(&self) -> String {
        self.0.name()
    }

    fn from_name(name: &str) -> Result<Self, SpecError> {
        game(name)
    }
}
