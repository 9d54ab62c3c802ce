use std::sync::Arc;

use open_ttt_net::log::{MatchLog, MemoryLog, conformance};

#[tokio::test(flavor = "multi_thread")]
async fn obeys_the_laws() {
    conformance::check_all(&[Arc::new(MemoryLog::new())]).await;
}

#[test]
fn is_one_servers_own() {
    assert!(!MemoryLog::new().is_shared());
}
