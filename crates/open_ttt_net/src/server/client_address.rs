use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::header::{HOST, HeaderMap, ORIGIN};
use axum::http::request::Parts;

use super::api_error::ApiError;
use super::{Config, Shared};
use crate::protocol::ErrorCode;

/// The address a request comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClientAddress(pub(super) IpAddr);

impl FromRequestParts<Arc<Shared>> for ClientAddress {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        // Without a connection, as in a test of the router alone, it is local.
        let peer = peer.map_or(IpAddr::from([127, 0, 0, 1]), |peer| peer.0.ip());
        Ok(Self(if shared.config.behind_proxy {
            forwarded(&parts.headers).unwrap_or(peer)
        } else {
            peer
        }))
    }
}

/// The address that one's own proxy has seen: the last one.
fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let list = headers.get_all("x-forwarded-for").iter().next_back()?;
    list.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
}

/// Whether a page may connect: one of this server, or of an origin that is
/// allowed. Programs name no origin.
pub(super) fn check_origin(headers: &HeaderMap, config: &Config) -> Result<(), ApiError> {
    let Some(origin) = headers.get(ORIGIN) else {
        return Ok(());
    };
    let origin = origin.to_str().unwrap_or_default();
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let authority = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    let own = authority.is_some() && authority == host;
    if own
        || config
            .allowed_origins
            .iter()
            .any(|allowed| allowed == origin)
    {
        Ok(())
    } else {
        Err(ApiError::new(
            ErrorCode::BadOrigin,
            "pages of other servers may not connect to this one",
        ))
    }
}
