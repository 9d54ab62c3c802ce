use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::path::PathBuf;

use async_nats::{Client, ConnectOptions, ServerAddr};

/// The first version that takes one of several writers at a place only, also
/// while its leaders change.
const CLUSTERED: (u64, u64) = (2, 14);

/// The first version that gives many messages for one request.
const ALONE: (u64, u64) = (2, 11);

/// Where the broker is, and how matches are kept there.
#[derive(Clone)]
#[non_exhaustive]
pub struct NatsOptions {
    /// Addresses, with commas in between: `nats://host:4222`, or `tls://..`. A
    /// name and password (`nats://name:password@host`) or a token
    /// (`nats://token@host`) stand in the first.
    pub url: String,
    /// What the streams and subjects begin with, so that several installations
    /// can share a broker: letters, digits, `_` and `-`.
    pub stream_name: String,
    /// How many servers keep each match: an odd number, or none to have it
    /// chosen: three in a cluster, one otherwise.
    pub replicas: Option<usize>,
    /// A file with credentials (`.creds`).
    pub credentials: Option<PathBuf>,
    /// Certificates of authorities to be trusted besides the usual ones (PEM).
    pub root_certificates: Option<PathBuf>,
    /// A certificate of one's own and its key (PEM).
    pub client_certificate: Option<(PathBuf, PathBuf)>,
    /// How long an answer is waited for.
    pub timeout: Duration,
}

/// A broker cannot be used as a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NatsConnectError {
    /// The options say something impossible.
    Options(String),
    /// It cannot be reached, or does not let us in.
    Unreachable(String),
    /// This version is known to lose what it must keep, or lacks what is needed.
    Version {
        /// What it says.
        found: String,
        /// What it should be.
        needed: String,
        /// Why.
        why: &'static str,
    },
    /// There is a stream of this name which is kept in another way.
    Stream(String),
}

impl NatsOptions {
    /// A broker at this address, and the usual choices for everything else.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            stream_name: "open_ttt".to_owned(),
            replicas: None,
            credentials: None,
            root_certificates: None,
            client_certificate: None,
            timeout: Duration::from_secs(5),
        }
    }

    /// Whether a broker could be asked with these options. It is not asked.
    ///
    /// # Errors
    ///
    /// [`NatsConnectError::Options`], if the address, the name or the file of
    /// credentials cannot be used.
    pub fn check(&self) -> Result<(), NatsConnectError> {
        self.prepare().map(|_prepared| ())
    }

    pub(super) async fn connect(&self) -> Result<Client, NatsConnectError> {
        let (addresses, options) = self.prepare()?;
        let client = options
            .connect(addresses)
            .await
            .map_err(|error| NatsConnectError::Unreachable(error.to_string()))?;
        check_version(&client)?;
        Ok(client)
    }

    /// Where to connect to, and how.
    fn prepare(&self) -> Result<(Vec<ServerAddr>, ConnectOptions), NatsConnectError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if self.stream_name.is_empty()
            || self.stream_name.len() > 64
            || !self.stream_name.bytes().all(allowed)
        {
            return Err(NatsConnectError::Options(format!(
                "the name of streams is 1 to 64 letters, digits, underscores and hyphens, not {:?}",
                self.stream_name
            )));
        }
        let addresses = self.addresses()?;
        let mut options = ConnectOptions::new()
            .name("open_ttt")
            .connection_timeout(self.timeout)
            .request_timeout(Some(self.timeout));
        if let Some(first) = addresses.first()
            && let Some(name) = first.username()
        {
            let name = percent_decoded(name);
            options = match first.password() {
                Some(password) => options.user_and_password(name, percent_decoded(password)),
                None => options.token(name),
            };
        }
        if let Some(file) = &self.credentials {
            let refused = |error| {
                NatsConnectError::Options(format!("{} cannot be used: {error}", file.display()))
            };
            let text = std::fs::read_to_string(file).map_err(refused)?;
            options = options.credentials(&text).map_err(refused)?;
        }
        if let Some(file) = &self.root_certificates {
            options = options.add_root_certificates(file.clone());
        }
        if let Some((certificate, key)) = &self.client_certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        Ok((addresses, options))
    }

    fn addresses(&self) -> Result<Vec<ServerAddr>, NatsConnectError> {
        // The address may hold a password and is not repeated.
        let wrong =
            || NatsConnectError::Options("an address is wrong: nats://host:port".to_owned());
        self.url
            .split(',')
            .map(|text| {
                let text = text.trim();
                // An address would be read without them, and so as another one.
                if text.contains(char::is_control) {
                    return Err(wrong());
                }
                let address: ServerAddr = text.parse().map_err(|_| wrong())?;
                let known = matches!(address.scheme(), "nats" | "tls");
                if known && !address.host().is_empty() {
                    Ok(address)
                } else {
                    Err(wrong())
                }
            })
            .collect()
    }
}

/// Refuses servers that cannot keep what is promised.
pub(super) fn check_version(client: &Client) -> Result<(), NatsConnectError> {
    let server = client.server_info();
    let (least, why) = if server.cluster.is_some() {
        let why = "before, clusters were seen to take two entries at one place";
        (CLUSTERED, why)
    } else {
        (ALONE, "before, many messages could not be read at once")
    };
    let mut numbers = server
        .version
        .split('.')
        .map_while(|number| number.parse().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < least {
        return Err(NatsConnectError::Version {
            found: server.version,
            needed: format!("{}.{}", least.0, least.1),
            why,
        });
    }
    Ok(())
}

/// Replaces `%40` and the like by what they stand for.
fn percent_decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes: Vec<u8> = parts.next().unwrap_or_default().into();
    for part in parts {
        // A sign would be read as part of the number.
        let code = part
            .get(..2)
            .filter(|code| code.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        if let Some(byte) = code {
            bytes.push(byte);
            bytes.extend(&part.as_bytes()[2..]);
        } else {
            bytes.push(b'%');
            bytes.extend(part.as_bytes());
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl fmt::Debug for NatsOptions {
    /// Without the address, which may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsOptions")
            .field("name", &self.stream_name)
            .field("replicas", &self.replicas)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for NatsConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Options(cause) | Self::Stream(cause) => f.write_str(cause),
            Self::Unreachable(cause) => write!(f, "the broker cannot be reached: {cause}"),
            Self::Version { found, needed, why } => write!(
                f,
                "the broker has version {found} and must have {needed} or a later one: {why}"
            ),
        }
    }
}

impl Error for NatsConnectError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_control_characters_are_refused() {
        let check = |url: &str| NatsOptions::new(url).check();
        assert_eq!(check(" nats://one:4222 ,\ttls://two\n"), Ok(()));
        for url in ["nats://o\tne", "o\rne", "a#t\0ls:\r//b", "one,tw\u{7f}o"] {
            assert!(check(url).is_err(), "{url:?}");
        }
    }

    #[test]
    fn passwords_in_addresses_are_decoded() {
        let check = |text, expected: &str| assert_eq!(percent_decoded(text), expected);
        check("plain", "plain");
        check("a%40b%3ac%25", "a@b:c%");
        check("%", "%");
        check("50%zz%e2%82%ac", "50%zz\u{20ac}");
        check("%4", "%4");
        check("%+1", "%+1");
    }
}
