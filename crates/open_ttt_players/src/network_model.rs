use core::ops::Deref;

use open_ttt_lib::rules::{Encode, Objective};
use open_ttt_nn::{Network, Workspace};
use open_ttt_search::{Estimates, PolicyValue};

/// A network as the policy-value model of a search.
///
/// It takes the network by reference or shared.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_nn::{Architecture, Network};
/// use open_ttt_players::{GumbelPlayer, NetworkModel, Random, play_game};
///
/// let game = TicTacToe::new();
/// let architecture = Architecture::Perceptron { hidden: vec![16] };
/// let untrained = Network::new(&game, architecture, 1)?;
/// let mut computer = GumbelPlayer::new(NetworkModel::new(&untrained), 100);
/// let record = play_game(&game, &mut computer, &mut Random::seeded(1));
/// assert!(record.moves.len() >= 5);
/// # Ok::<(), open_ttt_nn::ArchitectureError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetworkModel<N> {
    network: N,
    workspace: Workspace,
    planes: Vec<f32>,
}

impl<N: Deref<Target = Network>> NetworkModel<N> {
    /// The model of this network. Check with [`Network::check_compatible`] that the network
    /// fits the game.
    pub fn new(network: N) -> Self {
        Self {
            network,
            workspace: Workspace::new(),
            planes: Vec::new(),
        }
    }
}

impl<G: Encode, N: Deref<Target = Network>> PolicyValue<G> for NetworkModel<N> {
    /// # Panics
    ///
    /// If the network doesn't fit the game.
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        let inputs = self.network.encoding().inputs();
        self.planes.resize(positions.len() * inputs, 0.0);
        for (position, planes) in positions.iter().zip(self.planes.chunks_exact_mut(inputs)) {
            position.encode(planes);
        }
        let predictions = self.network.evaluate(&self.planes, &mut self.workspace);
        let moves = self.network.encoding().moves;
        for (index, position) in positions.iter().enumerate() {
            let logits = &predictions.logits[index * moves..][..moves];
            let legal = position.moves().map(|m| logits[position.move_index(m)]);
            estimates.push(predictions.values[index], legal);
        }
    }

    fn objective(&self, game: &G) -> Objective<G> {
        game.objective()
    }
}
