//! The client over sockets, against the minimal server.

use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use open_ttt_catalog::Catalog;
use open_ttt_net::client::{Client, ClientError, ClientEvent, Link, MatchEvent};
use open_ttt_net::matches::{Act, Seat};
use open_ttt_net::protocol::{ClientMessage, ErrorCode, Hello, SUBPROTOCOL};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::{WebSocketStream, accept_async, accept_hdr_async};

use super::mini_server::MiniServer;

async fn listen() -> (TcpListener, Link) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let link = format!("http://{address}/m/table1").parse().unwrap();
    (listener, link)
}

/// When the server drops a connection.
#[derive(Clone, Copy)]
enum DropAt {
    BeforeTheHandshake,
    /// After this many sent responses; the next message is processed, but its
    /// response is not sent.
    After(usize),
    Never,
}

#[expect(
    clippy::result_large_err,
    reason = "the callback's error type is given"
)]
async fn accept(stream: TcpStream) -> WebSocketStream<TcpStream> {
    let check = |request: &Request, mut response: Response| {
        assert_eq!(request.uri().path(), "/api/v1/matches/table1/socket");
        let protocol = &request.headers()["sec-websocket-protocol"];
        assert_eq!(protocol, SUBPROTOCOL);
        response
            .headers_mut()
            .insert("sec-websocket-protocol", protocol.clone());
        Ok(response)
    };
    accept_hdr_async(stream, check).await.unwrap()
}

async fn serve(stream: TcpStream, server: Arc<Mutex<MiniServer>>, drop_at: DropAt) {
    let last = match drop_at {
        DropAt::BeforeTheHandshake => return,
        DropAt::After(count) => count,
        DropAt::Never => usize::MAX,
    };
    let mut socket = accept(stream).await;
    let mut client = None;
    let mut responses = 0;
    while let Some(Ok(Message::Text(text))) = socket.next().await {
        let message: ClientMessage = serde_json::from_str(&text).unwrap();
        if let ClientMessage::Hello(Hello { client: id, .. }) = &message {
            client = Some(id.clone());
        }
        let mut server = server.lock().await;
        let response = server.respond(client.as_ref().unwrap(), Some(Seat::A), message);
        if responses == last {
            return;
        }
        responses += 1;
        let text = serde_json::to_string(&response).unwrap();
        socket.send(Message::text(text)).await.unwrap();
    }
}

#[tokio::test]
async fn client_reconnects_until_its_move_is_confirmed() {
    let (listener, link) = listen().await;
    let server = Arc::new(Mutex::new(MiniServer::new("ttt")));
    let served = Arc::clone(&server);
    tokio::spawn(async move {
        let drops = [
            DropAt::BeforeTheHandshake,
            // The hello is not answered.
            DropAt::After(0),
            // The move is stored, but the response is not sent.
            DropAt::After(1),
        ];
        let mut drops = drops.into_iter().chain(std::iter::repeat(DropAt::Never));
        while let Ok((stream, _)) = listener.accept().await {
            let drop_at = drops.next().unwrap();
            tokio::spawn(serve(stream, Arc::clone(&served), drop_at));
        }
    });

    let mut client = Client::new(Catalog::bundled(), link).unwrap();
    let (mut connected, mut disconnected) = (0, 0);
    loop {
        match client.next().await.unwrap() {
            ClientEvent::Connected => {
                connected += 1;
                if connected == 1 {
                    client.propose(Act::play("b2")).unwrap();
                } else {
                    break;
                }
            }
            ClientEvent::Disconnected { cause, .. } => {
                assert!(matches!(cause, ClientError::Unreachable { .. }), "{cause}");
                disconnected += 1;
            }
            ClientEvent::Match(event) => {
                assert!(!matches!(event, MatchEvent::RolledBack { .. }), "{event:?}");
            }
        }
    }
    assert_eq!((connected, disconnected), (2, 3));
    assert!(
        !client.session().has_pending(),
        "the move was among the missed entries"
    );
    let server = server.lock().await;
    assert_eq!(server.sequencer.state().game().moves().len(), 1);
    assert_eq!(client.session().confirmed(), Some(server.sequencer.state()));
}

/// The first event of a client whose handshake gets this response.
async fn handshake_with(response: &'static str) -> Result<ClientEvent, ClientError> {
    let (listener, link) = listen().await;
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            request.push(stream.read_u8().await.unwrap());
        }
        stream.write_all(response.as_bytes()).await.unwrap();
    });
    Client::new(Catalog::bundled(), link).unwrap().next().await
}

#[tokio::test]
async fn failed_handshakes_are_reported() {
    let body = r#"{"error":{"code":"no_such_match","text":"there is no match table1"}}"#;
    let response = format!(
        "HTTP/1.1 404 Not Found\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let error = handshake_with(response.leak()).await.unwrap_err();
    let ClientError::Refused(report) = &error else {
        panic!("{error:?}");
    };
    assert_eq!(report.code, ErrorCode::NoSuchMatch);
    assert_eq!(
        error.to_string(),
        "the server says: there is no match table1"
    );

    let gone = handshake_with("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n").await;
    assert!(
        matches!(gone, Ok(ClientEvent::Disconnected { .. })),
        "{gone:?}"
    );
    let other = handshake_with("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno").await;
    let other = other.unwrap_err();
    assert!(
        matches!(other, ClientError::UnexpectedResponse { .. }),
        "{other:?}"
    );
    let other = handshake_with("SSH-2.0-OpenSSH_9.2\r\n\r\n").await;
    let other = other.unwrap_err();
    assert!(
        matches!(other, ClientError::UnexpectedResponse { .. }),
        "{other:?}"
    );
}

#[tokio::test]
async fn oversized_message_ends_the_connection() {
    let (listener, link) = listen().await;
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = accept(stream).await;
        // The client disconnects before the whole message is sent.
        let _ = socket.send(Message::text(" ".repeat(2 << 20))).await;
        let _ = socket.next().await;
    });
    let event = Client::new(Catalog::bundled(), link)
        .unwrap()
        .next()
        .await
        .unwrap();
    let ClientEvent::Disconnected { cause, .. } = event else {
        panic!("{event:?}");
    };
    assert!(cause.to_string().contains("too long"), "{cause}");
}

#[tokio::test]
async fn connection_without_the_subprotocol_fails() {
    let (listener, link) = listen().await;
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        // The response does not name the subprotocol.
        accept_async(stream).await
    });
    let error = Client::new(Catalog::bundled(), link)
        .unwrap()
        .next()
        .await
        .unwrap_err();
    assert!(
        matches!(error, ClientError::UnexpectedResponse { .. }),
        "{error:?}"
    );
}
