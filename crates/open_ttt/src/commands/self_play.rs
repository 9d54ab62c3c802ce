//! What `train` and `work` share: the player of their games.

use std::sync::Arc;

use open_ttt_catalog::{CatalogGame, DynGame, GameVisitor};
use open_ttt_learn::{GameRunner, game_runner};
use open_ttt_lib::rules::{Encode, Symmetry};

/// A runner of games from this position, in the game's own type where it is known: most of
/// the time of a run is spent there.
pub(super) fn own_runner(game: &DynGame) -> Arc<dyn GameRunner> {
    let own = game.visit(NewRunner);
    own.unwrap_or_else(|| game_runner(game.clone()))
}

struct NewRunner;

impl GameVisitor for NewRunner {
    type Output = Arc<dyn GameRunner>;

    fn visit<G: CatalogGame + Encode + Symmetry>(self, game: &G) -> Arc<dyn GameRunner> {
        game_runner(game.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use open_ttt_catalog::Catalog;
    use open_ttt_learn::{Config, Preset, TaskSlice};
    use open_ttt_nn::Network;
    use open_ttt_search::StopFlag;

    use super::*;

    /// A learner trains on a `DynGame`, whoever plays its games.
    #[test]
    fn the_games_own_type_plays_as_the_game_of_the_catalog() {
        for entry in Catalog::bundled().games() {
            let game = Catalog::bundled().game(entry.key).expect("a game");
            let mut config = Config::preset(Preset::Fast, &game.encoding());
            config.architecture = "perceptron(hidden=8)".to_owned();
            config.self_play.simulations = 8;
            let architecture = config.architecture().expect("an architecture");
            let network = Network::new(&game, architecture, 1).expect("a network");
            let play = |runner: &dyn GameRunner| {
                runner.suits(&network).expect("a network of the game");
                let slice = TaskSlice {
                    network: &network,
                    self_play: &config.self_play,
                    seed: 1,
                    numbers: 0..2,
                };
                runner.play(&slice, NonZero::<usize>::MIN, &StopFlag::new())
            };
            let own = play(&*own_runner(&game)).expect("games");
            assert_eq!(own.len(), 2);
            assert_eq!(Ok(own), play(&*game_runner(game)), "{}", entry.key);
        }
    }
}
