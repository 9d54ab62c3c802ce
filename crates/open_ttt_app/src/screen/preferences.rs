use std::fmt;
use std::time::Duration;

/// How a person wants the full screen to be. What is `None` is as the environment says, or as
/// it is by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The background for which colours are chosen.
    pub background: Option<Background>,
    /// The characters for boards, lines and arrows.
    pub symbols: Option<Symbols>,
    /// Whether there are colours.
    pub colors: Option<ColorUse>,
    /// The time between the moves of computers that play each other.
    pub pace: Option<Duration>,
    /// The name of the computer opponent that was chosen last.
    pub opponent: Option<String>,
}

/// The background of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Background {
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// The characters that a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbols {
    /// Lines, blocks and arrows, too.
    Unicode,
    /// Only those of ASCII.
    Ascii,
}

/// Whether there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColorUse {
    /// Also where the environment is against it.
    Always,
    /// Bold, underlined and inverted text instead.
    Never,
}

/// What is called with the preferences whenever the person has changed them.
pub(super) struct Listener(pub(super) Box<dyn Fn(&Preferences)>);

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}
