//! A match server of one's own, in this process.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;

use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::server::{Config, Server};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// A server that runs until it is dropped.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    log: Arc<dyn MatchLog>,
    runtime: Option<Runtime>,
}

impl TestServer {
    pub(crate) fn open() -> Self {
        let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
        Self::open_at(anywhere, Arc::new(MemoryLog::new()))
    }

    fn open_at(address: SocketAddr, log: Arc<dyn MatchLog>) -> Self {
        let runtime = Runtime::new().expect("there is a runtime");
        let listener = runtime
            .block_on(TcpListener::bind(address))
            .expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let server = Server::new(Config::default(), Arc::clone(&log)).expect("there is a server");
        runtime.spawn(server.serve(listener, pending()));
        Self {
            address,
            log,
            runtime: Some(runtime),
        }
    }

    /// Ends the server in the middle of whatever it does, and tells what it
    /// left.
    pub(crate) fn crash(mut self) -> CrashedServer {
        self.end();
        CrashedServer {
            address: self.address,
            log: Arc::clone(&self.log),
        }
    }

    fn end(&mut self) {
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
        self.end();
    }
}

/// What is left of a server: where it was, and what it had stored.
pub(crate) struct CrashedServer {
    address: SocketAddr,
    log: Arc<dyn MatchLog>,
}

impl CrashedServer {
    /// Another server in its place.
    pub(crate) fn rebuild(self) -> TestServer {
        TestServer::open_at(self.address, self.log)
    }
}
