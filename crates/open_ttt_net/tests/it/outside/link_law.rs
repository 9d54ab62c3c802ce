//! What holds for links and addresses of servers, whatever they are.

use core::str::from_utf8;

use hyper::Uri;
use open_ttt_net::client::{Link, ServerAddress};

/// Links, and addresses of servers; whether it is one of them.
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
        // Requests go to this very place.
        let asked: Uri = format!("{shown}/api").parse().expect("it can be asked");
        let host = asked.host().expect("it names a host");
        let port = if asked.scheme_str() == Some("https") {
            443
        } else {
            80
        };
        assert_eq!(host.trim_matches(['[', ']']), server.host());
        assert_eq!(asked.port_u16().unwrap_or(port), server.port());
        assert_eq!(asked.path(), "/api");
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
