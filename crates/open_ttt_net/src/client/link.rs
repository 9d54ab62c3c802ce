use core::error::Error;
use core::fmt;
use core::str::FromStr;

use crate::MatchId;
use crate::protocol::Token;

/// The longest link that is read, in bytes.
const MAX_LINK: usize = 1024;

/// Where a server is: `http://localhost:8080`, `https://play.example.org`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerAddress {
    scheme: Scheme,
    /// A name or an address; one of the sixth version without its brackets.
    host: String,
    port: u16,
}

/// Whether what is said can be read on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scheme {
    Plain,
    Encrypted,
}

/// A link to a match: `http://localhost:8080/m/k3h9zq4m2x7d`. A seat's own link
/// has its token behind a `#`, where browsers keep it to themselves.
///
/// `ws` and `wss` are read as `http` and `https`. `Display` does not show the
/// token; [`reveal`](Self::reveal) does.
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

/// Why a text is no link, or not the address of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseLinkError {
    /// It does not begin with `http://` or `https://`, or is too long.
    NotALink,
    /// The host or the port cannot be one.
    Host,
    /// What follows the host is not `/m/` and the name of a match.
    Path,
    /// What follows the `#` is no token.
    Token,
    /// It is a link to a match, where a server's address was expected.
    NotAServer,
}

impl ServerAddress {
    pub(super) const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The name or address of the machine.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The link to a match on this server.
    pub const fn link(self, id: MatchId) -> Link {
        Link {
            server: self,
            id,
            token: None,
        }
    }

    /// Host and port as a request names them.
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
    /// Where the match is.
    pub const fn server(&self) -> &ServerAddress {
        &self.server
    }

    /// Which match it is.
    pub const fn id(&self) -> &MatchId {
        &self.id
    }

    /// What proves a seat, if the link is a seat's own.
    pub const fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// The link to the same match with another token, or with none.
    pub fn with_token(self, token: Option<Token>) -> Self {
        Self { token, ..self }
    }

    /// The whole link. With a token it is a secret: whoever has it has the seat.
    pub fn reveal(&self) -> String {
        match &self.token {
            Some(token) => format!("{self}#{}", token.reveal()),
            None => self.to_string(),
        }
    }
}

/// Splits a text into scheme, host with port, and path; all but the scheme may
/// be missing.
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
            Self::NotALink => "a link begins with http:// or https://",
            Self::Host => "a link names a host, and perhaps a port: http://localhost:8080",
            Self::Path => "a link to a match ends as in http://localhost:8080/m/k3h9zq4m2x7d",
            Self::Token => "what follows the # of a link is 32 lower-case hexadecimal digits",
            Self::NotAServer => "a server's address has nothing behind host and port",
        })
    }
}

impl Error for ParseLinkError {}
