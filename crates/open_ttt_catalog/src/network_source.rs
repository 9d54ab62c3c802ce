use core::fmt;

use open_ttt_lib::rules::{SpecError, quoted};

/// The source of a player's network.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NetworkSource {
    /// The file with this name. The library does no I/O: the caller reads the file
    /// and [adds the network](super::PlayerSpec::with_network).
    File(String),
    /// The network that comes with the game: [`CatalogGame::pretrained`](super::CatalogGame::pretrained).
    /// A file of this name is `./pretrained`.
    Pretrained,
}

impl NetworkSource {
    /// The longest name of a file, in bytes.
    pub const MAX_LENGTH: usize = 4_096;

    /// The word for [`Pretrained`](Self::Pretrained).
    const PRETRAINED: &'static str = "pretrained";

    /// Parses what follows `net:`, without parameters.
    pub(super) fn read(text: &str) -> Result<Self, SpecError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case(Self::PRETRAINED) {
            return Ok(Self::Pretrained);
        }
        // Player names appear in records and on screens.
        if text.is_empty() || text.len() > Self::MAX_LENGTH || text.contains(char::is_control) {
            return Err(SpecError::BadValue {
                owner: "net".to_owned(),
                argument: "file".to_owned(),
                value: quoted(text),
                allowed: format!(
                    "a name of 1 to {} bytes without control characters, as in \
                     net:best.safetensors",
                    Self::MAX_LENGTH
                ),
            });
        }
        Ok(Self::File(text.to_owned()))
    }
}

impl fmt::Display for NetworkSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File(name) => name,
            Self::Pretrained => Self::PRETRAINED,
        })
    }
}
