use std::sync::Arc;

use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    IF_NONE_MATCH, REFERRER_POLICY,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use sha2::{Digest, Sha256};

use super::Shared;
use crate::text_form::to_hex;

/// A file of the page.
struct Asset {
    path: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Files of `page/` with their content types.
macro_rules! assets {
    ($($name:literal: $content_type:expr),* $(,)?) => {
        &[$(Asset {
            path: concat!("/assets/", $name),
            content_type: $content_type,
            bytes: include_bytes!(concat!("../../page/", $name)),
        }),*]
    };
}

const INDEX: Asset = Asset {
    path: "/",
    content_type: HTML,
    bytes: include_bytes!("../../page/index.html"),
};

const ASSETS: &[Asset] = assets![
    "actions.js": SCRIPT,
    "api.js": SCRIPT,
    "board.js": SCRIPT,
    "choice.js": SCRIPT,
    "clock.js": SCRIPT,
    "computer.js": SCRIPT,
    "connection.js": SCRIPT,
    "dom.js": SCRIPT,
    "geometry.js": SCRIPT,
    "history.js": SCRIPT,
    "icon.svg": SVG,
    "lobby.js": SCRIPT,
    "main.js": SCRIPT,
    "match.js": SCRIPT,
    "moves.js": SCRIPT,
    "notifications.js": SCRIPT,
    "open-games.js": SCRIPT,
    "pairing.js": SCRIPT,
    "past-game.js": SCRIPT,
    "piece.js": SCRIPT,
    "player-key.js": SCRIPT,
    "player.js": SCRIPT,
    "replay.js": SCRIPT,
    "replica.js": SCRIPT,
    "rows.js": SCRIPT,
    "scenery.js": SCRIPT,
    "seat.js": SCRIPT,
    "selection.js": SCRIPT,
    "session.js": SCRIPT,
    "share.js": SCRIPT,
    "storage.js": SCRIPT,
    "style.css": STYLE,
    "text.js": SCRIPT,
];

/// The page may use its own files and its own server, nothing else. No other
/// page may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of all files of the page. Links may contain a token, so the browser
/// must not send a referrer.
const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    // File names do not change with the version: the browser revalidates.
    (CACHE_CONTROL, "no-cache"),
];

/// The routes of the page: one document for all matches, and its files.
pub(super) fn routes() -> Router<Arc<Shared>> {
    let router = Router::new().route(INDEX.path, file(&INDEX));
    let router = router.route("/m/{id}", file(&INDEX));
    ASSETS.iter().fold(router, |router, asset| {
        router.route(asset.path, file(asset))
    })
}

fn file(asset: &'static Asset) -> MethodRouter<Arc<Shared>> {
    // A hash of the content.
    let digest = Sha256::digest(asset.bytes);
    let tag = format!("\"{}\"", to_hex(&digest[..8]));
    get(move |headers: HeaderMap| async move { respond(asset, &tag, &headers) })
}

/// The file, or 304 if the browser has it already.
fn respond(asset: &Asset, tag: &str, request: &HeaderMap) -> Response {
    let is_cached = request
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        // Compressing proxies make tags weak.
        .any(|value| value.trim().trim_start_matches("W/") == tag);
    let mut response = if is_cached {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        asset.bytes.into_response()
    };
    let headers = response.headers_mut();
    let common = HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value)));
    headers.extend(common);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    response
}
