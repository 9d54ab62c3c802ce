use core::error::Error;
use core::fmt;
use core::str::FromStr;
use std::sync::Arc;

use super::kernel::Reach;
use open_ttt_lib::rules::Encoding;

/// What a network is made of.
///
/// Written, as in a file's card: `perceptron(hidden=64+64)`,
/// `residual(blocks=4,filters=32)`.
///
/// ```
/// use open_ttt_nn::Architecture;
///
/// let architecture: Architecture = "residual(blocks=4,filters=32)".parse()?;
/// assert_eq!(architecture, Architecture::Residual { blocks: 4, filters: 32 });
/// assert_eq!(architecture.to_string(), "residual(blocks=4,filters=32)");
/// # Ok::<(), open_ttt_nn::ArchitectureError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Architecture {
    /// A multilayer perceptron: layers in which everything is made of everything,
    /// of so many numbers each. For games of a few dozen inputs.
    Perceptron {
        /// The sizes of the layers between the position and the answers.
        hidden: Vec<usize>,
    },
    /// A residual tower (He, Zhang, Ren and Sun 2016) of three by three
    /// convolutions, as in `AlphaZero` (Silver et al. 2018), without normalization: a
    /// block begins as the identity, since its second convolution begins with
    /// zeros (as in Fixup; Zhang, Dauphin and Ma 2019).
    Residual {
        /// How many blocks of two convolutions there are.
        blocks: usize,
        /// How many numbers each cell has in the tower.
        filters: usize,
    },
}

/// How many numbers each cell keeps for the policy, and for the outcome.
const HEAD_PLANES: usize = 4;
/// The size of the layer before the outcome in a residual network.
const OUTCOME_HIDDEN: usize = 64;

/// The last layer's numbers: how the game ends, and the auxiliary number.
pub(super) const OUTCOMES: usize = 2;

/// The longest side of a layer, and the most planes.
const MOST_NUMBERS: usize = 4_096;
const MOST_LAYERS: usize = 64;
const LONGEST_SIDE: usize = 64;
/// The most numbers a network may learn: a quarter of a gigabyte.
const MOST_PARAMETERS: u64 = 1 << 26;

/// One layer of a network: a product with weights, biases, and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The layer's name; in a file its weights are `name.weight` and
    /// `name.bias`.
    pub name: String,
    /// The step whose output goes in; `None` for the position.
    pub from: Option<usize>,
    /// The step whose output is added before rectifying.
    pub add: Option<usize>,
    /// Whether what is negative becomes zero.
    pub rectify: bool,
    /// Whether the cells of what goes in become one, with the channels of one cell
    /// after those of another.
    pub flatten: bool,
    /// Which cells are made of which.
    pub reach: Arc<Reach>,
    /// How many numbers each cell has that goes in.
    pub channels: usize,
    /// How many numbers each cell has that comes out.
    pub outputs: usize,
    /// Whether the layer begins with zeros.
    pub begins_with_zeros: bool,
}

impl Step {
    /// How many weights the layer has, without the biases.
    pub fn weights(&self) -> usize {
        self.outputs * self.channels * self.reach.kernel()
    }

    /// How many numbers the layer has learned, the biases among them.
    pub fn parameters(&self) -> usize {
        self.weights() + self.outputs
    }

    /// How many numbers of each position come out.
    pub fn size(&self) -> usize {
        self.reach.cells() * self.outputs
    }
}

impl Architecture {
    /// The layers of such a network, in the order in which they are computed. The
    /// last but one is the policy, the last the outcome.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError`] if there are too many layers or numbers, or none.
    pub fn steps(&self, encoding: &Encoding) -> Result<Vec<Step>, ArchitectureError> {
        let fits = |numbers: &[usize], most| numbers.iter().all(|n| (1..=most).contains(n));
        let sides_fit = fits(&[encoding.rows, encoding.columns], LONGEST_SIDE);
        if !sides_fit || !fits(&[encoding.planes, encoding.moves], MOST_NUMBERS) {
            return Err(ArchitectureError::Encoding);
        }
        let mut layers = Layers {
            steps: Vec::new(),
            encoding,
        };
        match self {
            Self::Perceptron { hidden } => {
                if hidden.len() > MOST_LAYERS || !fits(hidden, MOST_NUMBERS) {
                    return Err(ArchitectureError::Size);
                }
                let mut last = None;
                for (number, &size) in hidden.iter().enumerate() {
                    last = Some(layers.dense(&format!("hidden{number}"), last, size));
                    layers.rectify();
                }
                layers.answers(last, last);
            }
            &Self::Residual { blocks, filters } => {
                if blocks > MOST_LAYERS || !fits(&[filters], MOST_NUMBERS) {
                    return Err(ArchitectureError::Size);
                }
                layers.tower(blocks, filters);
            }
        }
        // Each factor is small, and their product need not be.
        let parameters = |step: &Step| {
            let inputs = step.channels as u64 * step.reach.kernel() as u64;
            (inputs + 1) * step.outputs as u64
        };
        if layers.steps.iter().map(parameters).sum::<u64>() > MOST_PARAMETERS {
            return Err(ArchitectureError::Size);
        }
        Ok(layers.steps)
    }
}

struct Layers<'a> {
    steps: Vec<Step>,
    encoding: &'a Encoding,
}

impl Layers<'_> {
    fn tower(&mut self, blocks: usize, filters: usize) {
        let (rows, columns) = (self.encoding.rows, self.encoding.columns);
        let neighbours = Arc::new(Reach::neighbours(rows, columns));
        let mut last = self.convolution("stem", None, &neighbours, filters);
        self.rectify();
        for block in 0..blocks {
            let first = format!("block{block}.first");
            let between = self.convolution(&first, Some(last), &neighbours, filters);
            self.rectify();
            let second = format!("block{block}.second");
            let after = self.convolution(&second, Some(between), &neighbours, filters);
            self.rectify();
            self.steps[after].add = Some(last);
            self.steps[after].begins_with_zeros = true;
            last = after;
        }
        let itself = Arc::new(Reach::itself(rows * columns));
        let policy = self.convolution("policy.planes", Some(last), &itself, HEAD_PLANES);
        self.rectify();
        let outcome = self.convolution("outcome.planes", Some(last), &itself, HEAD_PLANES);
        self.rectify();
        let hidden = self.dense("outcome.hidden", Some(outcome), OUTCOME_HIDDEN);
        self.rectify();
        self.answers(Some(policy), Some(hidden));
    }

    fn answers(&mut self, policy: Option<usize>, outcome: Option<usize>) {
        for (name, from, outputs) in [
            ("policy", policy, self.encoding.moves),
            ("outcome", outcome, OUTCOMES),
        ] {
            let step = self.dense(name, from, outputs);
            self.steps[step].begins_with_zeros = true;
        }
    }

    fn rectify(&mut self) {
        if let Some(step) = self.steps.last_mut() {
            step.rectify = true;
        }
    }

    fn dense(&mut self, name: &str, from: Option<usize>, outputs: usize) -> usize {
        let channels = from.map_or(self.encoding.inputs(), |step| self.steps[step].size());
        let step = self.push(name, from, &Arc::new(Reach::itself(1)), channels, outputs);
        self.steps[step].flatten = from.is_none_or(|from| self.steps[from].reach.cells() > 1);
        step
    }

    fn convolution(
        &mut self,
        name: &str,
        from: Option<usize>,
        reach: &Arc<Reach>,
        outputs: usize,
    ) -> usize {
        let channels = from.map_or(self.encoding.planes, |step| self.steps[step].outputs);
        self.push(name, from, reach, channels, outputs)
    }

    fn push(
        &mut self,
        name: &str,
        from: Option<usize>,
        reach: &Arc<Reach>,
        channels: usize,
        outputs: usize,
    ) -> usize {
        self.steps.push(Step {
            name: name.into(),
            from,
            add: None,
            rectify: false,
            flatten: false,
            reach: Arc::clone(reach),
            channels,
            outputs,
            begins_with_zeros: false,
        });
        self.steps.len() - 1
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Perceptron { hidden } => {
                let sizes: Vec<_> = hidden.iter().map(ToString::to_string).collect();
                write!(f, "perceptron(hidden={})", sizes.join("+"))
            }
            Self::Residual { blocks, filters } => {
                write!(f, "residual(blocks={blocks},filters={filters})")
            }
        }
    }
}

impl FromStr for Architecture {
    type Err = ArchitectureError;

    fn from_str(text: &str) -> Result<Self, ArchitectureError> {
        let read = || {
            let (kind, rest) = text.split_once('(')?;
            let parameters = rest.strip_suffix(')')?;
            let number = |text: &str| {
                let digits = text.len() <= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
                digits.then(|| text.parse::<usize>().ok())?
            };
            match kind {
                "perceptron" => {
                    let sizes = parameters.strip_prefix("hidden=")?;
                    let sizes = sizes.split('+').filter(|size| !size.is_empty());
                    let hidden = sizes.take(MOST_LAYERS + 1).map(number);
                    Some(Self::Perceptron {
                        hidden: hidden.collect::<Option<_>>()?,
                    })
                }
                "residual" => {
                    let (blocks, filters) = parameters.split_once(',')?;
                    Some(Self::Residual {
                        blocks: number(blocks.strip_prefix("blocks=")?)?,
                        filters: number(filters.strip_prefix("filters=")?)?,
                    })
                }
                _ => None,
            }
        };
        read()
            .filter(|read| read.to_string() == text)
            .ok_or(ArchitectureError::Text)
    }
}

/// Why there is no such network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchitectureError {
    /// The text is none.
    Text,
    /// There are too many layers or numbers, or none.
    Size,
    /// The game's board or its planes or moves are too many, or none.
    Encoding,
}

impl fmt::Display for ArchitectureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => {
                "this is no architecture; it would be written like perceptron(hidden=64+64) or \
                 residual(blocks=4,filters=32)"
            }
            Self::Size => "this network would have too many layers or numbers, or none",
            Self::Encoding => "no network reads a board of this size, or so many planes or moves",
        })
    }
}

impl Error for ArchitectureError {}
