use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    IF_NONE_MATCH, REFERRER_POLICY,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};

use super::Shared;

/// A file of the page.
#[derive(Clone, Copy, Debug)]
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
    "icon.svg": SVG,
    "lobby.js": SCRIPT,
    "main.js": SCRIPT,
    "match.js": SCRIPT,
    "moves.js": SCRIPT,
    "notifications.js": SCRIPT,
    "piece.js": SCRIPT,
    "player.js": SCRIPT,
    "replay.js": SCRIPT,
    "replica.js": SCRIPT,
    "scenery.js": SCRIPT,
    "seat.js": SCRIPT,
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
    let index = || get(|headers: HeaderMap| async move { respond(INDEX, &headers) });
    let router = Router::new().route("/", index()).route("/m/{id}", index());
    ASSETS.iter().fold(router, |router, &asset| {
        let file = move |headers: HeaderMap| async move { respond(asset, &headers) };
        router.route(asset.path, get(file))
    })
}

/// The file, or 304 if the browser has it already.
fn respond(asset: Asset, request: &HeaderMap) -> Response {
    let tag = tag(asset);
    let is_cached = request
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        // Compressing proxies make tags weak.
        .any(|value| {
            tag.as_ref()
                .is_some_and(|tag| value.trim().trim_start_matches("W/") == *tag)
        });
    let mut response = if is_cached {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        asset.bytes.into_response()
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(tag) = tag {
        headers.insert(ETAG, tag.clone());
    }
    response
}

/// The file's entity tag: a hash of its content.
fn tag(asset: Asset) -> Option<&'static HeaderValue> {
    static TAGS: LazyLock<Vec<(&'static str, HeaderValue)>> = LazyLock::new(|| {
        let tag = |asset: &Asset| {
            let digest = Sha256::digest(asset.bytes);
            let hash = digest
                .iter()
                .take(8)
                .fold(0, |hash: u64, &byte| hash << 8 | u64::from(byte));
            HeaderValue::from_str(&format!("\"{hash:016x}\""))
                .ok()
                .map(|tag| (asset.path, tag))
        };
        core::iter::once(&INDEX)
            .chain(ASSETS)
            .filter_map(tag)
            .collect()
    });
    TAGS.iter()
        .find(|(path, _)| *path == asset.path)
        .map(|(_, tag)| tag)
}
