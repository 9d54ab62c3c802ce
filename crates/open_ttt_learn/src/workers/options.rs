use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::path::PathBuf;

use async_nats::{Client, ConnectOptions, ServerAddr};

use super::answer::is_name;

/// The first version of the broker that has all that is needed.
const VERSION: (u64, u64) = (2, 11);

/// Where the broker is.
#[derive(Clone)]
#[non_exhaustive]
pub struct BrokerOptions {
    /// Addresses, with commas in between: `nats://host:4222`, or `tls://..`. A
    /// name and password (`nats://name:password@host`) or a token
    /// (`nats://token@host`) stand in the first.
    pub url: String,
    /// What streams and subjects begin with, so that several groups can share a
    /// broker: letters, digits, `_` and `-`.
    pub name: String,
    /// A file with credentials (`.creds`).
    pub credentials: Option<PathBuf>,
    /// Certificates of authorities to be trusted besides the usual ones (PEM).
    pub authorities: Option<PathBuf>,
    /// How long an answer of the broker is waited for.
    pub patience: Duration,
}

/// A broker cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectError {
    /// The options say something impossible.
    Options(String),
    /// It cannot be reached, or does not let us in.
    Unreachable(String),
    /// It is too old.
    Version(String),
    /// It does not keep what is to be kept.
    Refused(String),
}

impl BrokerOptions {
    /// A broker at this address, and the usual choices for everything else.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            name: "open_ttt_learn".to_owned(),
            credentials: None,
            authorities: None,
            patience: Duration::from_secs(5),
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
                "the name of a group is 1 to 64 letters, digits, underscores and hyphens, not {:?}",
                self.name
            )));
        }
        let addresses = self.addresses()?;
        let mut options = ConnectOptions::new()
            .name("open_ttt_learn")
            .connection_timeout(self.patience)
            .request_timeout(Some(self.patience));
        if let Some(first) = addresses.first()
            && let Some(name) = first.username()
        {
            let name = plain(name);
            options = match first.password() {
                Some(password) => options.user_and_password(name, plain(password)),
                None => options.token(name),
            };
        }
        if let Some(file) = &self.credentials {
            let refused = |error| {
                ConnectError::Options(format!("{} cannot be used: {error}", file.display()))
            };
            let text = std::fs::read_to_string(file).map_err(refused)?;
            options = options.credentials(&text).map_err(refused)?;
        }
        if let Some(file) = &self.authorities {
            options = options.add_root_certificates(file.clone());
        }
        Ok((addresses, options))
    }

    fn addresses(&self) -> Result<Vec<ServerAddr>, ConnectError> {
        // It may hold a password and is not repeated.
        let wrong = || {
            ConnectError::Options(
                "the address of the broker is wrong: nats://host:4222 would be right".to_owned(),
            )
        };
        let read = |text: &str| {
            let address: ServerAddr = text.trim().parse().map_err(|_| wrong())?;
            let known = matches!(address.scheme(), "nats" | "tls");
            (known && !address.host().is_empty())
                .then_some(address)
                .ok_or_else(wrong)
        };
        self.url.split(',').map(read).collect()
    }
}

/// A text in which `%40` and the like stand for what an address cannot hold.
fn plain(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digit = |index: usize| char::from(*behind.get(index)?).to_digit(16);
        let code = (first == b'%')
            .then(|| Some(16 * digit(0)? + digit(1)?))
            .flatten();
        if let Some(code) = code {
            bytes.push(code as u8);
            rest = &behind[2..];
        } else {
            bytes.push(first);
            rest = behind;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl fmt::Debug for BrokerOptions {
    /// Without the address, which may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrokerOptions")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Options(cause) => f.write_str(cause),
            Self::Unreachable(cause) => write!(f, "the broker cannot be reached: {cause}"),
            Self::Version(found) => write!(
                f,
                "the broker has version {found} and must have {}.{} or a later one",
                VERSION.0, VERSION.1
            ),
            Self::Refused(cause) => write!(f, "the broker does not do what it is to do: {cause}"),
        }
    }
}

impl Error for ConnectError {}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn passwords_in_addresses_are_decoded() {
        let check = |text, expected: &str| assert_eq!(plain(text), expected);
        check("a%40b%3ac%25", "a@b:c%");
        check("%", "%");
        check("50%zz%e2%82%ac%4", "50%zz\u{20ac}%4");
        check("%+1", "%+1");
    }
}
