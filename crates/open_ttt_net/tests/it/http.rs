//! A minimal HTTP/1.1 client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// The response to a request.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(&found.1)
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("the body is text")
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }
}

/// Sends a request over a connection of its own.
#[track_caller]
pub(crate) fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Response {
    let stream = TcpStream::connect(address).expect("the server listens");
    request_over(stream, address, method, path, headers, body)
}

/// Sends a request over this connection, the only one.
#[track_caller]
pub(crate) fn request_over(
    mut stream: TcpStream,
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Response {
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        for part in [name, ": ", value, "\r\n"] {
            head += part;
        }
    }
    write!(stream, "{head}\r\n{body}").expect("the request is sent");
    read_response(BufReader::new(stream))
}

#[track_caller]
fn read_response(mut stream: impl BufRead) -> Response {
    let mut line = String::new();
    let mut next = || {
        line.clear();
        stream.read_line(&mut line).expect("the head is read");
        line.trim_end().to_owned()
    };
    let status = next()
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let mut headers = Vec::new();
    loop {
        let line = next();
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut response = Response {
        status: status.expect("the response has a status"),
        headers,
        body: Vec::new(),
    };
    let length = response
        .header("content-length")
        .and_then(|length| length.parse().ok());
    stream
        .take(length.unwrap_or(u64::MAX))
        .read_to_end(&mut response.body)
        .expect("the body is read");
    response
}

#[track_caller]
pub(crate) fn get(address: SocketAddr, path: &str) -> Response {
    request(address, "GET", path, &[], "")
}
