use std::str::FromStr;

use open_ttt_net::client::{ParseLinkError, PlayerLink, ServerAddress};

/// Where a key comes from: a link, or what is entered for a server.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Link(PlayerLink),
    Server(ServerAddress),
}

impl FromStr for Source {
    type Err = ParseLinkError;

    fn from_str(text: &str) -> Result<Self, ParseLinkError> {
        if text.contains('#') {
            text.parse().map(Self::Link)
        } else {
            text.parse().map(Self::Server)
        }
    }
}
