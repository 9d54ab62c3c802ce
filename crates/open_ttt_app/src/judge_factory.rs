use core::fmt;

use open_ttt_coach::{Judge, TreeJudge};
use open_ttt_lib::rules::TwoPlayerGame;

/// A judge that can move to another thread.
pub(crate) type BoxedJudge<G> = Box<dyn Judge<G> + Send>;

/// A function that creates the judge of an app's game.
pub(crate) struct JudgeFactory<G: TwoPlayerGame>(Box<dyn Fn() -> BoxedJudge<G>>);

impl<G: TwoPlayerGame> JudgeFactory<G> {
    pub(crate) fn new(make: impl Fn() -> BoxedJudge<G> + 'static) -> Self {
        Self(Box::new(make))
    }

    pub(crate) fn make(&self) -> BoxedJudge<G> {
        (self.0)()
    }
}

impl<G> Default for JudgeFactory<G>
where
    G: TwoPlayerGame + Send + 'static,
    G::Move: Send,
{
    /// Judges that know nothing of the game but its rules.
    fn default() -> Self {
        Self::new(|| Box::new(TreeJudge::default()))
    }
}

impl<G: TwoPlayerGame> fmt::Debug for JudgeFactory<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgeFactory").finish_non_exhaustive()
    }
}
