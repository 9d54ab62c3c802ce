use open_ttt_lib::rules::{BoardCell, Drawing, Encode, Notation, Picture};
use open_ttt_nn::{Network, Workspace};

/// What a network thinks of a position at first sight, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion {
    /// What the position is.
    pub title: String,
    /// The board; each cell that a move would fill has the probability of that
    /// move in its place.
    pub picture: Picture<f32>,
    /// Every move and its probability, the most probable first.
    pub moves: Vec<(String, f32)>,
    /// The mark of the side to move, or what else it is called.
    pub mover: String,
    /// How it expects the game to end for the side to move, from -1 to 1.
    pub value: f32,
}

/// Games that are longer are not played to their end to show positions of them.
const LONGEST: usize = 1000;

/// So many moves are listed in the title of a position.
const TITLE_MOVES: usize = 12;

impl Opinion {
    /// What a network thinks of a position.
    ///
    /// # Panics
    ///
    /// If the network does not [suit](Network::suits) the game.
    pub fn of<G>(title: String, game: &G, network: &Network) -> Self
    where
        G: Drawing + Encode + Notation,
    {
        let (policy, value) = first_sight(game, network);
        let picture = game.picture();
        let probability = |m: G::Move| {
            let known = policy.iter().find(|(other, _)| *other == m);
            known.map(|&(_, probability)| probability)
        };
        let cells = picture.cells.iter().map(|cell| BoardCell {
            place: cell.place,
            owner: cell.owner,
            playable: cell.playable.and_then(probability),
        });
        let mut moves: Vec<_> = policy
            .iter()
            .map(|&(m, probability)| (game.move_text(m), probability))
            .collect();
        moves.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        Self {
            title,
            mover: picture.marks[game.to_move().index()].to_owned(),
            picture: Picture {
                cells: cells.collect(),
                layout: picture.layout,
                marks: picture.marks,
                lines: picture.lines,
                points: picture.points,
            },
            moves,
            value,
        }
    }

    /// What it thinks of some positions, from the start on: they are taken from
    /// the game in which each side plays the move it holds most probable.
    ///
    /// # Panics
    ///
    /// If the network does not [suit](Network::suits) the game.
    pub fn on_the_way<G>(start: &G, network: &Network) -> Vec<Self>
    where
        G: Drawing + Encode + Notation,
    {
        let (mut game, mut positions, mut moves) = (start.clone(), Vec::new(), Vec::new());
        while positions.len() < LONGEST {
            let (policy, _) = first_sight(&game, network);
            let likeliest = policy.iter().max_by(|one, other| one.1.total_cmp(&other.1));
            let Some(&(m, _)) = likeliest else {
                break;
            };
            let text = game.move_text(m);
            let next = game.after(m);
            positions.push(std::mem::replace(&mut game, next));
            moves.push(text);
        }
        let plies = positions.len();
        let mut shown = vec![0, 1, plies / 3, plies / 2, plies * 2 / 3, plies * 5 / 6];
        shown.sort_unstable();
        shown.dedup();
        shown
            .into_iter()
            .filter_map(|ply| {
                let title = title(&moves[..ply.min(plies)]);
                Some(Self::of(title, positions.get(ply)?, network))
            })
            .collect()
    }
}

/// Each move with its probability, and the value.
fn first_sight<G: Encode>(game: &G, network: &Network) -> (Vec<(G::Move, f32)>, f32) {
    let mut planes = vec![0.0; network.encoding().inputs()];
    game.encode(&mut planes);
    let mut workspace = Workspace::new();
    let predictions = network.evaluate(&planes, &mut workspace);
    let priors = predictions.priors(0, game.moves().map(|m| game.move_index(m)));
    (game.moves().zip(priors).collect(), predictions.values[0])
}

fn title(moves: &[String]) -> String {
    match moves {
        [] => "The start".to_owned(),
        [.., last] if moves.len() > TITLE_MOVES => {
            format!("After {} moves, the last {last}", moves.len())
        }
        _ => format!("After {}", moves.join(" ")),
    }
}
