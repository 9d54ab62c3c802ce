use core::error::Error;
use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use super::{TwoPlayerGame, quoted};

/// A game that can be asked for by name: `pegs`, `mnk(m=5,n=5,k=4)`.
///
/// A game of a fixed kind gets this from [`Described`].
pub trait Named: TwoPlayerGame {
    /// The name that [`from_name`](Self::from_name) reads as the start of this
    /// game.
    fn name(&self) -> String;

    /// The start of the game with this name.
    ///
    /// # Errors
    ///
    /// [`SpecError`] says what is wrong with the name and what is allowed.
    fn from_name(name: &str) -> Result<Self, SpecError>;
}

/// What a menu and a catalog say about a kind of game, and what can be chosen
/// about it.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::Named;
///
/// let game = Mnk::from_name("mnk(k=4, m=5, n=5)")?;
/// assert_eq!(game.name(), "mnk(m=5,n=5,k=4)");
/// assert_eq!(
///     Mnk::from_name("mnk(k=99)").unwrap_err().to_string(),
///     "mnk has no k=99: k may be 1 to 19",
/// );
/// # Ok::<(), open_ttt_lib::rules::SpecError>(())
/// ```
pub trait Described: TwoPlayerGame {
    /// The word the game is asked for by, in lower case.
    const KEY: &'static str;

    /// What the game is called in a menu.
    const TITLE: &'static str;

    /// How it is played, in a few short lines for a player.
    const RULES: &'static str;

    /// What can be chosen, in the order of [`parameters`](Self::parameters).
    const PARAMETERS: &'static [Parameter];

    /// The start of a game with these parameters, one value for each of
    /// [`PARAMETERS`](Self::PARAMETERS).
    ///
    /// # Errors
    ///
    /// [`SpecError`] if there are too few or too many values, one of them is
    /// not allowed, or they do not go together.
    fn with_parameters(values: &[u32]) -> Result<Self, SpecError>;

    /// The parameters of this game.
    fn parameters(&self) -> Vec<u32>;

    /// The start of the game with the arguments of `spec`, whose name has
    /// already been looked at.
    ///
    /// # Errors
    ///
    /// [`SpecError`] says which argument is wrong and what is allowed.
    fn from_spec(spec: &Spec) -> Result<Self, SpecError> {
        let names: Vec<_> = Self::PARAMETERS.iter().map(|p| p.name).collect();
        spec.check_arguments(&names)?;
        let values = Self::PARAMETERS
            .iter()
            .map(|parameter| match spec.value(parameter.name) {
                None => Ok(parameter.default),
                // `u32::from_str` would also take a sign.
                Some(text) => Some(text)
                    .filter(|text| !text.starts_with('+'))
                    .and_then(|text| text.parse().ok())
                    .ok_or_else(|| spec.bad_value(parameter.name, &parameter.allowed.to_string())),
            })
            .collect::<Result<Vec<_>, _>>()?;
        Self::with_parameters(&values)
    }

    /// Refuses anything but one allowed value for each parameter: the first
    /// line of a [`with_parameters`](Self::with_parameters).
    ///
    /// # Errors
    ///
    /// [`SpecError::WrongCount`] or [`SpecError::BadValue`].
    fn check_values(values: &[u32]) -> Result<(), SpecError> {
        if values.len() != Self::PARAMETERS.len() {
            return Err(SpecError::WrongCount {
                owner: Self::KEY.to_owned(),
                expected: Self::PARAMETERS.len(),
                given: values.len(),
            });
        }
        match Self::PARAMETERS
            .iter()
            .zip(values)
            .find(|(parameter, value)| !parameter.allowed.contains(**value))
        {
            None => Ok(()),
            Some((parameter, value)) => Err(SpecError::BadValue {
                owner: Self::KEY.to_owned(),
                argument: parameter.name.to_owned(),
                value: value.to_string(),
                allowed: parameter.allowed.to_string(),
            }),
        }
    }
}

impl<G: Described> Named for G {
    /// The key, with all parameters once one is not at its default.
    fn name(&self) -> String {
        let values = self.parameters();
        if Self::PARAMETERS
            .iter()
            .zip(&values)
            .all(|(parameter, &value)| parameter.default == value)
        {
            return Self::KEY.to_owned();
        }
        let list: Vec<_> = Self::PARAMETERS
            .iter()
            .zip(values)
            .map(|(parameter, value)| format!("{}={value}", parameter.name))
            .collect();
        format!("{}({})", Self::KEY, list.join(","))
    }

    fn from_name(name: &str) -> Result<Self, SpecError> {
        let spec: Spec = name.parse()?;
        if spec.name != Self::KEY {
            return Err(SpecError::UnknownName {
                name: quoted(&spec.name),
                allowed: vec![Self::KEY.to_owned()],
            });
        }
        Self::from_spec(&spec)
    }
}

/// Something that can be chosen about a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in `name=value`.
    pub name: &'static str,
    /// What it means, as part of a sentence.
    pub meaning: &'static str,
    /// The values it may have.
    pub allowed: AllowedValues,
    /// The value it has when nothing is said.
    pub default: u32,
}

/// The values a parameter may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedValues {
    /// Any of a range.
    Range(RangeInclusive<u32>),
    /// One of a few.
    OneOf(&'static [u32]),
}

impl AllowedValues {
    /// Whether this value is one of them.
    pub fn contains(&self, value: u32) -> bool {
        match self {
            Self::Range(range) => range.contains(&value),
            Self::OneOf(values) => values.contains(&value),
        }
    }
}

impl fmt::Display for AllowedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(range) => write!(f, "{} to {}", range.start(), range.end()),
            Self::OneOf(values) => {
                let words: Vec<_> = values.iter().map(u32::to_string).collect();
                f.write_str(&words.join(" or "))
            }
        }
    }
}

/// A name with arguments, as people write it: `pegs(lines=38)`,
/// `mcts(ms=50, seed=1)`. Read without regard to case and spaces.
///
/// ```
/// use open_ttt_lib::rules::Spec;
///
/// let spec: Spec = "MCTS(ms = 50)".parse()?;
/// assert_eq!((spec.name.as_str(), spec.value("ms")), ("mcts", Some("50")));
/// # Ok::<(), open_ttt_lib::rules::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The word before the parenthesis.
    pub name: String,
    /// The arguments as written, each name at most once.
    pub arguments: Vec<(String, String)>,
}

impl Spec {
    /// The longest text that is read, in bytes.
    pub const MAX_LENGTH: usize = 256;

    /// The value given for an argument, if one was.
    pub fn value(&self, argument: &str) -> Option<&str> {
        self.arguments
            .iter()
            .find(|(name, _)| name == argument)
            .map(|(_, value)| value.as_str())
    }

    /// Refuses arguments other than these.
    ///
    /// # Errors
    ///
    /// [`SpecError::UnknownArgument`] names the first other one.
    pub fn check_arguments(&self, known: &[&str]) -> Result<(), SpecError> {
        match self
            .arguments
            .iter()
            .find(|(name, _)| !known.contains(&name.as_str()))
        {
            None => Ok(()),
            Some((name, _)) => Err(SpecError::UnknownArgument {
                owner: self.name.clone(),
                argument: quoted(name),
                allowed: known.iter().map(|&name| name.to_owned()).collect(),
            }),
        }
    }

    /// The error for an argument whose value is not allowed.
    pub fn bad_value(&self, argument: &str, allowed: &str) -> SpecError {
        SpecError::BadValue {
            owner: self.name.clone(),
            argument: argument.to_owned(),
            value: quoted(self.value(argument).unwrap_or_default()),
            allowed: allowed.to_owned(),
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let list: Vec<_> = self
            .arguments
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if list.is_empty() {
            return Ok(());
        }
        write!(f, "({})", list.join(","))
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let malformed = || SpecError::Malformed { text: quoted(text) };
        if text.len() > Self::MAX_LENGTH {
            return Err(malformed());
        }
        let squeezed: String = text
            .chars()
            .filter(|c| !c.is_whitespace())
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let (name, list) = match squeezed.split_once('(') {
            None => (squeezed.as_str(), ""),
            Some((name, rest)) => (name, rest.strip_suffix(')').ok_or_else(malformed)?),
        };
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if !is_word(name) || list.contains(['(', ')']) {
            return Err(malformed());
        }
        let mut arguments: Vec<(String, String)> = Vec::new();
        for argument in list.split(',').filter(|_| !list.is_empty()) {
            let (key, value) = argument.split_once('=').ok_or_else(malformed)?;
            if !is_word(key) || value.is_empty() || arguments.iter().any(|(k, _)| k == key) {
                return Err(malformed());
            }
            arguments.push((key.to_owned(), value.to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            arguments,
        })
    }
}

/// What is wrong with the name of a game or a player, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecError {
    /// Not a name with arguments at all.
    Malformed {
        /// What was read, shortened and in quotes.
        text: String,
    },
    /// Nothing has this name.
    UnknownName {
        /// What was asked for, shortened and in quotes.
        name: String,
        /// The names there are.
        allowed: Vec<String>,
    },
    /// The thing named has no such argument.
    UnknownArgument {
        /// The thing named.
        owner: String,
        /// What was given, shortened and in quotes.
        argument: String,
        /// The arguments there are.
        allowed: Vec<String>,
    },
    /// An argument has a value it may not have.
    BadValue {
        /// The thing named.
        owner: String,
        /// The argument.
        argument: String,
        /// Its value; in quotes if it is not a number.
        value: String,
        /// What it may be.
        allowed: String,
    },
    /// Not one value for each parameter.
    WrongCount {
        /// The thing named.
        owner: String,
        /// How many parameters it has.
        expected: usize,
        /// How many values were given.
        given: usize,
    },
    /// What is asked for is well said and cannot be had.
    Unavailable {
        /// The thing named.
        owner: String,
        /// Why not, and what to do instead.
        reason: String,
    },
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { text } => {
                write!(f, "{text} is not of the form name or name(key=value,...)")
            }
            Self::UnknownName { name, allowed } => {
                write!(f, "there is no {name}; there is {}", allowed.join(", "))
            }
            Self::UnknownArgument {
                owner,
                argument,
                allowed,
            } if allowed.is_empty() => {
                write!(f, "{owner} has no {argument}: it takes no parameters")
            }
            Self::UnknownArgument {
                owner,
                argument,
                allowed,
            } => write!(f, "{owner} has no {argument}, only {}", allowed.join(", ")),
            Self::BadValue {
                owner,
                argument,
                value,
                allowed,
            } => write!(
                f,
                "{owner} has no {argument}={value}: {argument} may be {allowed}"
            ),
            Self::WrongCount {
                owner,
                expected,
                given,
            } => write!(f, "{owner} takes {expected} parameters, not {given}"),
            Self::Unavailable { owner, reason } => write!(f, "{owner}: {reason}"),
        }
    }
}

impl Error for SpecError {}
