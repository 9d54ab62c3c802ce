use core::time::Duration;
use std::sync::Arc;

use tokio::sync::{Semaphore, SemaphorePermit};

use super::api_error::ApiError;
use super::client_address::ClientAddress;
use super::limits::{Quota, QuotaPermit};

/// Limits how many whole histories are in memory at once.
#[derive(Debug)]
pub(super) struct Reviews {
    places: Semaphore,
    by_address: Arc<Quota>,
}

/// A place among the [`Reviews`].
pub(super) struct ReviewPlace<'a> {
    _place: SemaphorePermit<'a>,
    _of_address: QuotaPermit,
}

/// Number of histories in memory at once. A history and the answer that is made of it have
/// some megabytes at most.
const MAX_HISTORIES: usize = 8;

/// Number of requests of one address that have or wait for a history.
const MAX_PER_ADDRESS: usize = 8;

impl Reviews {
    pub(super) fn new() -> Self {
        Self {
            places: Semaphore::new(MAX_HISTORIES),
            by_address: Quota::new(usize::MAX, MAX_PER_ADDRESS),
        }
    }

    /// Waits for a place.
    pub(super) async fn enter(
        &self,
        ClientAddress(address): ClientAddress,
    ) -> Result<ReviewPlace<'_>, ApiError> {
        let busy = || ApiError::too_many_requests(Duration::from_secs(1));
        Ok(ReviewPlace {
            _of_address: self.by_address.acquire(address, 1).ok_or_else(busy)?,
            // The semaphore is never closed.
            _place: self.places.acquire().await.map_err(|_| busy())?,
        })
    }
}
