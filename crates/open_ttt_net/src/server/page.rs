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

/// A part of the page.
#[derive(Clone, Copy, Debug)]
struct Asset {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// The files of `page/` with these names, each of this kind.
macro_rules! assets {
    ($($name:literal: $kind:expr),* $(,)?) => {
        &[$(Asset {
            path: concat!("/assets/", $name),
            kind: $kind,
            bytes: include_bytes!(concat!("../../page/", $name)),
        }),*]
    };
}

const INDEX: Asset = Asset {
    path: "/",
    kind: HTML,
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
    "icon.svg": PICTURE,
    "keepsake.js": SCRIPT,
    "lobby.js": SCRIPT,
    "main.js": SCRIPT,
    "moves.js": SCRIPT,
    "notice.js": SCRIPT,
    "piece.js": SCRIPT,
    "player.js": SCRIPT,
    "replay.js": SCRIPT,
    "replica.js": SCRIPT,
    "scenery.js": SCRIPT,
    "session.js": SCRIPT,
    "share.js": SCRIPT,
    "style.css": STYLE,
    "table.js": SCRIPT,
    "words.js": SCRIPT,
];

/// What the browser is to allow the page: its own files and its own server,
/// nothing else, and nobody may put it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer of the page. A link may carry a token, so no other
/// site is told where one came from.
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
    // The names of the files stay the same from version to version: the browser
    // asks each time, and is told that nothing has changed.
    (CACHE_CONTROL, "no-cache"),
];

/// Where the page and its parts are: one document for every match, and its
/// files.
pub(super) fn routes() -> Router<Arc<Shared>> {
    let index = || get(|headers: HeaderMap| async move { answer(INDEX, &headers) });
    let router = Router::new().route("/", index()).route("/m/{id}", index());
    ASSETS.iter().fold(router, |router, &asset| {
        let file = move |headers: HeaderMap| async move { answer(asset, &headers) };
        router.route(asset.path, get(file))
    })
}

/// The asset, or only that the browser has it already.
fn answer(asset: Asset, asked: &HeaderMap) -> Response {
    let tag = tag(asset);
    let known = asked
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        // Proxies that compress make a tag weak.
        .any(|value| {
            tag.as_ref()
                .is_some_and(|tag| value.trim().trim_start_matches("W/") == *tag)
        });
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        asset.bytes.into_response()
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(tag) = tag {
        headers.insert(ETAG, tag.clone());
    }
    response
}

/// The sum of an asset's bytes, by which a browser asks whether it has changed.
fn tag(asset: Asset) -> Option<&'static HeaderValue> {
    static TAGS: LazyLock<Vec<(&'static str, HeaderValue)>> = LazyLock::new(|| {
        let sum = |asset: &Asset| {
            let digest = Sha256::digest(asset.bytes);
            let sum = digest
                .iter()
                .take(8)
                .fold(0, |sum: u64, &byte| sum << 8 | u64::from(byte));
            HeaderValue::from_str(&format!("\"{sum:016x}\""))
                .ok()
                .map(|tag| (asset.path, tag))
        };
        core::iter::once(&INDEX)
            .chain(ASSETS)
            .filter_map(sum)
            .collect()
    });
    TAGS.iter()
        .find(|(path, _)| *path == asset.path)
        .map(|(_, tag)| tag)
}
