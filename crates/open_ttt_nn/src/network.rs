use core::error::Error;
use core::fmt;
use core::str::FromStr;

use super::architecture::Layer;
use super::kernel::PackedWeights;
use super::parameters::Parameters;
use super::safetensors::{Contents, FormatError, Precision, Tensor};
use super::workspace::{Plan, Predictions, Workspace};
use super::{Architecture, ArchitectureError};
use open_ttt_lib::rules::{Encode, Encoding, Named, quoted};

/// A policy and value network for a game.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_nn::{Architecture, Network, Workspace};
/// use open_ttt_lib::rules::{Encode, IndexedMoves, TwoPlayerGame};
///
/// let game = TicTacToe::new();
/// let architecture = Architecture::Perceptron { hidden: vec![64, 64] };
/// let network = Network::new(&game, architecture, 1)?;
///
/// let mut planes = vec![0.0; game.encoding().inputs()];
/// game.encode(&mut planes);
/// let mut workspace = Workspace::new();
/// let predictions = network.evaluate(&planes, &mut workspace);
/// let priors = predictions.priors(0, game.moves().map(|m| game.move_index(m)));
/// assert_eq!(priors, [1.0 / 9.0; 9]); // it is untrained
/// # Ok::<(), open_ttt_nn::ArchitectureError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Network {
    /// Its origin and strength.
    pub card: ModelCard,
    game: String,
    encoding: Encoding,
    architecture: Architecture,
    layers: Vec<Layer>,
    plan: Plan,
    parameters: Parameters,
}

/// The origin and strength of a network (a model card).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelCard {
    /// The seed of its training.
    pub seed: u64,
    /// The number of games it was trained on.
    pub games: u64,
    /// Its strength and how it was measured.
    pub strength: String,
}

/// The version of the file's metadata and of the names and order of the layers.
const FORMAT: &str = "open_ttt network 1";

impl Network {
    /// An untrained network for this game. Weights are random, from this seed; those of
    /// the output layers are zero, so that all moves have the same prior and the value
    /// is 0.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError`] if the network would be too large.
    pub fn new<G: Encode + Named>(
        game: &G,
        architecture: Architecture,
        seed: u64,
    ) -> Result<Self, ArchitectureError> {
        let layers = architecture.layers(&game.encoding())?;
        let numbers = Parameters::random(&layers, seed);
        Ok(Self {
            card: ModelCard {
                seed,
                ..ModelCard::default()
            },
            game: game.name(),
            encoding: game.encoding(),
            architecture,
            plan: Plan::new(&layers),
            parameters: Parameters::new(&layers, numbers),
            layers,
        })
    }

    /// The name of its game.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// The encoding of its input.
    pub const fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Its architecture.
    pub const fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Its layers in order of computation; the last but one is the policy head's
    /// output, the last the value head's.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The layers' weights, packed for the kernels.
    pub fn packed(&self) -> &[PackedWeights] {
        &self.parameters.packed
    }

    /// All parameters: for each layer its weights, by output, channel and tap, and then
    /// its biases. The inputs of a fully connected layer are ordered by cell and
    /// channel.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters.numbers
    }

    /// Updates the parameters with a closure.
    pub fn update(&mut self, update: impl FnOnce(&mut [f32])) {
        update(&mut self.parameters.numbers);
        self.parameters.pack(&self.layers);
    }

    /// Evaluates positions, encoded one after the other by [`Encode::encode`].
    ///
    /// The result for a position does not depend on the other positions of the batch,
    /// and has the same bits on AVX2 and AVX-512.
    ///
    /// # Panics
    ///
    /// If the last position is incomplete.
    pub fn evaluate<'a>(&self, planes: &[f32], workspace: &'a mut Workspace) -> &'a Predictions {
        workspace.evaluate(self, planes)
    }

    /// Whether the network was made for this game and its encoding.
    ///
    /// # Errors
    ///
    /// [`IncompatibleNetwork`] if it is for another game, or for another encoding of it.
    pub fn check_compatible<G: Encode + Named>(&self, game: &G) -> Result<(), IncompatibleNetwork> {
        if self.game != game.name() {
            Err(IncompatibleNetwork::Game {
                found: self.game.clone(),
                expected: game.name(),
            })
        } else if self.encoding != game.encoding() {
            Err(IncompatibleNetwork::Encoding {
                found: self.encoding,
                expected: game.encoding(),
            })
        } else {
            Ok(())
        }
    }

    /// The network as a file in the [safetensors](super::safetensors) format, with its
    /// card as metadata.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_in(Precision::Single)
    }

    /// The network as a file with weights of this precision. In half precision it takes half
    /// the space, and what is read from it is the network with rounded weights.
    pub fn to_bytes_in(&self, precision: Precision) -> Vec<u8> {
        let encoding = &self.encoding;
        let texts = [
            ("format", FORMAT.into()),
            ("game", self.game.clone()),
            ("encoding.version", encoding.version.to_string()),
            ("encoding.planes", encoding.planes.to_string()),
            ("encoding.rows", encoding.rows.to_string()),
            ("encoding.columns", encoding.columns.to_string()),
            ("encoding.moves", encoding.moves.to_string()),
            ("architecture", self.architecture.to_string()),
            ("seed", self.card.seed.to_string()),
            ("games", self.card.games.to_string()),
            ("strength", self.card.strength.clone()),
        ];
        let mut rest = self.parameters();
        let mut tensors = Vec::new();
        for layer in &self.layers {
            for (kind, shape) in shapes(layer) {
                let (numbers, others) = rest.split_at(shape.iter().product());
                rest = others;
                tensors.push(Tensor {
                    name: format!("{}.{kind}", layer.name),
                    shape,
                    numbers: numbers.to_vec(),
                });
            }
        }
        let metadata = texts.map(|(key, text)| (key.into(), text)).into();
        Contents { metadata, tensors }.to_bytes_in(precision)
    }

    /// Reads a network from a file.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if the file is damaged or not a network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        let contents = Contents::from_bytes(bytes).map_err(ReadError::Format)?;
        let text = |key| contents.text(key).ok_or(ReadError::Metadata { key });
        if text("format")? != FORMAT {
            return Err(ReadError::Metadata { key: "format" });
        }
        let encoding = Encoding {
            version: whole(&contents, "encoding.version")?,
            planes: whole(&contents, "encoding.planes")?,
            rows: whole(&contents, "encoding.rows")?,
            columns: whole(&contents, "encoding.columns")?,
            moves: whole(&contents, "encoding.moves")?,
        };
        let architecture = text("architecture")?.parse::<Architecture>();
        let architecture = architecture.map_err(ReadError::Architecture)?;
        let layers = architecture.layers(&encoding);
        let layers = layers.map_err(ReadError::Architecture)?;
        let card = ModelCard {
            seed: whole(&contents, "seed")?,
            games: whole(&contents, "games")?,
            strength: text("strength")?.into(),
        };
        let game = text("game")?.into();
        let mut numbers = Vec::new();
        for layer in &layers {
            for (kind, shape) in shapes(layer) {
                let name = format!("{}.{kind}", layer.name);
                let tensor = contents.tensors.iter().find(|tensor| tensor.name == name);
                let tensor = tensor.filter(|tensor| tensor.shape == shape);
                let Some(tensor) = tensor else {
                    return Err(ReadError::Tensor { name });
                };
                if !tensor.numbers.iter().all(|number| number.is_finite()) {
                    return Err(ReadError::NotFinite { name });
                }
                numbers.extend_from_slice(&tensor.numbers);
            }
        }
        // Every tensor of the layers was found, so any other is unexpected.
        if contents.tensors.len() > 2 * layers.len() {
            return Err(ReadError::TooManyTensors);
        }
        Ok(Self {
            card,
            game,
            encoding,
            architecture,
            plan: Plan::new(&layers),
            parameters: Parameters::new(&layers, numbers),
            layers,
        })
    }

    pub(super) const fn plan(&self) -> &Plan {
        &self.plan
    }
}

/// Leaves the parameters out: they may be millions.
impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("card", &self.card)
            .field("game", &self.game)
            .field("encoding", &self.encoding)
            .field("architecture", &self.architecture)
            .finish_non_exhaustive()
    }
}

/// The tensors of a layer: the suffixes of their names, and their shapes.
fn shapes(layer: &Layer) -> [(&'static str, Vec<usize>); 2] {
    let weight = if layer.shape.kernel() == 9 {
        vec![layer.outputs, layer.channels, 3, 3]
    } else {
        vec![layer.outputs, layer.channels]
    };
    [("weight", weight), ("bias", vec![layer.outputs])]
}

/// The entry of the metadata that is a canonical decimal number.
fn whole<N: FromStr + ToString>(contents: &Contents, key: &'static str) -> Result<N, ReadError> {
    let number = contents.text(key).and_then(|text| {
        let number: N = text.parse().ok()?;
        (number.to_string() == text).then_some(number)
    });
    number.ok_or(ReadError::Metadata { key })
}

/// Why a file cannot be read as a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// It is not a safetensors file, or damaged.
    Format(FormatError),
    /// The metadata lacks this entry, or its value is invalid.
    Metadata {
        /// The entry's key.
        key: &'static str,
    },
    /// The architecture in the metadata is invalid.
    Architecture(ArchitectureError),
    /// A tensor is missing or has another shape.
    Tensor {
        /// The tensor's name.
        name: String,
    },
    /// A tensor has elements that are NaN or infinite.
    NotFinite {
        /// The tensor's name.
        name: String,
    },
    /// There are tensors that belong to no layer.
    TooManyTensors,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(error) => error.fmt(f),
            Self::Metadata { key } => write!(f, "the file's metadata has no valid entry '{key}'"),
            Self::Architecture(error) => error.fmt(f),
            Self::Tensor { name } => write!(
                f,
                "the file has no tensor '{name}' of the shape that its architecture requires"
            ),
            Self::NotFinite { name } => {
                write!(
                    f,
                    "the tensor '{name}' has elements that are NaN or infinite"
                )
            }
            Self::TooManyTensors => f.write_str("the file has tensors that belong to no layer"),
        }
    }
}

impl Error for ReadError {}

/// Why a network cannot be used for a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncompatibleNetwork {
    /// It is for another game.
    Game {
        /// The name of the network's game.
        found: String,
        /// The name of the game to play.
        expected: String,
    },
    /// It is for another encoding of the game.
    Encoding {
        /// The network's encoding.
        found: Encoding,
        /// The game's encoding.
        expected: Encoding,
    },
}

impl fmt::Display for IncompatibleNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game { found, expected } => {
                let (found, expected) = (quoted(found), quoted(expected));
                write!(f, "the network is for {found}, not {expected}")
            }
            Self::Encoding { found, expected } => {
                let [found, expected] = [found, expected].map(|of| {
                    let board = format!("{}x{}x{}", of.planes, of.rows, of.columns);
                    format!("{board}, {} moves, version {}", of.moves, of.version)
                });
                write!(
                    f,
                    "the network reads positions as {found}, but the game encodes them as {expected}"
                )
            }
        }
    }
}

impl Error for IncompatibleNetwork {}
