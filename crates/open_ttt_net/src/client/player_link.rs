use core::str::FromStr;

use super::{ParseLinkError, ServerAddress};
use crate::protocol::PlayerKey;

/// The private link by which a player moves to another device:
/// `https://play.example.org/#player=KEY`. Browsers do not send what is after the `#`;
/// the page takes the key from there.
///
/// `Debug` hides the key; [`reveal`](Self::reveal) shows it.
///
/// ```
/// use open_ttt_net::client::PlayerLink;
///
/// let link: PlayerLink =
///     "https://play.example.org/#player=00112233445566778899aabbccddeeff".parse()?;
/// assert_eq!(link.server.to_string(), "https://play.example.org");
/// assert_eq!(link.key.code(), "0011 2233 4455 6677 8899 aabb ccdd eeff");
/// # Ok::<(), open_ttt_net::client::ParseLinkError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerLink {
    /// The server that knows the player.
    pub server: ServerAddress,
    /// The player's key.
    pub key: PlayerKey,
}

impl PlayerLink {
    /// The whole link. It is secret: it lets anyone play for the player.
    pub fn reveal(&self) -> String {
        format!("{}/#player={}", self.server, self.key.0.reveal())
    }
}

impl FromStr for PlayerLink {
    type Err = ParseLinkError;

    fn from_str(text: &str) -> Result<Self, ParseLinkError> {
        let parts = text.split_once("#player=");
        let (address, digits) = parts.ok_or(ParseLinkError::Player)?;
        let token = digits.parse().map_err(|_| ParseLinkError::Player)?;
        Ok(Self {
            server: address.parse()?,
            key: PlayerKey(token),
        })
    }
}
