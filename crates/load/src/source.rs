use std::net::{IpAddr, SocketAddr};

use open_ttt_net::MatchId;
use open_ttt_net::client::{ClientError, Link, Lobby, ServerAddress, Socket, Stream, open_socket};
use open_ttt_net::protocol::{CreateMatch, JoinMatch, SUBPROTOCOL, SeatAssignment};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;

/// Where connections to a server come from.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    server: ServerAddress,
    /// The address to connect from; `None` leaves it to the system.
    local: Option<IpAddr>,
}

/// The response to a request.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Source {
    /// Connections from the address that the system chooses.
    pub(crate) const fn of_system(server: ServerAddress) -> Self {
        Self {
            server,
            local: None,
        }
    }

    /// Connections from one of this machine's addresses to a server on it.
    pub(crate) const fn of_address(server: ServerAddress, local: IpAddr) -> Self {
        Self {
            server,
            local: Some(local),
        }
    }

    pub(crate) const fn server(&self) -> &ServerAddress {
        &self.server
    }

    /// Host and port, for a request.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.server.host(), self.server.port())
    }

    pub(crate) async fn create(&self, wanted: &CreateMatch) -> Result<SeatAssignment, String> {
        if self.local.is_none() {
            let lobby = Lobby::new(self.server.clone());
            return lobby.create(wanted).await.map_err(text);
        }
        self.post("/api/v1/matches", wanted).await
    }

    pub(crate) async fn join(
        &self,
        id: &MatchId,
        wanted: &JoinMatch,
    ) -> Result<SeatAssignment, String> {
        if self.local.is_none() {
            let lobby = Lobby::new(self.server.clone());
            return lobby.join(id, wanted).await.map_err(text);
        }
        self.post(&format!("/api/v1/matches/{id}/join"), wanted)
            .await
    }

    async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, String> {
        let body = serde_json::to_string(body).map_err(text)?;
        let reply = self.request("POST", path, &body).await?;
        let parsed = serde_json::from_str(&reply.body);
        parsed.map_err(|_| format!("{path}: {} {}", reply.status, reply.body))
    }

    /// Sends a request over a connection of its own.
    pub(crate) async fn request(
        &self,
        method: &str,
        path: &str,
        body: &str,
    ) -> Result<Reply, String> {
        let mut stream = self.connect(None).await?;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.authority(),
            body.len()
        );
        stream.write_all(request.as_bytes()).await.map_err(text)?;
        let mut response = String::new();
        stream.read_to_string(&mut response).await.map_err(text)?;
        let status = response.get(9..12).and_then(|digits| digits.parse().ok());
        let body = response.split_once("\r\n\r\n");
        let (status, (_, body)) = status.zip(body).ok_or("the response is incomplete")?;
        Ok(Reply {
            status,
            body: body.to_owned(),
        })
    }

    /// A plain connection, with a receive buffer of this size.
    pub(crate) async fn connect(&self, buffer: Option<u32>) -> Result<TcpStream, String> {
        let ip = self.server.host().parse().map_err(text)?;
        let to = SocketAddr::new(ip, self.server.port());
        let socket = if to.is_ipv4() {
            TcpSocket::new_v4()
        } else {
            TcpSocket::new_v6()
        };
        let socket = socket.map_err(text)?;
        if let Some(buffer) = buffer {
            socket.set_recv_buffer_size(buffer).map_err(text)?;
        }
        if let Some(local) = self.local {
            socket.bind(SocketAddr::new(local, 0)).map_err(text)?;
        }
        let stream = socket.connect(to).await.map_err(text)?;
        stream.set_nodelay(true).map_err(text)?;
        Ok(stream)
    }

    /// A WebSocket to a match.
    pub(crate) async fn socket(&self, link: Link) -> Result<Socket, String> {
        if self.local.is_none() {
            let opened = open_socket(link).await;
            return opened.map_err(|error: ClientError| format!("no connection: {error}"));
        }
        let authority = self.authority();
        let url = format!("ws://{authority}/api/v1/matches/{}/socket", link.id());
        let mut request = url.into_client_request().map_err(text)?;
        let protocol = HeaderValue::from_static(SUBPROTOCOL);
        let headers = request.headers_mut();
        headers.insert("sec-websocket-protocol", protocol);
        let stream: Box<dyn Stream> = Box::new(self.connect(None).await?);
        let (socket, _) = client_async(request, stream).await.map_err(text)?;
        Ok(socket)
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
