use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::error::Error;
use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use super::{TwoPlayerGame, quoted};

/// A game with a name: `pegs`, `mnk(m=5,n=5,k=4)`.
///
/// Implemented for every [`Described`] game.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no name",
    note = "implement `Named` for it: its name, and the game of a name"
)]
pub trait Named: TwoPlayerGame {
    /// The name: the same for all positions of a game, another one for a game with
    /// other parameters.
    fn name(&self) -> String;
}

/// A game that can be made from its name.
///
/// Implemented for every [`Described`] game. A game chosen at run time is only
/// [`Named`]: its name is looked up in the catalog that it comes from.
pub trait FromName: Named {
    /// The start position of the game with this name.
    ///
    /// # Errors
    ///
    /// [`SpecError`] with the allowed names or values.
    fn from_name(name: &str) -> Result<Self, SpecError>;
}

/// The description of a game for menus and catalogs, and its parameters.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::{FromName, Named};
///
/// let game = Mnk::from_name("mnk(k=4, m=5, n=5)")?;
/// assert_eq!(game.name(), "mnk(m=5,n=5,k=4)");
/// assert_eq!(
///     Mnk::from_name("mnk(k=99)").unwrap_err().to_string(),
///     "mnk: k must be 1 to 19, not 99",
/// );
/// # Ok::<(), open_ttt_lib::rules::SpecError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no name or description",
    note = "implement `Described` for it: a key, a title, the rules and the parameters; it is then `Named`. Or implement `Named` alone where that is enough"
)]
pub trait Described: TwoPlayerGame {
    /// The name without parameters, in lower case.
    const KEY: &'static str;

    /// The title for menus.
    const TITLE: &'static str;

    /// The rules for players, in a few short lines.
    const RULES: &'static str;

    /// The parameters, by default none.
    const PARAMETERS: &'static [Parameter] = &[];

    /// The start position of a game with one value for each of
    /// [`PARAMETERS`](Self::PARAMETERS).
    ///
    /// # Errors
    ///
    /// [`SpecError`] if the number of values is wrong, a value isn't allowed or
    /// the values contradict each other.
    fn with_parameters(values: &[u32]) -> Result<Self, SpecError>;

    /// The values of [`PARAMETERS`](Self::PARAMETERS) of this game.
    fn parameters(&self) -> Vec<u32> {
        Vec::new()
    }

    /// The start position of the game with the arguments of `spec`. The name of
    /// `spec` isn't checked.
    ///
    /// # Errors
    ///
    /// [`SpecError`] with the wrong argument and what is allowed.
    fn from_spec(spec: &Spec) -> Result<Self, SpecError> {
        let names: Vec<_> = Self::PARAMETERS.iter().map(|p| p.name).collect();
        spec.check_arguments(&names)?;
        let values = Self::PARAMETERS
            .iter()
            .map(|parameter| match spec.value(parameter.name) {
                None => Ok(parameter.default),
                // `u32::from_str` would accept a sign.
                Some(text) => Some(text)
                    .filter(|text| !text.starts_with('+'))
                    .and_then(|text| text.parse().ok())
                    .ok_or_else(|| spec.bad_value(parameter.name, &parameter.allowed.to_string())),
            })
            .collect::<Result<Vec<_>, _>>()?;
        Self::with_parameters(&values)
    }

    /// Checks that there is one allowed value for each parameter, for
    /// implementations of [`with_parameters`](Self::with_parameters).
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
        for (parameter, &value) in Self::PARAMETERS.iter().zip(values) {
            if !parameter.allowed.contains(value) {
                return Err(SpecError::BadValue {
                    owner: Self::KEY.to_owned(),
                    argument: parameter.name.to_owned(),
                    value: value.to_string(),
                    allowed: parameter.allowed.to_string(),
                });
            }
        }
        Ok(())
    }
}

impl<G: Described> Named for G {
    /// The key, followed by all parameters unless they have their defaults.
    fn name(&self) -> String {
        let values = self.parameters();
        let changed = Self::PARAMETERS
            .iter()
            .map(|p| p.default)
            .ne(values.iter().copied());
        let parameters = Self::PARAMETERS.iter().zip(values).filter(|_| changed);
        let argument = |(p, value): (&Parameter, u32)| (p.name.to_owned(), value.to_string());
        let name = Self::KEY.to_owned();
        let arguments = parameters.map(argument).collect();
        Spec { name, arguments }.to_string()
    }
}

impl<G: Described> FromName for G {
    fn from_name(name: &str) -> Result<Self, SpecError> {
        let spec: Spec = name.parse()?;
        if spec.name != Self::KEY {
            return Err(SpecError::UnknownName {
                name: format!("game {}", quoted(&spec.name)),
                allowed: vec![Self::KEY.to_owned()],
            });
        }
        Self::from_spec(&spec)
    }
}

/// A parameter of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name in `name=value`.
    pub name: &'static str,
    /// The meaning, as part of a sentence.
    pub meaning: &'static str,
    /// The allowed values.
    pub allowed: AllowedValues,
    /// The default value.
    pub default: u32,
}

/// The allowed values of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedValues {
    /// Any value of a range.
    Range(RangeInclusive<u32>),
    /// One of these values.
    OneOf(&'static [u32]),
}

impl AllowedValues {
    /// Whether the value is allowed.
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

/// A parsed name with arguments: `pegs(lines=38)`, `mcts(ms=50, seed=1)`. Case and
/// spaces are ignored.
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
    /// The arguments in lower case, each name at most once.
    pub arguments: Vec<(String, String)>,
}

impl Spec {
    /// The maximum length of the text, in bytes.
    pub const MAX_LENGTH: usize = 256;

    /// The value of an argument, if given.
    pub fn value(&self, argument: &str) -> Option<&str> {
        let found = self.arguments.iter().find(|(name, _)| name == argument);
        found.map(|(_, value)| value.as_str())
    }

    /// Checks that all arguments are among the known ones.
    ///
    /// # Errors
    ///
    /// [`SpecError::UnknownArgument`] with the first unknown argument.
    pub fn check_arguments(&self, known: &[&str]) -> Result<(), SpecError> {
        let unknown = |(name, _): &&(String, _)| !known.contains(&name.as_str());
        match self.arguments.iter().find(unknown) {
            None => Ok(()),
            Some((name, _)) => Err(SpecError::UnknownArgument {
                owner: self.name.clone(),
                argument: quoted(name),
                allowed: known.iter().map(|&name| name.to_owned()).collect(),
            }),
        }
    }

    /// The error for an argument whose value isn't allowed.
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
        let arguments = self.arguments.iter();
        let list: Vec<_> = arguments
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        match &*list {
            [] => f.write_str(&self.name),
            list => write!(f, "{}({})", self.name, list.join(",")),
        }
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

/// An invalid name of a game or a player.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecError {
    /// The text isn't a name with arguments.
    Malformed {
        /// The text, shortened and in quotes.
        text: String,
    },
    /// The name is unknown.
    UnknownName {
        /// The name, shortened and in quotes.
        name: String,
        /// The known names.
        allowed: Vec<String>,
    },
    /// The argument is unknown.
    UnknownArgument {
        /// The name of the game or player.
        owner: String,
        /// The argument, shortened and in quotes.
        argument: String,
        /// The known arguments.
        allowed: Vec<String>,
    },
    /// The value of an argument isn't allowed.
    BadValue {
        /// The name of the game or player.
        owner: String,
        /// The argument.
        argument: String,
        /// The value, in quotes unless it is a number.
        value: String,
        /// The allowed values.
        allowed: String,
    },
    /// The number of values isn't that of the parameters.
    WrongCount {
        /// The name of the game or player.
        owner: String,
        /// The number of parameters.
        expected: usize,
        /// The number of values.
        given: usize,
    },
    /// The spec is valid but can't be provided.
    Unavailable {
        /// The name of the game or player.
        owner: String,
        /// The reason, and what to do instead.
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
                write!(f, "unknown {name}; expected {}", allowed.join(", "))
            }
            Self::UnknownArgument {
                owner,
                argument,
                allowed,
            } => {
                let allowed = match &**allowed {
                    [] => "none".to_owned(),
                    allowed => allowed.join(", "),
                };
                write!(f, "{owner} has no parameter {argument}; it takes {allowed}")
            }
            Self::BadValue {
                owner,
                argument,
                value,
                allowed,
            } => write!(f, "{owner}: {argument} must be {allowed}, not {value}"),
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
