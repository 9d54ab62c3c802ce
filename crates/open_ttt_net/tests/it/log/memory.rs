use std::sync::Arc;

use open_ttt_net::log::{MatchLog, MemoryLog, conformance};

#[tokio::test(flavor = "multi_thread")]
async fn passes_the_conformance_suite() {
    conformance::check_all(&[Arc::new(MemoryLog::new())]).await;
}

#[test]
fn is_not_shared() {
    assert!(!MemoryLog::new().is_shared());
}
