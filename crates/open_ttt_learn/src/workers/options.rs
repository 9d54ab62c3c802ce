use core::fmt;
use core::time::Duration;
use std::path::PathBuf;

use async_nats::{Client, ConnectOptions, ServerAddr};

use super::answer::is_name;

/// The oldest supported version of the broker.
const VERSION: (u64, u64) = (2, 11);

/// How to reach the broker.
#[derive(Clone)]
#[non_exhaustive]
pub struct BrokerOptions {
    /// Addresses, separated by commas: `nats://host:4222` or `tls://..`. The first may
    /// contain a name and password (`nats://name:password@host`) or a token
    /// (`nats://token@host`).
    pub url: String,
    /// The prefix of streams and subjects, so that several groups can share a broker:
    /// 1 to 64 letters, digits, `_` and `-`.
    pub name: String,
    /// A credentials file (`.creds`).
    pub credentials: Option<PathBuf>,
    /// A PEM file of root certificates to trust besides the usual ones.
    pub authorities: Option<PathBuf>,
    /// The timeout of connections and requests.
    pub timeout: Duration,
}

/// A broker can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The options are invalid.
    #[error("{0}")]
    Options(String),
    /// It can't be reached, or rejects the credentials.
    #[error("can't reach the broker: {0}")]
    Unreachable(String),
    /// It is too old.
    #[error(
        "the broker has version {0}; it needs {major}.{minor} or later",
        major = VERSION.0,
        minor = VERSION.1
    )]
    Version(String),
    /// It refuses to create streams or buckets.
    #[error("{0}")]
    Refused(String),
}

impl BrokerOptions {
    /// Default options for a broker at this address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            name: "open_ttt_learn".to_owned(),
            credentials: None,
            authorities: None,
            timeout: Duration::from_secs(5),
        }
    }

    pub(super) async fn connect(&self) -> Result<Client, ConnectError> {
        let (addresses, options) = self.prepare()?;
        let connected = options.connect(addresses).await;
        let client = connected.map_err(|error| ConnectError::Unreachable(error.to_string()))?;
        let version = client.server_info().version;
        let mut numbers = version.split('.').map_while(|number| number.parse().ok());
        let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if found < VERSION {
            return Err(ConnectError::Version(version));
        }
        Ok(client)
    }

    fn prepare(&self) -> Result<(Vec<ServerAddr>, ConnectOptions), ConnectError> {
        if !is_name(&self.name) {
            return Err(ConnectError::Options(format!(
                "a group's name has 1 to 64 letters, digits, underscores and hyphens, not {:?}",
                self.name
            )));
        }
        let addresses = self.addresses()?;
        let mut options = ConnectOptions::new()
            .name("open_ttt_learn")
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
            let refused =
                |error| ConnectError::Options(format!("can't use {}: {error}", file.display()));
            let text = std::fs::read_to_string(file).map_err(refused)?;
            options = options.credentials(&text).map_err(refused)?;
        }
        if let Some(file) = &self.authorities {
            options = options.add_root_certificates(file.clone());
        }
        Ok((addresses, options))
    }

    fn addresses(&self) -> Result<Vec<ServerAddr>, ConnectError> {
        let read = |text: &str| {
            let address: ServerAddr = text.trim().parse().ok()?;
            let is_known = matches!(address.scheme(), "nats" | "tls");
            (is_known && !address.host().is_empty()).then_some(address)
        };
        let addresses: Option<_> = self.url.split(',').map(read).collect();
        // The message omits the address, which may contain a password.
        let wrong = "invalid broker address; write it like nats://host:4222";
        addresses.ok_or_else(|| ConnectError::Options(wrong.to_owned()))
    }
}

/// Decodes `%40` and the like.
fn percent_decoded(text: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(text);
    decoded.decode_utf8_lossy().into_owned()
}

impl fmt::Debug for BrokerOptions {
    /// Omits the address, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrokerOptions")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn passwords_in_addresses_are_decoded() {
        let check = |text, expected: &str| assert_eq!(percent_decoded(text), expected);
        check("a%40b%3ac%25", "a@b:c%");
        check("%", "%");
        check("50%zz%e2%82%ac%4", "50%zz\u{20ac}%4");
        check("%+1", "%+1");
    }
}
