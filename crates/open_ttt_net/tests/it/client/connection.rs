//! The client on real sockets, against the desk behind a listener.

use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use open_ttt_net::client::{Client, ClientError, ClientEvent, Link, MatchEvent};
use open_ttt_net::matches::{Act, Seat};
use open_ttt_net::protocol::{ClientMessage, ErrorCode, SUBPROTOCOL};
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

/// What a connection does that breaks.
#[derive(Clone, Copy)]
enum Breaks {
    BeforeTheHandshake,
    /// After so many answers, each of which was worked out and not all sent.
    After(usize),
    Never,
}

#[expect(
    clippy::result_large_err,
    reason = "the handshake wants to give an answer back"
)]
async fn accept(stream: TcpStream) -> WebSocketStream<TcpStream> {
    let check = |request: &Request, mut answer: Response| {
        assert_eq!(request.uri().path(), "/api/v1/matches/table1/socket");
        let protocol = &request.headers()["sec-websocket-protocol"];
        assert_eq!(protocol, SUBPROTOCOL);
        answer
            .headers_mut()
            .insert("sec-websocket-protocol", protocol.clone());
        Ok(answer)
    };
    accept_hdr_async(stream, check).await.unwrap()
}

async fn serve(stream: TcpStream, desk: Arc<Mutex<MiniServer>>, breaks: Breaks) {
    let breaks_after = match breaks {
        Breaks::BeforeTheHandshake => return,
        Breaks::After(count) => count,
        Breaks::Never => usize::MAX,
    };
    let mut socket = accept(stream).await;
    let mut client = None;
    let mut answers = 0;
    while let Some(Ok(Message::Text(text))) = socket.next().await {
        let message: ClientMessage = serde_json::from_str(&text).unwrap();
        if let ClientMessage::Hello { client: id, .. } = &message {
            client = Some(id.clone());
        }
        let mut desk = desk.lock().await;
        let answer = desk.answer(client.as_ref().unwrap(), Some(Seat::A), message);
        if answers == breaks_after {
            return;
        }
        answers += 1;
        let text = serde_json::to_string(&answer).unwrap();
        socket.send(Message::text(text)).await.unwrap();
    }
}

#[tokio::test]
async fn a_client_comes_back_until_its_move_stands() {
    let (listener, link) = listen().await;
    let desk = Arc::new(Mutex::new(MiniServer::new("ttt")));
    let served = Arc::clone(&desk);
    tokio::spawn(async move {
        let fates = [
            Breaks::BeforeTheHandshake,
            // The greeting is not answered, then the move is stored and its
            // answer is not sent.
            Breaks::After(0),
            Breaks::After(1),
        ];
        let mut fates = fates.into_iter().chain(std::iter::repeat(Breaks::Never));
        while let Ok((stream, _)) = listener.accept().await {
            let fate = fates.next().unwrap();
            tokio::spawn(serve(stream, Arc::clone(&served), fate));
        }
    });

    let mut client = Client::new(link).unwrap();
    let (mut connected, mut lost) = (0, 0);
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
                lost += 1;
            }
            ClientEvent::Match(news) => {
                assert!(!matches!(news, MatchEvent::RolledBack { .. }), "{news:?}");
            }
        }
    }
    assert_eq!((connected, lost), (2, 3));
    assert!(
        !client.session().has_pending(),
        "it was among what was missed"
    );
    let desk = desk.lock().await;
    assert_eq!(desk.sequencer.state().game().moves().len(), 1);
    assert_eq!(client.session().confirmed(), Some(desk.sequencer.state()));
}

/// A server that answers the handshake with this.
async fn refused(answer: &'static str) -> Result<ClientEvent, ClientError> {
    let (listener, link) = listen().await;
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            request.push(stream.read_u8().await.unwrap());
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
    });
    Client::new(link).unwrap().next().await
}

#[tokio::test]
async fn a_server_that_says_no_is_heard() {
    let body = r#"{"error":{"code":"no_such_match","text":"there is no match table1"}}"#;
    let answer = format!(
        "HTTP/1.1 404 Not Found\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let error = refused(answer.leak()).await.unwrap_err();
    let ClientError::Refused(report) = &error else {
        panic!("{error:?}");
    };
    assert_eq!(report.code, ErrorCode::NoSuchMatch);
    assert_eq!(
        error.to_string(),
        "the server says: there is no match table1"
    );

    let gone = refused("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n").await;
    assert!(
        matches!(gone, Ok(ClientEvent::Disconnected { .. })),
        "{gone:?}"
    );
    let other = refused("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno").await;
    let other = other.unwrap_err();
    assert!(
        matches!(other, ClientError::UnexpectedResponse { .. }),
        "{other:?}"
    );
    let other = refused("SSH-2.0-OpenSSH_9.2\r\n\r\n").await;
    let other = other.unwrap_err();
    assert!(
        matches!(other, ClientError::UnexpectedResponse { .. }),
        "{other:?}"
    );
}

#[tokio::test]
async fn a_message_without_end_is_not_kept() {
    let (listener, link) = listen().await;
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = accept(stream).await;
        // More than any match; the client has gone before it is all sent.
        let _ = socket.send(Message::text(" ".repeat(2 << 20))).await;
        let _ = socket.next().await;
    });
    let event = Client::new(link).unwrap().next().await.unwrap();
    let ClientEvent::Disconnected { cause, .. } = event else {
        panic!("{event:?}");
    };
    assert!(cause.to_string().contains("too long"), "{cause}");
}

#[tokio::test]
async fn a_socket_of_another_kind_is_left() {
    let (listener, link) = listen().await;
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        // It does not know the subprotocol.
        accept_async(stream).await
    });
    let error = Client::new(link).unwrap().next().await.unwrap_err();
    assert!(
        matches!(error, ClientError::UnexpectedResponse { .. }),
        "{error:?}"
    );
}
