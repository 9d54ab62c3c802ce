use core::error::Error;
use core::fmt;
use core::str::FromStr;

use crate::MatchId;
use crate::protocol::Token;

/// The longest accepted link, in bytes.
const MAX_LINK: usize = 1024;

/// The address of a server: `http://localhost:8080`, `https://play.example.org`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerAddress {
    scheme: Scheme,
    /// A name or an IP address, IPv6 without brackets.
    host: String,
    port: u16,
}

/// Whether the connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scheme {
    Plain,
    Encrypted,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseLinkError {
    /// It does not start with `http://` or `https://`, or is too long.
    NotALink,
    /// The host or the port is invalid.
    Host,
    /// The path is not `/m/` and the id of a match.
    Path,
    /// The text after the `#` is not a token.
    Token,
    /// A server's address must not have a path.
    NotAServer,
}

impl ServerAddress {
    pub(super) const fn scheme(&self) -> Scheme {
        self.scheme
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
        if self.port == self.scheme.default_port() {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }

    fn parse(scheme: Scheme, authority: &str) -> Result<Self, ParseLinkError> {
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
            None if port.is_empty() => scheme.default_port(),
            _ => return Err(ParseLinkError::Host),
        };
        Ok(Self { scheme, host, port })
    }
}

impl Scheme {
    const fn default_port(self) -> u16 {
        match self {
            Self::Plain => 80,
            Self::Encrypted => 443,
        }
    }
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

/// Splits a link into scheme, host with port, and path; the last two may be empty.
fn split(text: &str) -> Result<(Scheme, &str, &str), ParseLinkError> {
    if text.len() > MAX_LINK {
        return Err(ParseLinkError::NotALink);
    }
    let (scheme, rest) = text.split_once("://").ok_or(ParseLinkError::NotALink)?;
    let scheme = match &*scheme.to_ascii_lowercase() {
        "http" | "ws" => Scheme::Plain,
        "https" | "wss" => Scheme::Encrypted,
        _ => return Err(ParseLinkError::NotALink),
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    Ok((scheme, authority, path))
}

impl FromStr for ServerAddress {
    type Err = ParseLinkError;

    fn from_str(text: &str) -> Result<Self, ParseLinkError> {
        let (scheme, authority, path) = split(text)?;
        let server = Self::parse(scheme, authority)?;
        match path {
            "" | "/" => Ok(server),
            _ => Err(ParseLinkError::NotAServer),
        }
    }
}

impl FromStr for Link {
    type Err = ParseLinkError;

    fn from_str(text: &str) -> Result<Self, ParseLinkError> {
        let (link, token) = match text.split_once('#') {
            Some((link, token)) => (link, Some(token)),
            None => (text, None),
        };
        let (scheme, authority, path) = split(link)?;
        let server = ServerAddress::parse(scheme, authority)?;
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
        let scheme = match self.scheme {
            Scheme::Plain => "http",
            Scheme::Encrypted => "https",
        };
        write!(f, "{scheme}://{}", self.authority())
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/m/{}", self.server, self.id)
    }
}

impl fmt::Display for ParseLinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotALink => "a link starts with http:// or https://",
            Self::Host => "a link has a host and an optional port: http://localhost:8080",
            Self::Path => "a link to a match looks like http://localhost:8080/m/k3h9zq4m2x7d",
            Self::Token => "a link's token, after the #, is 32 lower-case hexadecimal digits",
            Self::NotAServer => "a server's address ends after host and port",
        })
    }
}

impl Error for ParseLinkError {}
