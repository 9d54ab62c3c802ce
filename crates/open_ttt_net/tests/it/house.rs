//! A match server of one's own, in this process.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::server::{Config, Server};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// A server that runs until it is dropped.
pub(crate) struct House {
    pub(crate) address: SocketAddr,
    log: Arc<dyn MatchLog>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl House {
    pub(crate) fn open() -> Self {
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        Self::open_at(nowhere, Arc::new(MemoryLog::new()))
    }

    fn open_at(address: SocketAddr, log: Arc<dyn MatchLog>) -> Self {
        let runtime = Runtime::new().expect("there is a runtime");
        let listener = runtime
            .block_on(TcpListener::bind(address))
            .expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let server = Server::new(Config::default(), Arc::clone(&log)).expect("there is a server");
        let (end, ended) = oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            let end = async {
                // It ends, or its owner is gone.
                let _ = ended.await;
            };
            runtime
                .block_on(server.serve(listener, end))
                .expect("it serves");
        });
        Self {
            address,
            log,
            end: Some(end),
            thread: Some(thread),
        }
    }

    /// Ends the server, and tells what it left, to open it again.
    pub(crate) fn close(mut self) -> Closed {
        let (address, log) = (self.address, Arc::clone(&self.log));
        self.end();
        Closed { address, log }
    }

    fn end(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server has ended well");
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.end();
        }
    }
}

/// A server that has ended: where it was, and what it had stored.
pub(crate) struct Closed {
    address: SocketAddr,
    log: Arc<dyn MatchLog>,
}

impl Closed {
    pub(crate) fn reopen(self) -> House {
        House::open_at(self.address, self.log)
    }
}
