//! Properties of the parsers of links and server addresses.

use core::str::from_utf8;

use hyper::Uri;
use open_ttt_net::client::{Link, ServerAddress};

/// A link or a server address. Returns whether the input is one of them.
pub(crate) fn link(bytes: &[u8]) -> bool {
    let Ok(text) = from_utf8(bytes) else {
        return false;
    };
    let server = text.parse::<ServerAddress>().ok();
    let link = text.parse::<Link>().ok();
    assert!(server.is_none() || link.is_none(), "{text:?} is both");
    for server in server.iter().chain(link.as_ref().map(Link::server)) {
        let shown = server.to_string();
        assert_eq!(shown.parse().as_ref(), Ok(server));
        // An HTTP library reads the same host, port and path.
        let uri: Uri = format!("{shown}/api").parse().expect("the URI is valid");
        let host = uri.host().expect("the URI has a host");
        let port = if uri.scheme_str() == Some("https") {
            443
        } else {
            80
        };
        assert_eq!(host.trim_matches(['[', ']']), server.host());
        assert_eq!(uri.port_u16().unwrap_or(port), server.port());
        assert_eq!(uri.path(), "/api");
    }
    let Some(link) = link else {
        return server.is_some();
    };
    assert_eq!(link.reveal().parse().as_ref(), Ok(&link));
    let shown = link.to_string();
    assert_eq!(link.token().is_some(), text.contains('#'));
    assert!(!shown.contains('#'), "{shown}");
    assert!(shown.ends_with(&format!("/m/{}", link.id())), "{shown}");
    true
}
