use core::error::Error;
use core::fmt;

use super::architecture::Step;
use super::kernel::Packed;
use super::parameters::Parameters;
use super::safetensors::{Contents, FormatError, Tensor};
use super::workspace::{Plan, Predictions, Workspace};
use super::{Architecture, ArchitectureError};
use open_ttt_lib::rules::{Encode, Encoding, Named, quoted};

/// A network that has learned a game, or is about to.
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
/// assert_eq!(priors, [1.0 / 9.0; 9]); // it knows nothing yet
/// # Ok::<(), open_ttt_nn::ArchitectureError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Network {
    /// Where it comes from.
    pub card: Card,
    game: String,
    encoding: Encoding,
    architecture: Architecture,
    steps: Vec<Step>,
    plan: Plan,
    parameters: Parameters,
}

/// Where a network comes from, for those who use it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// The seed that its training began with.
    pub seed: u64,
    /// How many games it has learned from.
    pub games: u64,
    /// How strong it was found to be, and how that was measured.
    pub strength: String,
}

/// The version of the file's card and of the layers' names and orders.
const FORMAT: &str = "open_ttt network 1";

impl Network {
    /// A network that is to learn this game. Layers begin by chance, by this seed;
    /// the last ones with zeros, so that all moves are as good as another and
    /// every game is open.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError`] if it would be too large.
    pub fn new<G: Encode + Named>(
        game: &G,
        architecture: Architecture,
        seed: u64,
    ) -> Result<Self, ArchitectureError> {
        let steps = architecture.steps(&game.encoding())?;
        let numbers = Parameters::random(&steps, seed);
        let card = Card {
            seed,
            ..Card::default()
        };
        let (name, encoding) = (game.name(), game.encoding());
        Ok(Self::of(card, name, encoding, architecture, steps, numbers))
    }

    fn of(
        card: Card,
        game: String,
        encoding: Encoding,
        architecture: Architecture,
        steps: Vec<Step>,
        numbers: Vec<f32>,
    ) -> Self {
        Self {
            card,
            game,
            encoding,
            architecture,
            plan: Plan::new(&steps),
            parameters: Parameters::new(&steps, numbers),
            steps,
        }
    }

    /// The name of the game it has learned.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// How positions are written for it.
    pub const fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// What it is made of.
    pub const fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Its layers, in the order in which they are computed; the last but one is
    /// the policy, the last the outcome.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The layers' weights, in the order of products.
    pub fn packed(&self) -> &[Packed] {
        &self.parameters.packed
    }

    /// All it has learned: layer by layer its weights, output by output, channel
    /// by channel, tap by tap, and its biases. A layer of everything of everything
    /// has the channels of one cell after those of another.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters.numbers
    }

    /// Lets `change` change what it has learned.
    pub fn change(&mut self, change: impl FnOnce(&mut [f32])) {
        change(&mut self.parameters.numbers);
        self.parameters.pack(&self.steps);
    }

    /// What it says about positions, written one after the other as
    /// [`Encode::encode`] does.
    ///
    /// A position gets the same numbers, to the bit, among whatever others; on
    /// AVX2 and AVX-512 alike.
    ///
    /// # Panics
    ///
    /// If the last position is not complete.
    pub fn evaluate<'a>(&self, planes: &[f32], workspace: &'a mut Workspace) -> &'a Predictions {
        workspace.evaluate(self, planes)
    }

    /// Whether it can read and play this game.
    ///
    /// # Errors
    ///
    /// [`Misfit`] if it has learned another game, or the same written otherwise.
    pub fn suits<G: Encode + Named>(&self, game: &G) -> Result<(), Misfit> {
        if self.game != game.name() {
            Err(Misfit::Game {
                learned: self.game.clone(),
                asked: game.name(),
            })
        } else if self.encoding != game.encoding() {
            Err(Misfit::Encoding {
                learned: self.encoding,
                asked: game.encoding(),
            })
        } else {
            Ok(())
        }
    }

    /// The network as a file in the [safetensors](super::safetensors) format, with
    /// its card.
    pub fn to_bytes(&self) -> Vec<u8> {
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
        for step in &self.steps {
            for (kind, shape) in shapes(step) {
                let (numbers, others) = rest.split_at(shape.iter().product());
                rest = others;
                tensors.push(Tensor {
                    name: format!("{}.{kind}", step.name),
                    shape,
                    numbers: numbers.to_vec(),
                });
            }
        }
        let metadata = texts.map(|(key, text)| (key.into(), text)).into();
        Contents { metadata, tensors }.to_bytes()
    }

    /// Reads a network from a file.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if the file is damaged or holds something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        let contents = Contents::from_bytes(bytes).map_err(ReadError::Format)?;
        let text = |key| contents.text(key).ok_or(ReadError::Card { key });
        if text("format")? != FORMAT {
            return Err(ReadError::Card { key: "format" });
        }
        let number = |key| whole(text(key)?).ok_or(ReadError::Card { key });
        let size = |key| usize::try_from(number(key)?).map_err(|_| ReadError::Card { key });
        let key = "encoding.version";
        let version = number(key)?;
        let encoding = Encoding {
            version: u32::try_from(version).map_err(|_| ReadError::Card { key })?,
            planes: size("encoding.planes")?,
            rows: size("encoding.rows")?,
            columns: size("encoding.columns")?,
            moves: size("encoding.moves")?,
        };
        let architecture: Architecture = text("architecture")?
            .parse()
            .map_err(ReadError::Architecture)?;
        let steps = architecture
            .steps(&encoding)
            .map_err(ReadError::Architecture)?;
        let card = Card {
            seed: number("seed")?,
            games: number("games")?,
            strength: text("strength")?.into(),
        };
        let game = text("game")?.into();
        let mut tensors = contents.tensors.iter();
        let mut numbers = Vec::new();
        for step in &steps {
            for (kind, shape) in shapes(step) {
                let name = format!("{}.{kind}", step.name);
                let tensor = contents.tensors.iter().find(|tensor| tensor.name == name);
                let tensor = tensor.filter(|tensor| tensor.shape == shape);
                let Some(tensor) = tensor else {
                    return Err(ReadError::Tensor { name });
                };
                if !tensor.numbers.iter().all(|number| number.is_finite()) {
                    return Err(ReadError::NotFinite { name });
                }
                tensors.next();
                numbers.extend_from_slice(&tensor.numbers);
            }
        }
        // As many as were asked for have been found; any other is one too many.
        if tensors.next().is_some() {
            return Err(ReadError::TooManyTensors);
        }
        Ok(Self::of(card, game, encoding, architecture, steps, numbers))
    }

    pub(super) const fn plan(&self) -> &Plan {
        &self.plan
    }
}

/// Without the numbers it has learned, which may be millions.
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

/// The tensors of a layer: their names' ends and their shapes.
fn shapes(step: &Step) -> [(&'static str, Vec<usize>); 2] {
    let weight = if step.reach.kernel() == 9 {
        vec![step.outputs, step.channels, 3, 3]
    } else {
        vec![step.outputs, step.channels]
    };
    [("weight", weight), ("bias", vec![step.outputs])]
}

/// A whole number as this file writes it.
fn whole(text: &str) -> Option<u64> {
    text.parse()
        .ok()
        .filter(|number: &u64| number.to_string() == text)
}

/// Why a file is not read as a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// It is no safetensors file, or damaged.
    Format(FormatError),
    /// The card lacks this entry, or says something that is not understood.
    Card {
        /// The entry's key.
        key: &'static str,
    },
    /// There is no network such as the card says.
    Architecture(ArchitectureError),
    /// A tensor is missing or has another shape.
    Tensor {
        /// The tensor's name.
        name: String,
    },
    /// A tensor has numbers that are infinite or none.
    NotFinite {
        /// The tensor's name.
        name: String,
    },
    /// There are tensors that no layer has.
    TooManyTensors,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(error) => error.fmt(f),
            Self::Card { key } => {
                write!(f, "the file's card has no entry '{key}' that is understood")
            }
            Self::Architecture(error) => error.fmt(f),
            Self::Tensor { name } => write!(
                f,
                "the file has no tensor '{name}' of the shape that its card asks for"
            ),
            Self::NotFinite { name } => {
                write!(
                    f,
                    "the tensor '{name}' has numbers that are infinite or none"
                )
            }
            Self::TooManyTensors => f.write_str("the file has tensors that no layer has"),
        }
    }
}

impl Error for ReadError {}

/// Why a network cannot play a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// It has learned another one.
    Game {
        /// The name of the game it has learned.
        learned: String,
        /// The name of the game it was asked about.
        asked: String,
    },
    /// Positions are written otherwise than when it learned.
    Encoding {
        /// How they were written.
        learned: Encoding,
        /// How they are written.
        asked: Encoding,
    },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game { learned, asked } => write!(
                f,
                "the network has learned {}, not {}",
                quoted(learned),
                quoted(asked)
            ),
            Self::Encoding { learned, asked } => {
                let shape = |encoding: &Encoding| {
                    let Encoding {
                        version,
                        planes,
                        rows,
                        columns,
                        moves,
                    } = encoding;
                    format!("{planes}x{rows}x{columns}, {moves} moves, version {version}")
                };
                write!(
                    f,
                    "the network reads positions as {}, and the game writes them as {}",
                    shape(learned),
                    shape(asked)
                )
            }
        }
    }
}

impl Error for Misfit {}
