//! Properties of the parsers of links and server addresses.

use core::str::from_utf8;

use hyper::Uri;
use open_ttt_net::client::{Link, PlayerLink, ServerAddress};

/// A link to a match, a player's link or a server address. Returns whether the input is
/// one of them.
pub(crate) fn link(bytes: &[u8]) -> bool {
    let Ok(text) = from_utf8(bytes) else {
        return false;
    };
    let server = text.parse::<ServerAddress>().ok();
    let link = text.parse::<Link>().ok();
    let player = text.parse::<PlayerLink>().ok();
    let kinds = [server.is_some(), link.is_some(), player.is_some()];
    let count = kinds.iter().filter(|&&is_one| is_one).count();
    assert!(count <= 1, "{text:?} is of two kinds");
    let of_player = player.as_ref().map(|player| &player.server);
    let of_link = link.as_ref().map(Link::server);
    for server in server.iter().chain(of_link).chain(of_player) {
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
    if let Some(player) = &player {
        assert_eq!(player.reveal().parse().as_ref(), Ok(player));
        let digits = player.key.0.reveal();
        assert!(text.ends_with(&digits), "{text:?}");
        // Unless somebody names the server like the key.
        let is_hidden = !format!("{player:?}").contains(&digits);
        assert!(
            is_hidden || player.server.host().contains(&digits),
            "{text:?}"
        );
    }
    let Some(link) = link else {
        return count == 1;
    };
    assert_eq!(link.reveal().parse().as_ref(), Ok(&link));
    let shown = link.to_string();
    assert_eq!(link.token().is_some(), text.contains('#'));
    assert!(!shown.contains('#'), "{shown}");
    assert!(shown.ends_with(&format!("/m/{}", link.id())), "{shown}");
    true
}
