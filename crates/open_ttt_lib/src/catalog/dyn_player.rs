use super::dyn_move::dyn_move;
use super::player_spec::Effort;
use super::{CatalogGame, DynGame, DynMove, PlayerKind, PlayerSpec};
use crate::players::difficulty::Difficulty;
use crate::players::{Decision, MonteCarlo, Player, Random, Turn};
use crate::random::Rng;
use crate::rules::{IllegalMove, SpecError};
use crate::search::{Budget, Clock, TimeLimit};

/// A player of the game itself, at the table of a [`DynGame`].
struct Seated<G> {
    player: Box<dyn Player<G> + Send>,
}

/// A computer player for a game.
pub(super) fn player<G: CatalogGame>(
    game: &G,
    spec: &PlayerSpec,
    clock: Clock,
) -> Result<Box<dyn Player<DynGame> + Send>, SpecError> {
    let rng = spec.seed.map_or_else(Rng::from_entropy, Rng::new);
    let difficulty = Difficulty {
        mistakes: spec.mistakes,
        rng,
    };
    let unavailable = |reason: String| SpecError::Unavailable {
        owner: spec.to_string(),
        reason,
    };
    let player: Box<dyn Player<G> + Send> = match spec.kind {
        PlayerKind::Human => {
            return Err(unavailable("a person is not a computer player".to_owned()));
        }
        PlayerKind::Random => Box::new(spec.seed.map_or_else(Random::new, Random::seeded)),
        PlayerKind::Perfect => game.perfect(difficulty).map_err(|error| {
            unavailable(format!("{error}, too many to solve; negamax plays it"))
        })?,
        PlayerKind::Negamax(effort) => game.negamax(effort.budget(clock), difficulty),
        PlayerKind::MonteCarlo(effort) => {
            Box::new(MonteCarlo::new(effort.budget(clock)).with_difficulty(difficulty))
        }
    };
    Ok(Box::new(Seated { player }))
}

impl Effort {
    fn budget(self, clock: Clock) -> Budget {
        Budget {
            depth: self.depth,
            nodes: self.nodes,
            time: self.time.map(|limit| TimeLimit { limit, clock }),
        }
    }
}

impl<G: CatalogGame> Player<DynGame> for Seated<G> {
    fn player_name(&self) -> &str {
        self.player.player_name()
    }

    /// Resigns a game that is not of its kind.
    fn take_turn(&mut self, turn: &Turn<'_, DynGame>) -> Decision<DynMove> {
        let Some(game) = turn.game.downcast_ref::<G>() else {
            return Decision::Resign;
        };
        let refused = turn.refused.and_then(|IllegalMove { attempted, reason }| {
            let attempted = game.indexed_move(attempted.index())?;
            Some(IllegalMove { attempted, reason })
        });
        let turn = Turn {
            game,
            side: turn.side,
            refused,
            stop: turn.stop.clone(),
        };
        match self.player.take_turn(&turn) {
            Decision::Play(m) => Decision::Play(dyn_move(game, m)),
            Decision::Resign => Decision::Resign,
        }
    }
}
