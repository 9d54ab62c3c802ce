use std::sync::Arc;

use axum::Router;

use super::Shared;

/// Where the page and its parts are.
pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
}
