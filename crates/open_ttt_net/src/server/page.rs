use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::Method;
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    IF_NONE_MATCH, REFERRER_POLICY,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use open_ttt_lib::games::BOOK_FILES;
use sha2::{Digest, Sha256};

use super::Shared;
use super::api_error::ApiError;
use super::compressed::Compressed;
use crate::text_form::to_hex;

/// A file of the page.
struct Asset {
    path: &'static str,
    content_type: &'static str,
    gzip: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
const MANIFEST: &str = "application/manifest+json";

/// The content of a file of `page/` with gzip, as `build.rs` writes it.
macro_rules! gzip {
    ($name:expr) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".gz"))
    };
}

/// Files of `page/` with their content types.
macro_rules! assets {
    ($($name:literal: $content_type:expr),* $(,)?) => {
        &[$(Asset {
            path: concat!("/assets/", $name),
            content_type: $content_type,
            gzip: gzip!($name),
        }),*]
    };
}

const INDEX: Asset = Asset {
    path: "/",
    content_type: HTML,
    gzip: gzip!("index.html"),
};

/// The other addresses of the document.
const PAGES: [&str; 4] = ["/m/{id}", "/analysis", "/learn", "/puzzles"];

const ASSETS: &[Asset] = assets![
    "actions.js": SCRIPT,
    "analysis.js": SCRIPT,
    "api.js": SCRIPT,
    "board.js": SCRIPT,
    "catalog.js": SCRIPT,
    "cell.js": SCRIPT,
    "choice.js": SCRIPT,
    "clock.js": SCRIPT,
    "coach.js": SCRIPT,
    "computer.js": SCRIPT,
    "connection.js": SCRIPT,
    "dom.js": SCRIPT,
    "engine-worker.js": SCRIPT,
    "engine.js": SCRIPT,
    "geometry.js": SCRIPT,
    "history.js": SCRIPT,
    "icon.svg": SVG,
    "lesson.js": SCRIPT,
    "links.js": SCRIPT,
    "lobby.js": SCRIPT,
    "main.js": SCRIPT,
    "manifest.webmanifest": MANIFEST,
    "marks.js": SCRIPT,
    "match.js": SCRIPT,
    "move-tree.js": SCRIPT,
    "moves.js": SCRIPT,
    "notifications.js": SCRIPT,
    "open-games.js": SCRIPT,
    "pairing.js": SCRIPT,
    "parameters.js": SCRIPT,
    "past-game.js": SCRIPT,
    "piece.js": SCRIPT,
    "play-on.js": SCRIPT,
    "player-key.js": SCRIPT,
    "player.js": SCRIPT,
    "playing-games.js": SCRIPT,
    "reach.js": SCRIPT,
    "replay.js": SCRIPT,
    "replica.js": SCRIPT,
    "retry.js": SCRIPT,
    "review.js": SCRIPT,
    "puzzles.js": SCRIPT,
    "rows.js": SCRIPT,
    "scenery.js": SCRIPT,
    "scored-lines.js": SCRIPT,
    "seat.js": SCRIPT,
    "selection.js": SCRIPT,
    "session.js": SCRIPT,
    "share.js": SCRIPT,
    "solo.js": SCRIPT,
    "sound.js": SCRIPT,
    "steps.js": SCRIPT,
    "storage.js": SCRIPT,
    "style.css": STYLE,
    "text.js": SCRIPT,
    "victory.js": SCRIPT,
    "worth.js": SCRIPT,
];

/// The WebAssembly module, which answers about games in the browser, with the books of the
/// games beside it. `cargo xtask web` builds it; a test compares it with its sources.
const MODULE: &[u8] = include_bytes!("../../module/open_ttt.wasm.br");

/// The page may use its own files and its own server, nothing else, and compile its own
/// WebAssembly. No other page may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    worker-src 'self'; manifest-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The files as they are sent, the same for all servers of a process.
static INDEX_FILE: LazyLock<File> = LazyLock::new(|| File::new(&INDEX));
static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let mut files: Vec<_> = ASSETS.iter().map(File::new).collect();
    files.push(File {
        path: "/assets/open_ttt.wasm".into(),
        content_type: "application/wasm",
        tag: tag(MODULE),
        content: Compressed::of_brotli(Bytes::from_static(MODULE)),
    });
    files.extend(BOOK_FILES.iter().map(|&(key, book)| File {
        path: format!("/assets/books/{key}").into(),
        content_type: "application/octet-stream",
        tag: tag(book),
        content: Compressed::new(Bytes::from_static(book)),
    }));
    files.push(service_worker(&files));
    files
});

/// The script that keeps the page in the browser, told which files there are and in which
/// version.
fn service_worker(files: &[File]) -> File {
    let paths: Vec<_> = [&INDEX]
        .into_iter()
        .chain(ASSETS)
        .map(|asset| asset.path)
        .collect();
    let books: Vec<_> = BOOK_FILES
        .iter()
        .map(|(key, _)| format!("/assets/books/{key}"))
        .collect();
    let tags = files.iter().map(|file| &*file.tag);
    let tags: String = tags.chain([&*INDEX_FILE.tag]).collect();
    let version = tag(tags.as_bytes());
    let script = include_str!("../../page/service-worker.js");
    // Paths and tags are texts that JavaScript reads as JSON does.
    let files = serde_json::to_string(&paths).unwrap_or_default();
    let books = serde_json::to_string(&books).unwrap_or_default();
    let script = format!(
        "const VERSION = {version};\nconst FILES = {files};\nconst BOOKS = {books};\n{script}"
    );
    File {
        path: "/service-worker.js".into(),
        content_type: SCRIPT,
        tag: tag(script.as_bytes()),
        content: Compressed::new(script.into()),
    }
}

/// A hash of what is sent, in quotation marks.
fn tag(content: &[u8]) -> String {
    format!("\"{}\"", to_hex(&Sha256::digest(content)[..8]))
}

/// A file of the page as it is sent.
struct File {
    path: Cow<'static, str>,
    content_type: &'static str,
    /// A hash of the content.
    tag: String,
    content: Compressed,
}

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

/// The routes of the page: one document for all screens, and its files.
pub(super) fn routes() -> Router<Arc<Shared>> {
    let index: &'static File = &INDEX_FILE;
    let router = Router::new().route(&index.path, route(index));
    let router = PAGES
        .iter()
        .fold(router, |router, path| router.route(path, route(index)));
    FILES
        .iter()
        .fold(router, |router, file| router.route(&file.path, route(file)))
}

fn route(file: &'static File) -> MethodRouter<Arc<Shared>> {
    get(move |headers: HeaderMap| async move { file.respond(&headers) })
}

/// The answer for an address at which there is nothing: a page for people, who ask for
/// HTML, an error for programs.
pub(super) async fn missing(method: Method, headers: HeaderMap) -> Response {
    let accepted = headers.get_all(ACCEPT).iter();
    let mut accepted = accepted.filter_map(|value| value.to_str().ok());
    if method != Method::GET || !accepted.any(|value| value.contains("text/html")) {
        return ApiError::not_found().into_response();
    }
    let mut response = INDEX_FILE.respond_anew(&headers);
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

impl File {
    fn new(asset: &Asset) -> Self {
        Self {
            path: asset.path.into(),
            content_type: asset.content_type,
            tag: tag(asset.gzip),
            content: Compressed::of_gzip(Bytes::from_static(asset.gzip)),
        }
    }

    /// The file, or 304 if the browser has it already.
    fn respond(&self, request: &HeaderMap) -> Response {
        let is_cached = request
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            // The tag is weak, because it is that of both encodings.
            .any(|value| value.trim().trim_start_matches("W/") == self.tag);
        if is_cached {
            self.with_headers(StatusCode::NOT_MODIFIED.into_response())
        } else {
            self.respond_anew(request)
        }
    }

    /// The file, whatever the browser has.
    fn respond_anew(&self, request: &HeaderMap) -> Response {
        self.with_headers(self.content.answer(request))
    }

    fn with_headers(&self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        headers.extend(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        if let Ok(tag) = HeaderValue::try_from(format!("W/{}", self.tag)) {
            headers.insert(ETAG, tag);
        }
        response
    }
}
