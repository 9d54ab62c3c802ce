//! A match server in this process.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;

use open_ttt_catalog::Catalog;
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::server::{Config, Server};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::waiting::HANG_GUARD;

/// A server that runs until it is dropped.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    log: Arc<dyn MatchLog>,
    runtime: Option<Runtime>,
}

impl TestServer {
    pub(crate) fn start() -> Self {
        let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
        Self::start_at(any_port, Arc::new(MemoryLog::new()))
    }

    fn start_at(address: SocketAddr, log: Arc<dyn MatchLog>) -> Self {
        let runtime = Runtime::new().expect("the runtime starts");
        let listener = runtime
            .block_on(TcpListener::bind(address))
            .expect("a port is free");
        let address = listener.local_addr().expect("the listener has an address");
        let mut config = Config::default();
        // However slow the machine is.
        config.client_timeout = HANG_GUARD;
        config.connection_idle_timeout = HANG_GUARD;
        let server = Server::new(Catalog::bundled(), config, Arc::clone(&log));
        let server = server.expect("the server starts");
        runtime.spawn(server.serve(listener, pending()));
        Self {
            address,
            log,
            runtime: Some(runtime),
        }
    }

    /// Stops the server abruptly, without a shutdown.
    pub(crate) fn crash(mut self) -> CrashedServer {
        self.stop();
        CrashedServer {
            address: self.address,
            log: Arc::clone(&self.log),
        }
    }

    fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The address and the store of a crashed server.
pub(crate) struct CrashedServer {
    address: SocketAddr,
    log: Arc<dyn MatchLog>,
}

impl CrashedServer {
    /// Starts another server with the same address and store.
    pub(crate) fn restart(self) -> TestServer {
        TestServer::start_at(self.address, self.log)
    }
}
