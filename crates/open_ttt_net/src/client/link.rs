use core::fmt;
use core::str::FromStr;

use crate::MatchId;
use crate::protocol::Token;

/// The longest accepted link, in bytes.
const MAX_LINK: usize = 1024;

/// The address of a server: `http://localhost:8080`, `https://play.example.org`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerAddress {
    is_encrypted: bool,
    /// A name or an IP address, IPv6 without brackets.
    host: String,
    port: u16,
}

/// A link to a match: `http://localhost:8080/m/k3h9zq4m2x7d`. A player's private
/// link has the seat's token after a `#`, which browsers do not send.
///
/// The schemes `ws` and `wss` mean `http` and `https`. `Display` hides the token;
/// [`reveal`](Self::reveal) shows it.
///
/// ```
/// use open_ttt_net::client::Link;
///
/// let link: Link = "https://play.example.org/m/abc#00112233445566778899aabbccddeeff".parse()?;
/// assert_eq!(link.id().as_str(), "abc");
/// assert!(link.token().is_some());
/// assert_eq!(link.to_string(), "https://play.example.org/m/abc");
/// # Ok::<(), open_ttt_net::client::ParseLinkError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    server: ServerAddress,
    id: MatchId,
    token: Option<Token>,
}

/// Why a text is not a link or a server address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseLinkError {
    /// It does not start with `http://` or `https://`, or is too long.
    #[error("a link starts with http:// or https://")]
    NotALink,
    /// The host or the port is invalid.
    #[error("a link has a host and an optional port: http://localhost:8080")]
    Host,
    /// The path is not `/m/` and the id of a match.
    #[error("a link to a match looks like http://localhost:8080/m/k3h9zq4m2x7d")]
    Path,
    /// The text after the `#` is not a token.
    #[error("a link's token, after the #, is 32 lower-case hexadecimal digits")]
    Token,
    /// It is not the private link of a player.
    #[error("a player's link is a server's address and #player= with 32 digits")]
    Player,
    /// A server's address must not have a path.
    #[error("a server's address ends after host and port")]
    NotAServer,
}

impl ServerAddress {
    /// Whether connections to the server are encrypted.
    pub const fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// The host's name or IP address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The link to a match on this server, without a token.
    pub const fn link(self, id: MatchId) -> Link {
        Link {
            server: self,
            id,
            token: None,
        }
    }

    /// Host and port as in a `Host` header.
    pub(super) fn authority(&self) -> String {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        if self.port == default_port(self.is_encrypted) {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }

    fn parse(is_encrypted: bool, authority: &str) -> Result<Self, ParseLinkError> {
        let bracketed = authority
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'));
        let (host, port) = if let Some((host, port)) = bracketed {
            let address = host.parse::<core::net::Ipv6Addr>();
            (address.map_err(|_| ParseLinkError::Host)?.to_string(), port)
        } else {
            let end = authority.find(':').unwrap_or(authority.len());
            let (host, port) = authority.split_at(end);
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            if host.is_empty() || host.len() > 253 || !host.bytes().all(allowed) {
                return Err(ParseLinkError::Host);
            }
            (host.to_ascii_lowercase(), port)
        };
        let port = match port.strip_prefix(':') {
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
                port.parse().map_err(|_| ParseLinkError::Host)?
            }
            None if port.is_empty() => default_port(is_encrypted),
            _ => return Err(ParseLinkError::Host),
        };
        Ok(Self {
            is_encrypted,
            host,
            port,
        })
    }
}

const fn default_port(is_encrypted: bool) -> u16 {
    if is_encrypted { 443 } else { 80 }
}

impl Link {
    /// The server of the match.
    pub const fn server(&self) -> &ServerAddress {
        &self.server
    }

    /// The id of the match.
    pub const fn id(&self) -> &MatchId {
        &self.id
    }

    /// The token of a seat, in a private link.
    pub const fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// The link to the same match with this token, or with none.
    pub fn with_token(self, token: Option<Token>) -> Self {
        Self { token, ..self }
    }

    /// The whole link. With a token it is secret: it gives access to the seat.
    pub fn reveal(&self) -> String {
        match &self.token {
            Some(token) => format!("{self}#{}", token.reveal()),
            None => self.to_string(),
        }
    }
}

/// Splits a link: whether it is encrypted, host with port, and path; the last two may
/// be empty.
fn split(text: &str) -> Result<(bool, &str, &str), ParseLinkError> {
    if text.len() > MAX_LINK {
        return Err(ParseLinkError::NotALink);
    }
    let (scheme, rest) = text.split_once("://").ok_or(ParseLinkError::NotALink)?;
    let is_encrypted = match &*scheme.to_ascii_lowercase() {
        "http" | "ws" => false,
        "https" | "wss" => true,
        _ => return Err(ParseLinkError::NotALink),
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    Ok((is_encrypted, authority, path))
}

impl FromStr for ServerAddress {
    type Err = ParseLinkError;

    fn from_str(text: &str) -> Result<Self, ParseLinkError> {
        let (is_encrypted, authority, path) = split(text)?;
        let server = Self::parse(is_encrypted, authority)?;
        match path {
            "" | "/" => Ok(server),
            _ => Err(ParseLinkError::NotAServer),
        }
    }
}

impl FromStr for Link {
    type Err = ParseLinkError;

    fn from_str(text: &str) -> Result<Self, ParseLinkError> {
        let parts = text.split_once('#');
        let (link, token) = parts.map_or((text, None), |(link, token)| (link, Some(token)));
        let (is_encrypted, authority, path) = split(link)?;
        let server = ServerAddress::parse(is_encrypted, authority)?;
        let id = path.strip_prefix("/m/").ok_or(ParseLinkError::Path)?;
        Ok(Self {
            server,
            id: id.parse().map_err(|_| ParseLinkError::Path)?,
            token: token
                .map(|token| token.parse().map_err(|_| ParseLinkError::Token))
                .transpose()?,
        })
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority())
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/m/{}", self.server, self.id)
    }
}
