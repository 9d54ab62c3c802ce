//! A match server in this process.

use std::future::pending;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use open_ttt_catalog::Catalog;
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::server::{Config, Server};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::waiting::HANG_GUARD;

const ANY_PORT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A server that runs until it is dropped.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    /// The address of its metrics.
    pub(crate) private: SocketAddr,
    log: Arc<dyn MatchLog>,
    configure: fn(&mut Config),
    runtime: Option<Runtime>,
}

impl TestServer {
    pub(crate) fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// The same with other settings.
    pub(crate) fn start_with(configure: fn(&mut Config)) -> Self {
        Self::start_at(ANY_PORT, Arc::new(MemoryLog::new()), configure)
    }

    fn start_at(address: SocketAddr, log: Arc<dyn MatchLog>, configure: fn(&mut Config)) -> Self {
        let runtime = Runtime::new().expect("the runtime starts");
        let bind = |address| {
            let listener = runtime.block_on(TcpListener::bind(address));
            let listener = listener.expect("a port is free");
            let address = listener.local_addr().expect("the listener has an address");
            (listener, address)
        };
        let (listener, address) = bind(address);
        let (private_listener, private) = bind(ANY_PORT);
        let mut config = Config::default();
        // However slow the machine is.
        config.client_timeout = HANG_GUARD;
        config.connection_idle_timeout = HANG_GUARD;
        configure(&mut config);
        let server = Server::new(Catalog::bundled(), config, Arc::clone(&log));
        let server = server.expect("the server starts");
        runtime.spawn(server.clone().serve_private(private_listener));
        runtime.spawn(server.serve(listener, pending()));
        Self {
            address,
            private,
            log,
            configure,
            runtime: Some(runtime),
        }
    }

    /// Stops the server abruptly, without a shutdown.
    pub(crate) fn crash(mut self) -> CrashedServer {
        self.stop();
        CrashedServer {
            address: self.address,
            log: Arc::clone(&self.log),
            configure: self.configure,
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
    configure: fn(&mut Config),
}

impl CrashedServer {
    /// Starts another server with the same address and store.
    pub(crate) fn restart(self) -> TestServer {
        TestServer::start_at(self.address, self.log, self.configure)
    }
}
