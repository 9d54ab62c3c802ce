use core::any::Any;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::num::NonZero;
use std::sync::Arc;

#[cfg(not(open_ttt_small))]
use super::DynPuzzleFinder;
use super::erased::Erased;
use super::puzzles::puzzle_line;
use super::solving::SolveRequest;
use super::{
    AnalysisResult, CatalogGame, DynMove, GameEntry, PlayerSpec, Puzzles, SolveProgress,
    SolvedPosition,
};
use open_ttt_coach::{Judge, Puzzle};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    Drawing, Encode, Encoding, IllegalMove, IndexedMoves, Named, Notation, Objective, Outcome,
    ParseMoveError, Picture, Repetition, Side, SpecError, TwoPlayerGame,
};
#[cfg(not(open_ttt_small))]
use open_ttt_players::LevelSkills;
use open_ttt_players::{Player, PlayerFactory};
use open_ttt_search::{Budget, Clock, Score, SolveError, StopFlag};

/// A game chosen at run time.
///
/// It implements the traits of a game, so everything generic over games accepts it.
/// Searches run at full speed on the game's own type: [`player`](Self::player),
/// [`analyze`](Self::analyze), [`solve`](Self::solve), [`perft`](Self::perft).
///
/// ```
/// use open_ttt_catalog::Catalog;
/// use open_ttt_lib::rules::play_text;
///
/// let mut game = Catalog::bundled().game("pegs(lines=38)")?;
/// play_text(&mut game, "ABCH").expect("four moves");
/// assert_eq!(game.perft(2), 8 * 8);
/// # Ok::<(), open_ttt_lib::rules::SpecError>(())
/// ```
///
/// Clones share one position until one of them plays on, so they are cheap to keep.
pub struct DynGame(Arc<dyn Erased>);

impl DynGame {
    /// Wraps a game, which may be one of your own.
    ///
    /// # Panics
    ///
    /// If its moves have more than 65,536 numbers ([`IndexedMoves::move_count`]).
    pub fn new(game: impl CatalogGame) -> Self {
        // Those in small builds are known.
        #[cfg(not(open_ttt_small))]
        assert!(
            game.move_count() <= 1 << 16,
            "a game has at most 65,536 numbers of moves"
        );
        Self(Arc::new(game))
    }

    /// The game in its own type, if that is `G`.
    pub fn downcast_ref<G: Any>(&self) -> Option<&G> {
        self.0.as_any().downcast_ref()
    }

    /// The kind of game.
    pub fn entry(&self) -> GameEntry {
        self.0.entry()
    }

    /// The strongest computer player that is fast enough for interactive play, as
    /// a [`PlayerSpec`].
    pub fn strongest(&self) -> &'static str {
        self.0.strongest()
    }

    /// The number of move sequences of `depth` moves, as [`rules::perft`](open_ttt_lib::rules::perft).
    #[cfg(not(open_ttt_small))]
    pub fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ => self.perft_divide(depth).iter().map(|(_, n)| n).sum(),
        }
    }

    /// The number of move sequences by first move, as
    /// [`rules::perft_divide`](open_ttt_lib::rules::perft_divide).
    #[cfg(not(open_ttt_small))]
    pub fn perft_divide(&self, depth: u32) -> Vec<(DynMove, u64)> {
        self.0.perft_divide(depth)
    }

    /// Computes the value of the position and its best moves.
    ///
    /// Hard positions use up to this number of threads; one starts no thread. The
    /// number doesn't change exact values. In a game that
    /// [can be proved](Self::can_be_proved) the result is exact unless the budget
    /// or the flag ends the analysis.
    pub fn analyze(
        &self,
        threads: NonZero<usize>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> AnalysisResult {
        self.0.analyze(threads, budget, stop)
    }

    /// What finds out what every move is worth, for this game and the positions that
    /// follow. Hard positions use up to this number of threads; one starts no thread.
    ///
    /// ```
    /// use std::num::NonZero;
    ///
    /// use open_ttt_catalog::Catalog;
    /// use open_ttt_coach::{Judge, Puzzle};
    /// use open_ttt_lib::rules::{Notation, play_text};
    /// use open_ttt_players::Turn;
    /// use open_ttt_search::Budget;
    ///
    /// let mut game = Catalog::bundled().game("ttt")?;
    /// let mut judge = game.judge(NonZero::<usize>::MIN);
    /// play_text(&mut game, "a1 b1 a2 b3").expect("four moves");
    /// let values = judge.judge(&Turn::new(&game), &Budget::UNLIMITED, &mut |_| ());
    /// assert_eq!(game.move_text(values.moves[0].m), "a3");
    /// # Ok::<(), open_ttt_lib::rules::SpecError>(())
    /// ```
    pub fn judge(&self, threads: NonZero<usize>) -> Box<dyn Judge<Self> + Send> {
        self.0.judge(threads)
    }

    /// As [`Evaluator::finished`](open_ttt_search::Evaluator::finished) of the game's searches.
    pub(super) fn finished_score(&self, outcome: Outcome, plies: u32) -> Score {
        self.0.finished_score(outcome, plies)
    }

    /// As [`Evaluator::unfinished`](open_ttt_search::Evaluator::unfinished) of the game's
    /// searches.
    pub(super) fn unfinished_score(&self) -> Score {
        self.0.unfinished_score()
    }

    /// As [`CatalogGame::level_skills`].
    #[cfg(not(open_ttt_small))]
    pub(super) fn level_skills(&self) -> LevelSkills {
        self.0.level_skills()
    }

    /// As [`CatalogGame::attentive`].
    pub(super) fn attentive(&self) -> &'static str {
        self.0.attentive()
    }

    /// The puzzles that come with the game of which this is the start position.
    ///
    /// ```
    /// use open_ttt_catalog::Catalog;
    ///
    /// let puzzles = Catalog::bundled().game("connect4")?.puzzles();
    /// let today = puzzles.daily(20_000).expect("puzzles");
    /// let puzzle = puzzles.get(today).expect("an index").expect("a well-formed puzzle");
    /// assert!((1..=5).contains(&puzzle.stars()));
    /// # Ok::<(), open_ttt_lib::rules::SpecError>(())
    /// ```
    pub fn puzzles(&self) -> Puzzles {
        Puzzles::of_text(self, self.0.puzzles())
    }

    /// What finds new puzzles that begin at this position.
    #[cfg(not(open_ttt_small))]
    pub fn puzzle_finder(&self) -> DynPuzzleFinder {
        DynPuzzleFinder::new(self)
    }

    /// A puzzle that begins at this position as a line of text, as [`Puzzles`] reads it.
    pub fn puzzle_line(&self, puzzle: &Puzzle<DynMove>) -> String {
        puzzle_line(self, puzzle)
    }

    /// The position that stands for this one and all its mirrored and rotated images, if
    /// the game [tells](CatalogGame::CANONICAL) them.
    #[cfg(not(open_ttt_small))]
    pub fn canonical(&self) -> Self {
        Self(self.0.canonical())
    }

    /// The number of symmetries that the game [tells](CatalogGame::TRANSFORMS).
    #[cfg(not(open_ttt_small))]
    pub(super) fn symmetry_count(&self) -> usize {
        self.0.symmetry_count()
    }

    /// The position's image under one of them.
    #[cfg(not(open_ttt_small))]
    pub(super) fn image_at(&self, index: usize) -> Self {
        Self(self.0.image(index))
    }

    /// A move's image under one of them, which is a move of the position's image.
    #[cfg(not(open_ttt_small))]
    pub(super) fn move_image_at(&self, m: DynMove, index: usize) -> DynMove {
        self.0.move_image(m, index)
    }

    /// Whether [`analyze`](Self::analyze) without a limit proves the value of any
    /// position: within seconds as a rule, minutes at worst.
    pub fn can_be_proved(&self) -> bool {
        self.0.can_be_proved()
    }

    /// Whether a network comes with this game, for the player `net:pretrained`.
    pub fn has_network(&self) -> bool {
        self.0.has_network()
    }

    /// Whether [`solve`](Self::solve) supports this game.
    #[cfg(not(open_ttt_small))]
    pub fn can_be_solved(&self) -> bool {
        self.0.can_be_solved()
    }

    /// Solves the game outright from this position; `None` if this kind of game isn't solved, or
    /// its board is too large.
    ///
    /// The number of threads doesn't change the result; one starts no thread.
    /// `progress` is called as the work advances.
    ///
    /// # Errors
    ///
    /// [`SolveError`] if the flag is raised, which a search of all positions looks at only when it
    /// begins; if there are too many positions; or if a repetition loses.
    #[cfg(not(open_ttt_small))]
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

    /// A computer player for this game and the positions that follow.
    ///
    /// # Errors
    ///
    /// [`SpecError::Unavailable`] if the spec isn't a computer player's, or that
    /// player doesn't support this game.
    pub fn player(
        &self,
        spec: &PlayerSpec,
        clock: Clock,
    ) -> Result<Box<dyn Player<Self> + Send>, SpecError> {
        let seed = spec.seed.unwrap_or_else(|| Rng::from_entropy().next_u64());
        Ok(self.players(spec, clock)?(seed))
    }

    /// A factory of computer players for this game. Its seeds replace that of
    /// `spec`; what the players share is computed once.
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
        Self(Arc::clone(&self.0))
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

    fn repetition(&self) -> Option<Repetition> {
        self.0.repetition()
    }

    fn play_unchecked(&mut self, m: DynMove) {
        if Arc::get_mut(&mut self.0).is_none() {
            self.0 = self.0.unshared();
        }
        if let Some(game) = Arc::get_mut(&mut self.0) {
            game.play_unchecked(m);
        }
    }

    fn check(&self, m: DynMove) -> Result<(), IllegalMove<DynMove>> {
        self.0.check(m)
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
        self.0.has_index(index).then(|| DynMove::new(index))
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
}

impl Encode for DynGame {
    fn encoding(&self) -> Encoding {
        self.0.encoding()
    }

    fn encode(&self, planes: &mut [f32]) {
        self.0.encode(planes);
    }

    fn objective(&self) -> Objective<Self> {
        match self.0.margin_objective() {
            None => Objective::WinLoss,
            Some(_) => Objective::Margin(|game| game.0.margin_objective().unwrap_or(0.0)),
        }
    }
}
