use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tower::ServiceExt;

use super::commands::MatchCommand;
use super::direct_writer::{ConnectionStream, DirectWriter};
use super::limits::QuotaPermit;
use super::moderation::Moderation;
use super::socket::shutdown_report;
use super::{Server, app, broadcasts, outages, private_app, retention};
use crate::json::to_json;
use crate::protocol::{ErrorBody, ErrorCode, ErrorReport};

/// Size of a socket's send buffer, in bytes. By default the system buffers
/// megabytes for each client that does not read.
const SEND_BUFFER: usize = 128 * 1024;

/// Time for connections to end after a shutdown began.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Time for the last note of the service to be stored.
const NOTE_TIMEOUT: Duration = Duration::from_secs(1);

impl Server {
    /// Serves connections until `shutdown` completes, then ends gracefully
    /// within seconds: requests in flight are answered, and everything
    /// acknowledged is stored.
    ///
    /// # Errors
    ///
    /// If the listener fails for good. A connection that cannot be accepted is
    /// logged, not an error.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let router = app(&self);
        if let Err(cause) = shared.moderation.catch_up(&shared).await {
            tracing::warn!(%cause, "failed to read the bans");
        }
        tokio::spawn(Moderation::follow(Arc::clone(&shared)));
        if let Some(broadcast) = &shared.broadcast {
            let receiving = broadcasts::receive(Arc::clone(&shared), Arc::clone(broadcast));
            tokio::spawn(receiving);
        }
        shared.outages.send_replace(None);
        tokio::spawn(outages::run(Arc::clone(&shared)));
        tokio::spawn(retention::run(Arc::clone(&shared)));
        let mut connections = JoinSet::new();
        tokio::pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, address)) => {
                        connections.spawn(serve_one(self.clone(), router.clone(), stream, address));
                    }
                    // Too many open files, or the client has disconnected.
                    Err(error) => {
                        tracing::warn!(%error, "failed to accept a connection");
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                },
                Some(_) = connections.join_next() => {}
            }
        }
        drop(listener);
        // Players can't move from now on, so the outage begins here, not when the last
        // connection has ended. A store that doesn't reply must not delay that.
        let _ = tokio::time::timeout(NOTE_TIMEOUT, outages::note(&shared)).await;
        shared.shutdown.send_replace(true);
        let close = || MatchCommand::Close(Box::new(shutdown_report()));
        shared.matches.send_all(close);
        let connections_ended = async { while connections.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, connections_ended).await;
        // WebSockets outlive the connection tasks that they were upgraded from.
        let sockets_ended = async {
            while shared.connections.total() > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, sockets_ended).await;
        shared.log.close().await;
        Ok(())
    }
}

/// A counted connection, for the `WebSocket` that it may become.
#[derive(Clone, Debug)]
pub(super) struct ConnectionHandle {
    pub(super) writer: Arc<DirectWriter>,
    pub(super) permit: Arc<QuotaPermit>,
}

impl Server {
    /// Serves the [private side](private_app) until the server shuts down.
    ///
    /// # Errors
    ///
    /// If the listener fails for good.
    pub async fn serve_private(self, listener: TcpListener) -> io::Result<()> {
        let shutdown = self.shared.shutdown();
        axum::serve(listener, private_app(&self))
            .with_graceful_shutdown(shutdown)
            .await
    }
}

async fn serve_one(server: Server, router: Router, stream: TcpStream, address: SocketAddr) {
    let config = &server.shared.config;
    let connections = &server.shared.connections;
    let permit = if config.is_proxy(address.ip().to_canonical()) {
        // Its requests count by the addresses that they come from.
        connections.acquire_shared(1)
    } else {
        connections.acquire(address.ip(), 1)
    };
    let Some(permit) = permit else {
        reject(&stream);
        return;
    };
    // Moves are small and urgent.
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER);
    let stream = ConnectionStream::new(stream, config.client_timeout);
    let handle = ConnectionHandle {
        writer: Arc::clone(stream.writer()),
        permit: Arc::new(permit),
    };
    let service = router.map_request(move |mut request: hyper::Request<Incoming>| {
        let extensions = request.extensions_mut();
        extensions.insert(ConnectInfo(address));
        // A WebSocket keeps it beyond the request.
        extensions.insert(handle.clone());
        request
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(config.client_timeout)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
        .with_upgrades();
    tokio::pin!(connection);
    let shutdown = server.shared.shutdown();
    tokio::select! {
        _ = connection.as_mut() => {}
        () = shutdown => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, connection).await;
        }
    }
}

/// Refuses a connection without reading a request.
fn reject(stream: &TcpStream) {
    let text = "Too many connections to this server. Try again in a moment.";
    let error = ErrorReport::new(ErrorCode::TooMany, text);
    let body = to_json(&ErrorBody { error });
    let length = body.len();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    // The buffer of a new socket has room for it.
    let _ = stream.try_write(&[head.as_bytes(), &body].concat());
}
