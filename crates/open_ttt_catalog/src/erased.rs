use core::any::Any;
use core::fmt::Debug;
use core::hash::{Hash, Hasher};
use core::num::NonZero;
use std::sync::Arc;

use super::dyn_judge::adapt_judge;
use super::dyn_move::{dyn_move, own_move, parse_dyn_move};
use super::dyn_player::players;
use super::solving::{SolveRequest, SolvedPosition};
use super::{AnalysisResult, CatalogGame, DynGame, DynMove, GameEntry, PlayerSpec};
use open_ttt_coach::Judge;
use open_ttt_lib::rules::{
    self, Encoding, IllegalMove, Named, Outcome, ParseMoveError, Picture, Reason, Repetition, Side,
    SpecError,
};
#[cfg(not(open_ttt_small))]
use open_ttt_players::LevelSkills;
use open_ttt_players::PlayerFactory;
use open_ttt_search::{Budget, Clock, Score, SolveError, StopFlag};

/// The object-safe form of [`CatalogGame`] behind a [`DynGame`].
pub(super) trait Erased: Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    /// A copy that nothing else shares.
    fn unshared(&self) -> Arc<dyn Erased>;
    fn equals(&self, other: &dyn Erased) -> bool;
    fn hash(&self, hasher: &mut dyn Hasher);

    fn to_move(&self) -> Side;
    fn outcome(&self) -> Option<Outcome>;
    fn moves(&self) -> Vec<DynMove>;
    fn repetition(&self) -> Option<Repetition>;
    fn play_unchecked(&mut self, m: DynMove);
    fn check(&self, m: DynMove) -> Result<(), IllegalMove<DynMove>>;

    fn move_text(&self, m: DynMove) -> String;
    fn parse_move(&self, text: &str) -> Result<DynMove, ParseMoveError>;
    fn side_name(&self, side: Side) -> &'static str;
    fn move_noun(&self) -> &'static str;
    fn picture(&self) -> Picture<DynMove>;
    fn move_count(&self) -> usize;
    fn has_index(&self, index: usize) -> bool;
    fn encoding(&self) -> Encoding;
    fn encode(&self, planes: &mut [f32]);
    fn margin_objective(&self) -> Option<f32>;

    fn name(&self) -> String;
    fn entry(&self) -> GameEntry;
    fn strongest(&self) -> &'static str;
    #[cfg(not(open_ttt_small))]
    fn level_skills(&self) -> LevelSkills;
    fn attentive(&self) -> &'static str;

    fn finished_score(&self, outcome: Outcome, plies: u32) -> Score;
    fn unfinished_score(&self) -> Score;
    #[cfg(not(open_ttt_small))]
    fn perft_divide(&self, depth: u32) -> Vec<(DynMove, u64)>;
    fn has_network(&self) -> bool;
    #[cfg(not(open_ttt_small))]
    fn can_be_solved(&self) -> bool;
    #[cfg(not(open_ttt_small))]
    fn solve(&self, request: &mut SolveRequest<'_>) -> Option<Result<SolvedPosition, SolveError>>;
    fn can_be_proved(&self) -> bool;
    fn analyze(&self, threads: NonZero<usize>, budget: &Budget, stop: &StopFlag) -> AnalysisResult;
    fn judge(&self, threads: NonZero<usize>) -> Box<dyn Judge<DynGame> + Send>;
    #[cfg(not(open_ttt_small))]
    fn canonical(&self) -> Arc<dyn Erased>;
    #[cfg(not(open_ttt_small))]
    fn symmetry_count(&self) -> usize;
    #[cfg(not(open_ttt_small))]
    fn image(&self, index: usize) -> Arc<dyn Erased>;
    #[cfg(not(open_ttt_small))]
    fn move_image(&self, m: DynMove, index: usize) -> DynMove;
    fn puzzles(&self) -> &'static str;
    fn players(
        &self,
        spec: &PlayerSpec,
        clock: Clock,
    ) -> Result<PlayerFactory<'static, DynGame>, SpecError>;
}

impl<G: CatalogGame> Erased for G {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn unshared(&self) -> Arc<dyn Erased> {
        Arc::new(self.clone())
    }

    fn equals(&self, other: &dyn Erased) -> bool {
        other.as_any().downcast_ref::<G>() == Some(self)
    }

    fn hash(&self, mut hasher: &mut dyn Hasher) {
        // Positions of different games may have equal fields.
        core::any::type_name::<G>().hash(&mut hasher);
        Hash::hash(self, &mut hasher);
    }

    fn to_move(&self) -> Side {
        rules::TwoPlayerGame::to_move(self)
    }

    fn outcome(&self) -> Option<Outcome> {
        rules::TwoPlayerGame::outcome(self)
    }

    fn moves(&self) -> Vec<DynMove> {
        rules::TwoPlayerGame::moves(self)
            .map(|m| dyn_move(self, m))
            .collect()
    }

    fn repetition(&self) -> Option<Repetition> {
        rules::TwoPlayerGame::repetition(self)
    }

    fn play_unchecked(&mut self, m: DynMove) {
        if let Some(m) = own_move(self, m) {
            rules::TwoPlayerGame::play_unchecked(self, m);
        }
    }

    fn check(&self, attempted: DynMove) -> Result<(), IllegalMove<DynMove>> {
        let checked = match own_move(self, attempted) {
            Some(m) => rules::TwoPlayerGame::check(self, m).map_err(|illegal| illegal.reason),
            None if self.outcome().is_some() => Err(Reason::GameOver),
            None => Err(attempted.reason().unwrap_or(Reason::OffBoard)),
        };
        checked.map_err(|reason| IllegalMove { attempted, reason })
    }

    fn move_text(&self, m: DynMove) -> String {
        own_move(self, m).map_or_else(|| "?".to_owned(), |m| rules::Notation::move_text(self, m))
    }

    fn parse_move(&self, text: &str) -> Result<DynMove, ParseMoveError> {
        parse_dyn_move(self, text)
    }

    fn side_name(&self, side: Side) -> &'static str {
        rules::Notation::side_name(self, side)
    }

    fn move_noun(&self) -> &'static str {
        rules::Notation::move_noun(self)
    }

    fn picture(&self) -> Picture<DynMove> {
        rules::Drawing::picture(self).map_moves(|m| dyn_move(self, m))
    }

    fn move_count(&self) -> usize {
        rules::IndexedMoves::move_count(self)
    }

    fn has_index(&self, index: usize) -> bool {
        self.indexed_move(index).is_some()
    }

    fn encoding(&self) -> Encoding {
        (G::ENCODER.encoding)(self)
    }

    fn encode(&self, planes: &mut [f32]) {
        (G::ENCODER.encode)(self, planes);
    }

    fn margin_objective(&self) -> Option<f32> {
        (G::ENCODER.margin)(self)
    }

    fn name(&self) -> String {
        Named::name(self)
    }

    fn entry(&self) -> GameEntry {
        GameEntry::of::<G>()
    }

    fn strongest(&self) -> &'static str {
        CatalogGame::strongest(self)
    }

    #[cfg(not(open_ttt_small))]
    fn level_skills(&self) -> LevelSkills {
        CatalogGame::level_skills(self)
    }

    fn attentive(&self) -> &'static str {
        CatalogGame::attentive(self)
    }

    fn finished_score(&self, outcome: Outcome, plies: u32) -> Score {
        (G::SEARCHES.evaluation.finished)(self, outcome, plies)
    }

    fn unfinished_score(&self) -> Score {
        (G::SEARCHES.evaluation.unfinished)(self)
    }

    #[cfg(not(open_ttt_small))]
    fn perft_divide(&self, depth: u32) -> Vec<(DynMove, u64)> {
        rules::perft_divide(self, depth)
            .into_iter()
            .map(|(m, count)| (dyn_move(self, m), count))
            .collect()
    }

    fn has_network(&self) -> bool {
        CatalogGame::pretrained(self).is_some()
    }

    #[cfg(not(open_ttt_small))]
    fn can_be_solved(&self) -> bool {
        CatalogGame::solver(self).is_some()
    }

    #[cfg(not(open_ttt_small))]
    fn solve(&self, request: &mut SolveRequest<'_>) -> Option<Result<SolvedPosition, SolveError>> {
        CatalogGame::solver(self).map(|solver| (solver.0)(self, request))
    }

    fn can_be_proved(&self) -> bool {
        CatalogGame::can_be_proved(self)
    }

    fn analyze(&self, threads: NonZero<usize>, budget: &Budget, stop: &StopFlag) -> AnalysisResult {
        match CatalogGame::known_outcome(self, stop) {
            Some(known) => AnalysisResult::of_outcome(self, &known),
            None => AnalysisResult::of(self, &CatalogGame::analyze(self, threads, budget, stop)),
        }
    }

    fn judge(&self, threads: NonZero<usize>) -> Box<dyn Judge<DynGame> + Send> {
        adapt_judge(CatalogGame::judge(self, threads))
    }

    #[cfg(not(open_ttt_small))]
    fn canonical(&self) -> Arc<dyn Erased> {
        Arc::new(G::CANONICAL(self))
    }

    #[cfg(not(open_ttt_small))]
    fn symmetry_count(&self) -> usize {
        (G::TRANSFORMS.count)(self)
    }

    #[cfg(not(open_ttt_small))]
    fn image(&self, index: usize) -> Arc<dyn Erased> {
        Arc::new((G::TRANSFORMS.image)(self, index))
    }

    #[cfg(not(open_ttt_small))]
    fn move_image(&self, m: DynMove, index: usize) -> DynMove {
        own_move(self, m).map_or(m, |own| {
            let image = (G::TRANSFORMS.image)(self, index);
            dyn_move(&image, (G::TRANSFORMS.move_image)(self, own, index))
        })
    }

    fn puzzles(&self) -> &'static str {
        CatalogGame::puzzles(self)
    }

    fn players(
        &self,
        spec: &PlayerSpec,
        clock: Clock,
    ) -> Result<PlayerFactory<'static, DynGame>, SpecError> {
        players(self, spec, clock)
    }
}
