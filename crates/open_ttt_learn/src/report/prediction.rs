use std::collections::BTreeSet;

use open_ttt_lib::rules::{Drawing, Encode, Notation, Picture};
use open_ttt_nn::{Network, Workspace};

/// A network's policy and value of a position, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionPrediction {
    /// The heading.
    pub title: String,
    /// The board; each move is its probability.
    pub picture: Picture<f32>,
    /// All moves with their probabilities, the most probable first.
    pub moves: Vec<(String, f32)>,
    /// The side to move: its mark.
    pub mover: String,
    /// The value for the side to move, from -1 to 1.
    pub value: f32,
}

/// The longest game that is played for its positions.
const MAX_PLIES: usize = 1000;

/// The largest number of moves in a title.
const TITLE_MOVES: usize = 12;

impl PositionPrediction {
    /// The prediction for a position.
    ///
    /// # Panics
    ///
    /// If the network doesn't [fit](Network::check_compatible) the game.
    pub fn of<G>(title: String, game: &G, network: &Network) -> Self
    where
        G: Drawing + Encode + Notation,
    {
        let (policy, value) = predict(game, network);
        let probability = |m: G::Move| {
            let known = policy.iter().find(|(other, _)| *other == m);
            known.map_or(f32::NAN, |&(_, probability)| probability)
        };
        let picture = game.picture().map_moves(probability);
        let mut moves: Vec<_> = policy
            .iter()
            .map(|&(m, probability)| (game.move_text(m), probability))
            .collect();
        moves.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        Self {
            title,
            mover: picture.sides[game.to_move().index()].mark.to_owned(),
            picture,
            moves,
            value,
        }
    }

    /// The predictions for some positions of the game in which both sides play the most
    /// probable move.
    ///
    /// # Panics
    ///
    /// If the network doesn't [fit](Network::check_compatible) the game.
    pub fn along_greedy_game<G>(start: &G, network: &Network) -> Vec<Self>
    where
        G: Drawing + Encode + Notation,
    {
        let (mut game, mut positions, mut moves) = (start.clone(), Vec::new(), Vec::new());
        let best = |game: &G| {
            let (policy, _) = predict(game, network);
            policy
                .into_iter()
                .max_by(|one, other| one.1.total_cmp(&other.1))
        };
        while positions.len() < MAX_PLIES
            && let Some((m, _)) = best(&game)
        {
            moves.push(game.move_text(m));
            let next = game.after(m);
            positions.push(std::mem::replace(&mut game, next));
        }
        let plies = positions.len();
        let shown = [0, 1, plies / 3, plies / 2, plies * 2 / 3, plies * 5 / 6];
        let shown = BTreeSet::from(shown).into_iter().filter_map(|ply| {
            let title = title(&moves[..ply.min(plies)]);
            Some(Self::of(title, positions.get(ply)?, network))
        });
        shown.collect()
    }
}

/// The policy and the value.
fn predict<G: Encode>(game: &G, network: &Network) -> (Vec<(G::Move, f32)>, f32) {
    let mut planes = vec![0.0; network.encoding().inputs()];
    game.encode(&mut planes);
    let mut workspace = Workspace::new();
    let predictions = network.evaluate(&planes, &mut workspace);
    let priors = predictions.priors(0, game.moves().map(|m| game.move_index(m)));
    (game.moves().zip(priors).collect(), predictions.values[0])
}

fn title(moves: &[String]) -> String {
    match moves {
        [] => "Start".to_owned(),
        [.., last] if moves.len() > TITLE_MOVES => {
            format!("After {} moves, the last {last}", moves.len())
        }
        _ => format!("After {}", moves.join(" ")),
    }
}
