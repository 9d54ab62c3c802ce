use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::header::{HOST, HeaderMap, ORIGIN};
use axum::http::request::Parts;

use super::api_error::ApiError;
use super::{Config, Shared};
use crate::protocol::ErrorCode;

/// The address of the client that sent a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClientAddress(pub(super) IpAddr);

impl FromRequestParts<Arc<Shared>> for ClientAddress {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        // A router under test has no connections.
        let peer = peer.map_or(IpAddr::from([127, 0, 0, 1]), |peer| peer.0.ip());
        Ok(Self(if shared.config.behind_proxy {
            forwarded_for(&parts.headers).unwrap_or(peer)
        } else {
            peer
        }))
    }
}

/// The last address of `X-Forwarded-For`, which the server's own proxy added.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let list = headers.get_all("x-forwarded-for").iter().next_back()?;
    list.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
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
