use core::fmt;
use core::time::Duration;
use std::path::PathBuf;

use async_nats::{Client, ConnectOptions, ServerAddr};

/// The first version whose clusters accept only one entry per position, also
/// while the leader changes.
const MIN_CLUSTERED: (u64, u64) = (2, 14);

/// The first version with batched direct gets.
const MIN_SINGLE: (u64, u64) = (2, 11);

/// How to connect to the broker, and how it stores matches.
#[derive(Clone)]
#[non_exhaustive]
pub struct NatsOptions {
    /// Comma-separated addresses: `nats://host:4222` or `tls://..`. The first
    /// may contain user and password (`nats://user:password@host`) or a token
    /// (`nats://token@host`).
    pub url: String,
    /// Prefix of the streams and subjects: letters, digits, `_` and `-`.
    /// Several installations can share a broker under different names.
    pub stream_name: String,
    /// Number of replicas of each match, an odd number. By default three in a
    /// cluster and one on a single server.
    pub replicas: Option<usize>,
    /// A credentials file (`.creds`).
    pub credentials: Option<PathBuf>,
    /// Additional root certificates (PEM).
    pub root_certificates: Option<PathBuf>,
    /// A client certificate and its private key (PEM).
    pub client_certificate: Option<(PathBuf, PathBuf)>,
    /// Time-out of a request.
    pub timeout: Duration,
}

/// Why a broker cannot be used as a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NatsConnectError {
    /// The options are invalid.
    #[error("{0}")]
    Options(String),
    /// The broker is unreachable or rejects the credentials.
    #[error("the broker cannot be reached: {0}")]
    Unreachable(String),
    /// The broker's version loses entries or lacks a required feature.
    #[error("the broker has version {found}, but {needed} or later is required: {why}")]
    Version {
        /// The version found.
        found: String,
        /// The minimum version.
        needed: String,
        /// The reason.
        why: &'static str,
    },
    /// A stream of this name exists with another configuration.
    #[error("{0}")]
    Stream(String),
}

impl NatsOptions {
    /// The default options for a broker at this address.
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

    /// Checks the options without connecting.
    ///
    /// # Errors
    ///
    /// [`NatsConnectError::Options`] if an address, the stream name or the
    /// credentials file is invalid.
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

    /// The addresses and the options of the client.
    fn prepare(&self) -> Result<(Vec<ServerAddr>, ConnectOptions), NatsConnectError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if self.stream_name.is_empty()
            || self.stream_name.len() > 64
            || !self.stream_name.bytes().all(allowed)
        {
            return Err(NatsConnectError::Options(format!(
                "a stream name has 1 to 64 letters, digits, underscores or hyphens, unlike {:?}",
                self.stream_name
            )));
        }
        let addresses = self.addresses()?;
        let mut options = ConnectOptions::new()
            .name("open_ttt")
            .connection_timeout(self.timeout)
            .request_timeout(Some(self.timeout));
        if let Some(first) = addresses.first()
            && let Some(user) = first.username()
        {
            let user = percent_decode(user);
            options = match first.password() {
                Some(password) => options.user_and_password(user, percent_decode(password)),
                None => options.token(user),
            };
        }
        if let Some(file) = &self.credentials {
            let invalid = |error| {
                let file = file.display();
                NatsConnectError::Options(format!("credentials file {file}: {error}"))
            };
            let text = std::fs::read_to_string(file).map_err(invalid)?;
            options = options.credentials(&text).map_err(invalid)?;
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
        // Without the address, which may contain a password.
        let invalid = || {
            let text = "invalid broker address, expected nats://host:port";
            NatsConnectError::Options(text.to_owned())
        };
        let parse = |text: &str| {
            // The URL parser would drop control characters silently.
            if text.contains(char::is_control) {
                return Err(invalid());
            }
            let address: ServerAddr = text.parse().map_err(|_| invalid())?;
            let has_known_scheme = matches!(address.scheme(), "nats" | "tls");
            if has_known_scheme && !address.host().is_empty() {
                Ok(address)
            } else {
                Err(invalid())
            }
        };
        self.url.split(',').map(str::trim).map(parse).collect()
    }
}

/// Refuses brokers that cannot give the guarantees of a match log.
pub(super) fn check_version(client: &Client) -> Result<(), NatsConnectError> {
    let server = client.server_info();
    let (minimum, why) = if server.cluster.is_some() {
        let why = "clusters of earlier versions may store two entries at one position";
        (MIN_CLUSTERED, why)
    } else {
        (MIN_SINGLE, "earlier versions have no batched reads")
    };
    let mut numbers = server
        .version
        .split('.')
        .map_while(|number| number.parse().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < minimum {
        return Err(NatsConnectError::Version {
            found: server.version,
            needed: format!("{}.{}", minimum.0, minimum.1),
            why,
        });
    }
    Ok(())
}

/// Decodes percent-encoded characters (`%40`). Invalid codes are kept.
fn percent_decode(text: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(text);
    decoded.decode_utf8_lossy().into_owned()
}

impl fmt::Debug for NatsOptions {
    /// Without the address, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsOptions")
            .field("name", &self.stream_name)
            .field("replicas", &self.replicas)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_control_characters_are_invalid() {
        let check = |url: &str| NatsOptions::new(url).check();
        assert_eq!(check(" nats://one:4222 ,\ttls://two\n"), Ok(()));
        for url in ["nats://o\tne", "o\rne", "a#t\0ls:\r//b", "one,tw\u{7f}o"] {
            assert!(check(url).is_err(), "{url:?}");
        }
    }

    #[test]
    fn passwords_in_addresses_are_decoded() {
        let check = |text, expected: &str| assert_eq!(percent_decode(text), expected);
        check("plain", "plain");
        check("a%40b%3ac%25", "a@b:c%");
        check("%", "%");
        check("50%zz%e2%82%ac", "50%zz\u{20ac}");
        check("%4", "%4");
        check("%+1", "%+1");
    }
}
