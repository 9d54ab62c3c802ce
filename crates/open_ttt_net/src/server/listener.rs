use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tower::ServiceExt;

use super::direct_writer::ConnectionStream;
use super::{Server, app, presence};

/// How much the system holds of what is on its way to a client, in bytes.
const SEND_BUFFER: usize = 128 * 1024;

/// How long connections have to end when the server does.
const FAREWELL: Duration = Duration::from_secs(5);

impl Server {
    /// Serves until `end` is ready, and then says goodbye to everybody: no
    /// answer that is under way is cut off, and all that was acknowledged is
    /// stored. It takes some seconds at most.
    ///
    /// # Errors
    ///
    /// If the listener fails for good. A connection that cannot be accepted,
    /// because there are too many, is none.
    pub async fn serve(
        self,
        listener: TcpListener,
        end: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let router = app(&self);
        if let Some(gossip) = &shared.gossip {
            tokio::spawn(presence::listen(Arc::clone(&shared), Arc::clone(gossip)));
        }
        let mut connections = JoinSet::new();
        tokio::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, address)) => {
                        connections.spawn(serve_one(self.clone(), router.clone(), stream, address));
                    }
                    // So many files are open, or the client has gone again.
                    Err(error) => {
                        tracing::warn!(%error, "a connection was not accepted");
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                },
                Some(_) = connections.join_next() => {}
            }
        }
        drop(listener);
        shared.end();
        let farewell = async { while connections.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(FAREWELL, farewell).await;
        // Sockets outlive the connections they were upgraded from.
        let gone = async {
            while shared.connections.count() > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let _ = tokio::time::timeout(FAREWELL, gone).await;
        shared.log.close().await;
        Ok(())
    }
}

async fn serve_one(server: Server, router: Router, stream: TcpStream, address: SocketAddr) {
    let config = &server.shared.config;
    // Behind a proxy all come from one address.
    let per_address = if config.behind_proxy {
        usize::MAX
    } else {
        config.max_connections_per_address
    };
    let connections = &server.shared.connections;
    let Some(admission) = connections.admit(address.ip(), config.max_connections, per_address)
    else {
        turn_away(&stream);
        return;
    };
    // Moves are small and wanted at once.
    let _ = stream.set_nodelay(true);
    // Or the system would hold megabytes for each who does not read.
    let _ = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER);
    let admission = Arc::new(admission);
    let stream = ConnectionStream::new(stream);
    let line = Arc::clone(stream.line());
    let service = router.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(address));
        // Kept by whoever takes the connection over.
        request.extensions_mut().insert(Arc::clone(&admission));
        request.extensions_mut().insert(Arc::clone(&line));
        request
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(config.client_timeout)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
        .with_upgrades();
    tokio::pin!(connection);
    let mut ending = server.shared.ending();
    tokio::select! {
        _ = connection.as_mut() => {}
        () = ending.wait() => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(FAREWELL, connection).await;
        }
    }
}

/// Refuses a connection without reading from it.
fn turn_away(stream: &TcpStream) {
    let body = r#"{"error":{"code":"too_many","text":"there are too many connections now"}}"#;
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    // A socket that was just opened has room for this.
    let _ = stream.try_write(answer.as_bytes());
}
