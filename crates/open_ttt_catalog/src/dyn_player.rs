use core::num::NonZero;
use std::sync::Arc;

use super::dyn_evaluator::DynEvaluator;
use super::dyn_move::dyn_move;
use super::player_spec::SearchLimits;
use super::{CatalogGame, DynGame, DynMove, NetworkSource, PlayerKind, PlayerSpec};
#[cfg(open_ttt_small)]
use open_ttt_lib::games::missing_books;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{IllegalMove, Named, SpecError, quoted};
use open_ttt_nn::Network;
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{
    Decision, FalliblePlayer, GumbelPlayer, NetworkModel, Player, PlayerFactory, Random, Skill,
    Turn,
};
use open_ttt_search::{Budget, Clock, TimeLimit};

/// Adapts a player of the game's own type to [`DynGame`].
struct PlayerAdapter<G>(Box<dyn Player<G> + Send>);

/// Makes computer players for a game, each from a seed.
pub(super) fn players<G: CatalogGame>(
    game: &G,
    spec: &PlayerSpec,
    clock: Clock,
) -> Result<PlayerFactory<'static, DynGame>, SpecError> {
    let threads = spec.threads.unwrap_or(NonZero::<usize>::MIN);
    let mistakes = spec.mistakes;
    let difficulty = move |seed| Difficulty {
        mistakes,
        rng: Rng::new(seed),
    };
    Ok(match &spec.kind {
        PlayerKind::Human => {
            let reason = "a person is not a computer player".to_owned();
            return Err(unavailable(spec, reason));
        }
        PlayerKind::Engine(_) => {
            return Err(unavailable(spec, "no program is started here".to_owned()));
        }
        #[cfg(open_ttt_without_networks)]
        PlayerKind::Network { .. } => {
            let reason = "this build is without networks".to_owned();
            return Err(unavailable(spec, reason));
        }
        #[cfg(not(open_ttt_without_networks))]
        &PlayerKind::Network {
            ref source,
            simulations,
            time,
        } => {
            let network = network(&DynGame::new(game.clone()), game.pretrained(), spec, source);
            let network = network.map_err(|reason| unavailable(spec, reason))?;
            let time = time.map(|limit| TimeLimit { limit, clock });
            Box::new(move |seed| {
                let difficulty = difficulty(seed);
                Box::new(NetworkPlayer::new(&network, simulations, time, difficulty))
            })
        }
        PlayerKind::Level(strength) if strength.is_masters() => {
            return players(game, &spec.strongest(game.strongest())?, clock);
        }
        PlayerKind::Level(strength) => {
            let skill = strength.skill(&game.level_skills());
            return fallible_players(&DynGame::new(game.clone()), skill, clock);
        }
        PlayerKind::Fallible(skill) => {
            return fallible_players(&DynGame::new(game.clone()), *skill, clock);
        }
        PlayerKind::Random => Box::new(|seed| Box::new(Random::seeded(seed))),
        #[cfg(open_ttt_small)]
        PlayerKind::Perfect if missing_books().any(|key| key == G::KEY) => {
            return Err(unavailable(spec, "its book hasn't been loaded".to_owned()));
        }
        PlayerKind::Perfect => {
            let perfect = game
                .perfect(threads)
                .map_err(|error| unavailable(spec, format!("{error}; negamax plays it")))?;
            adapt(move |seed| perfect(difficulty(seed)))
        }
        PlayerKind::Negamax(effort) => {
            let budget = effort.budget(clock);
            adapt(move |seed| G::NEGAMAX(budget, threads, difficulty(seed)))
        }
        PlayerKind::MonteCarlo(effort) => {
            let budget = effort.budget(clock);
            adapt(move |seed| G::MONTE_CARLO(budget, threads, difficulty(seed)))
        }
    })
}

/// Makes computers that err, for the positions that follow a game.
pub(super) fn fallible_players(
    game: &DynGame,
    skill: Skill,
    clock: Clock,
) -> Result<PlayerFactory<'static, DynGame>, SpecError> {
    let attentive = game.players(&game.attentive().parse()?, clock)?;
    Ok(Box::new(move |seed| {
        let player = FalliblePlayer::new(skill, DynEvaluator, attentive(seed), seed);
        Box::new(player)
    }))
}

/// The error of a player that a game doesn't have.
fn unavailable(spec: &PlayerSpec, reason: String) -> SpecError {
    SpecError::Unavailable {
        owner: spec.to_string(),
        reason,
    }
}

/// The network of a player, or the reason why there is none.
fn network(
    game: &DynGame,
    pretrained: Option<&[u8]>,
    spec: &PlayerSpec,
    source: &NetworkSource,
) -> Result<Arc<Network>, String> {
    let network = match (spec.network(), source) {
        (Some(network), _) => Arc::clone(network),
        (None, NetworkSource::File(_)) => {
            return Err("the network in this file was not given with the player".to_owned());
        }
        (None, NetworkSource::Pretrained) => {
            let none = || format!("no network comes with {}", quoted(&game.name()));
            let bytes = pretrained.ok_or_else(none)?;
            Arc::new(Network::from_bytes(bytes).map_err(|error| error.to_string())?)
        }
    };
    network
        .check_compatible(game)
        .map_err(|misfit| misfit.to_string())?;
    Ok(network)
}

/// Adapts a factory of players of the game's own type.
fn adapt<G: CatalogGame>(
    make: impl Fn(u64) -> Box<dyn Player<G> + Send> + Send + Sync + 'static,
) -> PlayerFactory<'static, DynGame> {
    Box::new(move |seed| Box::new(PlayerAdapter(make(seed))))
}

impl SearchLimits {
    fn budget(self, clock: Clock) -> Budget {
        Budget {
            depth: self.depth,
            nodes: self.nodes,
            time: self.time.map(|limit| TimeLimit { limit, clock }),
        }
    }
}

impl<G: CatalogGame> Player<DynGame> for PlayerAdapter<G> {
    fn player_name(&self) -> &str {
        self.0.player_name()
    }

    /// Resigns a game of another type.
    fn take_turn(&mut self, turn: &Turn<'_, DynGame>) -> Decision<DynMove> {
        let Some(game) = turn.game.downcast_ref::<G>() else {
            return Decision::Resign;
        };
        let earlier = own_positions(turn.earlier);
        let mut inner = own_turn(game, &earlier, turn);
        if let Some(IllegalMove { attempted, reason }) = turn.refused
            && let Some(attempted) = game.indexed_move(attempted.index())
        {
            inner = inner.with_refused(IllegalMove { attempted, reason });
        }
        match self.0.take_turn(&inner) {
            Decision::Play(m) => Decision::Play(dyn_move(game, m)),
            Decision::Resign => Decision::Resign,
        }
    }

    fn ponder(&mut self, turn: &Turn<'_, DynGame>) -> bool {
        let earlier = own_positions(turn.earlier);
        let game = turn.game.downcast_ref::<G>();
        game.is_some_and(|game| self.0.ponder(&own_turn(game, &earlier, turn)))
    }

    fn failure(&self) -> Option<&str> {
        self.0.failure()
    }
}

/// The positions in the player's own type.
pub(super) fn own_positions<G: CatalogGame>(positions: &[DynGame]) -> Vec<G> {
    let own = positions
        .iter()
        .filter_map(|game| game.downcast_ref().cloned());
    own.collect()
}

/// The turn in the player's own type, as if it were the first request.
pub(super) fn own_turn<'a, G: CatalogGame>(
    game: &'a G,
    earlier: &'a [G],
    turn: &Turn<'a, DynGame>,
) -> Turn<'a, G> {
    let before = turn.before.and_then(DynGame::downcast_ref);
    let own = Turn::new(game).with_earlier(earlier).with_before(before);
    own.with_stop(turn.stop.clone())
}

/// A network player. It plays the game as a [`DynGame`], because its time goes into the
/// network.
struct NetworkPlayer {
    player: GumbelPlayer<DynGame, NetworkModel<Arc<Network>>>,
    /// Suits one size of the board.
    network: Arc<Network>,
}

impl NetworkPlayer {
    fn new(
        network: &Arc<Network>,
        simulations: u32,
        time: Option<TimeLimit>,
        difficulty: Difficulty,
    ) -> Self {
        let model = NetworkModel::new(Arc::clone(network));
        let player = GumbelPlayer::new(model, simulations).with_difficulty(difficulty);
        Self {
            player: match time {
                Some(limit) => player.with_time(limit),
                None => player,
            },
            network: Arc::clone(network),
        }
    }
}

impl Player<DynGame> for NetworkPlayer {
    fn player_name(&self) -> &str {
        self.player.player_name()
    }

    /// Resigns a game that its network doesn't fit.
    fn take_turn(&mut self, turn: &Turn<'_, DynGame>) -> Decision<DynMove> {
        match self.network.check_compatible(turn.game) {
            Ok(()) => self.player.take_turn(turn),
            Err(_) => Decision::Resign,
        }
    }

    fn ponder(&mut self, turn: &Turn<'_, DynGame>) -> bool {
        self.network.check_compatible(turn.game).is_ok() && self.player.ponder(turn)
    }
}
