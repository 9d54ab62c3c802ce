use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use futures_util::StreamExt;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use open_ttt_catalog::Catalog;
use serde_json::Value;
use tokio::io::DuplexStream;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, spawn_blocking, yield_now};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};
use tower::ServiceExt;

use super::store::StoreLink;
use crate::MatchId;
use crate::protocol::SUBPROTOCOL;
use crate::server::{Config, Server, Shared, app};

/// A running server with all its parts, but the sockets: connections are pipes in
/// memory, so all that happens waits for nothing but the simulated time.
pub(super) struct Node {
    server: Server,
    router: Router,
    link: StoreLink,
    shutdown: oneshot::Sender<()>,
    task: JoinHandle<std::io::Result<()>>,
    /// Whether its connections are broken.
    is_down: watch::Sender<bool>,
}

/// A WebSocket to a node.
pub(super) struct Socket {
    pub(super) stream: WebSocketStream<DuplexStream>,
    pub(super) is_down: watch::Receiver<bool>,
}

/// How many polls of the runtime a message needs at most on its way to a work pool.
const POLLS: usize = 64;

impl Node {
    /// A server at this time, in milliseconds since 1970.
    pub(super) async fn start(
        catalog: &Catalog,
        link: StoreLink,
        now: u64,
        archive: Option<PathBuf>,
    ) -> Self {
        let config = Config {
            keep_matches: archive.is_some().then_some(super::KEEP),
            archive,
            service_interval: super::SERVICE_INTERVAL,
            computer_threads: std::num::NonZero::<usize>::MIN,
            ..Config::default()
        };
        let log = Arc::new(link.clone());
        let server = Server::new(catalog.clone(), config, log).expect("a server");
        server.shared.clock.set(now);
        link.set_server(&server.shared);
        // Until it knows the time.
        server.shared.outages.send_replace(None);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (shutdown, on_shutdown) = oneshot::channel();
        let serving = server.clone().serve(listener, async {
            let _ = on_shutdown.await;
        });
        Self {
            router: app(&server),
            task: tokio::spawn(serving),
            server,
            link,
            shutdown,
            is_down: watch::Sender::new(false),
        }
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.server.shared
    }

    /// Stops as by Ctrl-C. Returns what has to be gone soon.
    pub(super) async fn stop(self) -> Weak<Shared> {
        let _ = self.shutdown.send(());
        self.task.await.expect("no panic").expect("served");
        self.is_down.send_replace(true);
        end(&self.server)
    }

    /// All connections break, and what the server does from now on changes nothing.
    pub(super) fn kill(self) -> Weak<Shared> {
        self.link.cut();
        self.is_down.send_replace(true);
        self.task.abort();
        self.server.shared.shutdown.send_replace(true);
        end(&self.server)
    }

    /// A request; `None` if the server is killed meanwhile.
    pub(super) fn request(
        &self,
        mut request: Request<Body>,
        address: IpAddr,
    ) -> impl Future<Output = Option<(StatusCode, Value)>> + use<> {
        let peer = ConnectInfo(SocketAddr::new(address, 1));
        request.extensions_mut().insert(peer);
        let responding = self.router.clone().oneshot(request);
        let mut is_down = self.is_down.subscribe();
        let shared = Arc::clone(self.shared());
        async move {
            let response = async {
                let response = responding.await.expect("a response");
                let status = response.status();
                let body = to_bytes(response.into_body(), usize::MAX).await;
                let body = serde_json::from_slice(&body.expect("a body"));
                (status, body.unwrap_or_default())
            };
            tokio::select! {
                biased;
                _ = is_down.wait_for(|is_down| *is_down) => None,
                response = in_no_time(&shared, response) => Some(response),
            }
        }
    }

    /// A socket to a match; `None` if the server takes no more.
    pub(super) fn connect(
        &self,
        id: &MatchId,
        address: IpAddr,
    ) -> impl Future<Output = Option<Socket>> + use<> {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let permit = self.shared().connections.acquire(address, 1);
        let permit = Arc::new(permit.expect("few connections"));
        let service = self
            .router
            .clone()
            .map_request(move |mut request: hyper::Request<_>| {
                let peer = ConnectInfo(SocketAddr::new(address, 1));
                request.extensions_mut().insert(peer);
                // A WebSocket keeps it beyond the request.
                request.extensions_mut().insert(Arc::clone(&permit));
                request
            });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(theirs), TowerToHyperService::new(service))
            .with_upgrades();
        tokio::spawn(connection);
        let is_down = self.is_down.subscribe();
        let url = format!("ws://localhost/api/v1/matches/{id}/socket");
        async move {
            let mut request = url.into_client_request().expect("a request");
            let subprotocol = SUBPROTOCOL.parse().expect("a header");
            let headers = request.headers_mut();
            headers.insert("sec-websocket-protocol", subprotocol);
            let (stream, _) = client_async(request, ours).await.ok()?;
            Some(Socket { stream, is_down })
        }
    }
}

/// Drops what only a process's end would end.
fn end(server: &Server) -> Weak<Shared> {
    let shared = &server.shared;
    for id in shared.matches.ids(None, usize::MAX) {
        shared.matches.forget(&id);
    }
    Arc::downgrade(shared)
}

/// Lets no time pass while the threads of a server work on what it was asked for.
pub(super) async fn in_no_time<T>(shared: &Arc<Shared>, result: impl Future<Output = T>) -> T {
    let mut result = std::pin::pin!(result);
    loop {
        for _ in 0..POLLS {
            if let Some(result) = futures_util::FutureExt::now_or_never(result.as_mut()) {
                return result;
            }
            yield_now().await;
        }
        let is_idle = |shared: &Shared| {
            let pools = [&shared.requests, &shared.replays, &shared.moves];
            pools.iter().all(|pool| pool.unfinished() == 0)
        };
        if is_idle(shared) {
            return result.await;
        }
        let shared = Arc::clone(shared);
        // Simulated time stands still while such a thread works.
        let waiting = spawn_blocking(move || {
            while !is_idle(&shared) {
                std::thread::sleep(Duration::from_micros(50));
            }
        });
        waiting.await.expect("no panic");
    }
}

/// Lets no time pass until the threads of a server have finished what they are given
/// in this moment.
pub(super) async fn work_in_no_time(shared: &Arc<Shared>) {
    in_no_time(shared, async {
        // Until work is on its way to a thread, and its result on the way back.
        for _ in 0..4 * POLLS {
            yield_now().await;
        }
    })
    .await;
}

impl Socket {
    /// The next text; `None` once the connection has ended.
    pub(super) async fn receive(&mut self) -> Option<String> {
        use tokio_tungstenite::tungstenite::Message;
        loop {
            let message = tokio::select! {
                biased;
                _ = self.is_down.wait_for(|is_down| *is_down) => return None,
                message = self.stream.next() => message,
            };
            match message? {
                Ok(Message::Text(text)) => return Some(text.as_str().to_owned()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }
}
