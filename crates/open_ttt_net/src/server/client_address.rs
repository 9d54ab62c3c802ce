use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::Extensions;
use axum::http::header::{HOST, HeaderMap, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;

use super::Config;
use super::api_error::ApiError;
use crate::protocol::ErrorCode;

/// The address of the client that sent a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClientAddress(pub(super) IpAddr);

impl ClientAddress {
    /// The client's address, and whether a trusted proxy has told it.
    pub(super) fn of(
        extensions: &Extensions,
        headers: &HeaderMap,
        config: &Config,
    ) -> (Self, bool) {
        let peer = extensions.get::<ConnectInfo<SocketAddr>>();
        // A router under test has no connections.
        let peer = peer.map_or(LOOPBACK, |peer| peer.0.ip().to_canonical());
        if config.is_proxy(peer) {
            (Self(forwarded_for(headers, config).unwrap_or(peer)), true)
        } else {
            (Self(peer), false)
        }
    }
}

const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// The middleware has found the address.
impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().copied().unwrap_or(Self(LOOPBACK)))
    }
}

/// The last address of `X-Forwarded-For` that is not a proxy's. Each proxy appends
/// the address it was called from; what comes before can be made up.
fn forwarded_for(headers: &HeaderMap, config: &Config) -> Option<IpAddr> {
    let lists = headers.get_all("x-forwarded-for").iter().rev();
    let texts = lists.flat_map(|list| list.to_str().unwrap_or_default().rsplit(','));
    let mut last = None;
    for text in texts {
        let text = text.trim();
        // With or without a port.
        let address = text.parse().ok();
        let address = address.or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()));
        // Whatever a proxy did not write is not to be believed either.
        let Some(address) = address.map(|address: IpAddr| address.to_canonical()) else {
            break;
        };
        last = Some(address);
        if !config.is_proxy(address) {
            break;
        }
    }
    last
}

impl Config {
    /// Whether this is the address of a trusted proxy.
    pub(super) fn is_proxy(&self, address: IpAddr) -> bool {
        self.trusted_proxies
            .iter()
            .any(|network| network.contains(&address))
    }

    /// Whether the server answers under this name.
    fn has_host(&self, host: &str) -> bool {
        let is = |name: &str| host.eq_ignore_ascii_case(name);
        let of_origin = |origin: &String| {
            let authority = origin.split_once("://").map(|(_, authority)| authority);
            let authority = authority.and_then(|text| text.parse::<Authority>().ok());
            authority.is_some_and(|authority| is(authority.host()))
        };
        host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
            // No page of the internet has such a name.
            || !host.contains('.')
            || self.hosts.iter().any(|name| is(name))
            || self.allowed_origins.iter().any(of_origin)
    }
}

/// Refuses requests to names that are not this server's.
pub(super) fn check_host(headers: &HeaderMap, config: &Config) -> Result<(), ApiError> {
    // HTTP/1.0, which browsers do not speak, has no such header.
    let Some(value) = headers.get(HOST) else {
        return Ok(());
    };
    let text = value.to_str().unwrap_or_default();
    let host = text.parse::<Authority>();
    if host.is_ok_and(|authority| config.has_host(authority.host())) {
        return Ok(());
    }
    let text =
        "This server doesn't answer under this name. Its operator can allow it with --hosts.";
    Err(ApiError::new(ErrorCode::BadOrigin, text))
}

/// Refuses pages of other origins, unless they are configured as allowed.
/// Clients that are not browsers send no origin.
pub(super) fn check_origin(headers: &HeaderMap, config: &Config) -> Result<(), ApiError> {
    let Some(origin) = headers.get(ORIGIN) else {
        return Ok(());
    };
    let origin = origin.to_str().unwrap_or_default();
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let authority = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    let is_own = authority.is_some() && authority == host;
    let is_allowed = |allowed: &String| allowed == origin;
    if is_own || config.allowed_origins.iter().any(is_allowed) {
        return Ok(());
    }
    Err(ApiError::new(
        ErrorCode::BadOrigin,
        "This page isn't allowed to connect to this server.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config {
            trusted_proxies: ["127.0.0.0/8", "10.1.0.0/16", "::1/128"]
                .map(|text| text.parse().expect("a network"))
                .into(),
            hosts: vec!["play.example.org".to_owned()],
            allowed_origins: vec!["https://page.example.net:8443".to_owned()],
            ..Config::default()
        }
    }

    #[test]
    fn the_clients_address_is_the_last_that_is_no_proxys() {
        let check = |peer: &str, lists: &[&str], expected: (&str, bool)| {
            let mut headers = HeaderMap::new();
            for list in lists {
                headers.append("x-forwarded-for", list.parse().expect("a header"));
            }
            let mut extensions = Extensions::new();
            let peer = SocketAddr::new(peer.parse().expect("an address"), 5);
            extensions.insert(ConnectInfo(peer));
            let found = ClientAddress::of(&extensions, &headers, &config());
            let address = expected.0.parse().expect("an address");
            assert_eq!(found, (ClientAddress(address), expected.1), "{lists:?}");
        };
        // Not through a proxy: nothing that the client says is believed.
        check("192.0.2.1", &["198.51.100.7"], ("192.0.2.1", false));
        check("127.0.0.1", &["198.51.100.7"], ("198.51.100.7", true));
        check("::ffff:127.0.0.1", &["2001:db8::1"], ("2001:db8::1", true));
        // The client has sent a list of its own.
        let forged = "203.0.113.9, 198.51.100.7";
        check("127.0.0.1", &[forged], ("198.51.100.7", true));
        check(
            "::1",
            &["203.0.113.9", "198.51.100.7:81"],
            ("198.51.100.7", true),
        );
        check("127.0.0.1", &["203.0.113.9,junk"], ("127.0.0.1", true));
        // Two proxies, one behind the other.
        check(
            "127.0.0.1",
            &["198.51.100.7, 10.1.2.3"],
            ("198.51.100.7", true),
        );
        check("127.0.0.1", &["junk, 10.1.2.3"], ("10.1.2.3", true));
        check("127.0.0.1", &["10.1.2.3"], ("10.1.2.3", true));
        check("127.0.0.1", &[], ("127.0.0.1", true));
    }

    #[test]
    fn only_its_own_names_are_answered() {
        let check = |host: &str, expected: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().expect("a header"));
            assert_eq!(check_host(&headers, &config()).is_ok(), expected, "{host}");
        };
        for host in [
            "127.0.0.1:7878",
            "192.0.2.1",
            "[::1]:7878",
            "localhost",
            "LocalHost:7878",
            "mybox:7878",
            "play.example.org",
            "PLAY.example.org:443",
            "page.example.net",
        ] {
            check(host, true);
        }
        for host in [
            "evil.example",
            "evil.example:7878",
            "play.example.org.evil.example",
            "127.0.0.1.evil.example",
            "a b",
            "",
        ] {
            check(host, false);
        }
        assert_eq!(check_host(&HeaderMap::new(), &config()), Ok(()));
    }
}
