//! Pages of other origins that may use the API (the Fetch standard, "CORS protocol").

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
    HeaderMap, HeaderName, ORIGIN, VARY,
};
use axum::http::{HeaderValue, Method, Request, StatusCode};
use axum::response::{IntoResponse, Response};

use super::Config;

/// A request of a page of an [allowed origin](Config::allowed_origins).
#[derive(Debug, PartialEq)]
pub(super) struct OtherPage {
    origin: HeaderValue,
    is_preflight: bool,
}

/// What a page may send, for how many seconds the browser remembers that, and what it may
/// read beside the body. There are no cookies, so never with credentials.
const PREFLIGHT: [(HeaderName, &str); 3] = [
    (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
    (ACCESS_CONTROL_ALLOW_HEADERS, "content-type"),
    (ACCESS_CONTROL_MAX_AGE, "86400"),
];
const READABLE: &str = "retry-after";

impl OtherPage {
    /// `None` if the browser needs no answer to whether the page may ask, or gets none: of
    /// programs, of the server's own page, and of pages that aren't allowed.
    pub(super) fn of<B>(request: &Request<B>, config: &Config) -> Option<Self> {
        let headers = request.headers();
        let origin = headers.get(ORIGIN)?;
        let is_allowed = |allowed: &String| origin == allowed.as_str();
        let is_of_api = request.uri().path().starts_with("/api/");
        if !is_of_api || !config.allowed_origins.iter().any(is_allowed) {
            return None;
        }
        Some(Self {
            origin: origin.clone(),
            is_preflight: request.method() == Method::OPTIONS
                && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD),
        })
    }

    /// The answer to the question whether the page may send a request.
    pub(super) fn preflight(&self) -> Option<Response> {
        let headers = PREFLIGHT.map(|(name, value)| (name, HeaderValue::from_static(value)));
        self.is_preflight
            .then(|| (StatusCode::NO_CONTENT, HeaderMap::from_iter(headers)).into_response())
    }

    /// Lets the page read an answer.
    pub(super) fn allow(self, headers: &mut HeaderMap) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.origin);
        headers.append(VARY, HeaderValue::from_static("origin"));
        let readable = HeaderValue::from_static(READABLE);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, readable);
    }
}
