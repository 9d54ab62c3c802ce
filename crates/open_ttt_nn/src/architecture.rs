use core::error::Error;
use core::fmt;
use core::str::FromStr;
use std::sync::Arc;

use super::kernel::ConvShape;
use open_ttt_lib::rules::Encoding;

/// The layers of a network.
///
/// As text, in a file's metadata too: `perceptron(hidden=64+64)`,
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
    /// A multilayer perceptron of fully connected layers. For games with a few
    /// dozen inputs.
    Perceptron {
        /// The widths of the hidden layers.
        hidden: Vec<usize>,
    },
    /// A residual tower (He, Zhang, Ren and Sun 2016) of three by three
    /// convolutions, as in `AlphaZero` (Silver et al. 2018), without normalization: a
    /// block starts as the identity, because its second convolution is initialized
    /// with zeros (as in Fixup; Zhang, Dauphin and Ma 2019).
    Residual {
        /// The number of blocks, of two convolutions each.
        blocks: usize,
        /// The channels of each cell in the tower.
        filters: usize,
    },
}

/// The channels of each cell in the policy head and in the value head.
const HEAD_PLANES: usize = 4;
/// The width of the hidden layer of a residual network's value head.
const VALUE_HIDDEN: usize = 64;

/// The outputs of the last layer: the value and the auxiliary target.
pub(super) const VALUE_OUTPUTS: usize = 2;

/// The limit of a layer's channels, and of planes.
const MAX_CHANNELS: usize = 4_096;
/// The limit of moves.
const MAX_MOVES: usize = 1 << 14;
const MAX_LAYERS: usize = 64;
const MAX_SIDE: usize = 64;
/// The limit of parameters: a quarter of a gigabyte.
const MAX_PARAMETERS: u64 = 1 << 26;

/// One layer of a network: a convolution or a fully connected layer, with its
/// bias, residual connection and activation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The layer's name; its tensors in a file are `name.weight` and `name.bias`.
    pub name: String,
    /// The layer whose output is the input; `None` for the encoded position.
    pub from: Option<usize>,
    /// The layer whose output is added before the activation (residual connection).
    pub add: Option<usize>,
    /// Whether the activation is `ReLU`; otherwise there is none.
    pub relu: bool,
    /// Whether the input is flattened: its cells become one, the channels of one cell
    /// after those of another.
    pub flatten: bool,
    /// The kernel and the board of the convolution.
    pub shape: Arc<ConvShape>,
    /// The channels of each input cell.
    pub channels: usize,
    /// The channels of each output cell.
    pub outputs: usize,
    /// Whether the weights are initialized with zeros.
    pub zero_initialized: bool,
}

impl Layer {
    /// The number of weights, without the biases.
    pub fn weights(&self) -> usize {
        self.outputs * self.channels * self.shape.kernel()
    }

    /// The number of parameters: weights and biases.
    pub fn parameters(&self) -> usize {
        self.weights() + self.outputs
    }

    /// The number of outputs for a position.
    pub fn size(&self) -> usize {
        self.shape.cells() * self.outputs
    }
}

impl Architecture {
    /// The layers in order of computation. The last but one is the policy head's
    /// output, the last the value head's.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError`] if a dimension is zero or too large.
    pub fn layers(&self, encoding: &Encoding) -> Result<Vec<Layer>, ArchitectureError> {
        let fits = |numbers: &[usize], most| numbers.iter().all(|n| (1..=most).contains(n));
        let sides_fit = fits(&[encoding.rows, encoding.columns], MAX_SIDE);
        let planes_fit = fits(&[encoding.planes], MAX_CHANNELS);
        if !sides_fit || !planes_fit || !fits(&[encoding.moves], MAX_MOVES) {
            return Err(ArchitectureError::Encoding);
        }
        let mut builder = LayerBuilder {
            layers: Vec::new(),
            encoding,
        };
        match self {
            Self::Perceptron { hidden } => {
                if hidden.len() > MAX_LAYERS || !fits(hidden, MAX_CHANNELS) {
                    return Err(ArchitectureError::Size);
                }
                let mut last = None;
                for (number, &size) in hidden.iter().enumerate() {
                    last = Some(builder.dense(&format!("hidden{number}"), last, size));
                }
                builder.heads(last, last);
            }
            &Self::Residual { blocks, filters } => {
                if blocks > MAX_LAYERS || !fits(&[filters], MAX_CHANNELS) {
                    return Err(ArchitectureError::Size);
                }
                builder.tower(blocks, filters);
            }
        }
        // Each factor is bounded, but their product may be too large.
        let parameters = |layer: &Layer| {
            let inputs = layer.channels as u64 * layer.shape.kernel() as u64;
            (inputs + 1) * layer.outputs as u64
        };
        if builder.layers.iter().map(parameters).sum::<u64>() > MAX_PARAMETERS {
            return Err(ArchitectureError::Size);
        }
        Ok(builder.layers)
    }
}

struct LayerBuilder<'a> {
    layers: Vec<Layer>,
    encoding: &'a Encoding,
}

impl LayerBuilder<'_> {
    fn tower(&mut self, blocks: usize, filters: usize) {
        let (rows, columns) = (self.encoding.rows, self.encoding.columns);
        let three_by_three = Arc::new(ConvShape::three_by_three(rows, columns));
        let mut last = self.convolution("stem", None, &three_by_three, filters);
        for block in 0..blocks {
            let first = format!("block{block}.first");
            let between = self.convolution(&first, Some(last), &three_by_three, filters);
            let second = format!("block{block}.second");
            let after = self.convolution(&second, Some(between), &three_by_three, filters);
            self.layers[after].add = Some(last);
            self.layers[after].zero_initialized = true;
            last = after;
        }
        let pointwise = Arc::new(ConvShape::pointwise(rows * columns));
        let policy = self.convolution("policy.planes", Some(last), &pointwise, HEAD_PLANES);
        let outcome = self.convolution("outcome.planes", Some(last), &pointwise, HEAD_PLANES);
        let hidden = self.dense("outcome.hidden", Some(outcome), VALUE_HIDDEN);
        self.heads(Some(policy), Some(hidden));
    }

    fn heads(&mut self, policy: Option<usize>, outcome: Option<usize>) {
        for (name, from, outputs) in [
            ("policy", policy, self.encoding.moves),
            ("outcome", outcome, VALUE_OUTPUTS),
        ] {
            let layer = self.dense(name, from, outputs);
            self.layers[layer].relu = false;
            self.layers[layer].zero_initialized = true;
        }
    }

    fn dense(&mut self, name: &str, from: Option<usize>, outputs: usize) -> usize {
        let number = self.convolution(name, from, &Arc::new(ConvShape::pointwise(1)), outputs);
        let from = from.map(|from| &self.layers[from]);
        let flatten = from.is_none_or(|from| from.shape.cells() > 1);
        let channels = from.map_or(self.encoding.inputs(), Layer::size);
        let layer = &mut self.layers[number];
        (layer.flatten, layer.channels) = (flatten, channels);
        number
    }

    fn convolution(
        &mut self,
        name: &str,
        from: Option<usize>,
        shape: &Arc<ConvShape>,
        outputs: usize,
    ) -> usize {
        let channels = from.map_or(self.encoding.planes, |layer| self.layers[layer].outputs);
        self.layers.push(Layer {
            name: name.into(),
            from,
            add: None,
            relu: true,
            flatten: false,
            shape: Arc::clone(shape),
            channels,
            outputs,
            zero_initialized: false,
        });
        self.layers.len() - 1
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
                    let hidden = sizes.take(MAX_LAYERS + 1).map(number);
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

/// Why an architecture is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchitectureError {
    /// The text is malformed.
    Text,
    /// A width, or the number of layers or parameters, is zero or too large.
    Size,
    /// The game's board, planes or moves are none or too many.
    Encoding,
}

impl fmt::Display for ArchitectureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => {
                "not a network architecture; expected, for example, perceptron(hidden=64+64) or \
                 residual(blocks=4,filters=32)"
            }
            Self::Size => "the network is empty or too large",
            Self::Encoding => "the game's board, planes or moves are too many for a network",
        })
    }
}

impl Error for ArchitectureError {}
