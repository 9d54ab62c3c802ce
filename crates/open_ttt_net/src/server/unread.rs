use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, to_bytes};
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};

use super::api_error::ApiError;
use super::client_address::ClientAddress;
use super::compressed::SharedBytes;
use super::limits::{Quota, QuotaPermit};

/// The size of the pieces in which an answer is written, in bytes. The connection
/// holds one of them beside the answer itself.
const PIECE: usize = 16 * 1024;

/// An answer that counts as unread until the client has accepted it.
struct UnreadBody {
    rest: Bytes,
    /// `None` for [`SharedBytes`].
    _permit: Option<QuotaPermit>,
}

/// Counts an answer as unread until the client has accepted it. Refuses it if its
/// address, or all together, have too many. [`SharedBytes`] don't count: they take no memory
/// of their own, and everybody has to get the page.
pub(super) async fn limit_unread(
    unread: &Arc<Quota>,
    ClientAddress(address): ClientAddress,
    response: Response,
) -> Response {
    let (parts, body) = response.into_parts();
    // All answers are built as a whole, so this copies nothing.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return ApiError::too_many_unread().into_response();
    };
    if bytes.is_empty() {
        return Response::from_parts(parts, Body::empty());
    }
    let permit = if parts.extensions.get::<SharedBytes>().is_some() {
        None
    } else {
        let permit = unread.acquire(address, bytes.len());
        if permit.is_none() {
            return ApiError::too_many_unread().into_response();
        }
        permit
    };
    let body = UnreadBody {
        rest: bytes,
        _permit: permit,
    };
    Response::from_parts(parts, Body::new(body))
}

impl http_body::Body for UnreadBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.rest.len().min(PIECE);
        Poll::Ready((length > 0).then(|| Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
