use std::io;
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{Sleep, sleep};

use super::limits::QuotaPermit;
use crate::lock::lock;

/// The writing half of a connection, shared by the task that serves the
/// connection and a match actor. The actor writes without waiting, so it need
/// not wake the task for each message.
///
/// The bytes of one write are never interleaved with those of another.
#[derive(Debug)]
pub(super) struct DirectWriter {
    stream: OwnedWriteHalf,
    unwritten: Mutex<Unwritten>,
}

/// The rest of a write that the system has accepted only in part.
#[derive(Debug, Default)]
struct Unwritten {
    bytes: Bytes,
    /// The rest counts as unread. `None` if the task counts what it writes.
    permit: Option<QuotaPermit>,
    /// Whether a rest was given up. Nothing may follow it.
    is_broken: bool,
}

/// The stream of the task that serves a connection.
#[derive(Debug)]
pub(super) struct ConnectionStream {
    stream: OwnedReadHalf,
    writer: Arc<DirectWriter>,
    /// The time in which the client has to accept what is written at once.
    write_timeout: Duration,
    /// Runs while a write waits for the client.
    stalled: Option<Pin<Box<Sleep>>>,
}

/// The result of [`DirectWriter::try_write`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteOutcome {
    /// The system has accepted all bytes.
    Complete,
    /// The task that serves the connection has to
    /// [flush](AsyncWrite::poll_flush) the rest.
    Partial,
    /// Nothing was written: the send buffer is full, or an earlier write is not
    /// complete.
    Blocked,
    /// The rest was given up, because the client may not leave more unread. The connection
    /// can't go on.
    Broken,
}

impl DirectWriter {
    /// Writes without waiting. Errors count as [`WriteOutcome::Blocked`]; the
    /// task that serves the connection gets them too. `count` lets so many bytes be
    /// unread.
    pub(super) fn try_write(
        &self,
        bytes: &Bytes,
        count: impl FnOnce(usize) -> Option<QuotaPermit>,
    ) -> WriteOutcome {
        let mut unwritten = lock(&self.unwritten);
        if unwritten.is_broken || !unwritten.bytes.is_empty() {
            return WriteOutcome::Blocked;
        }
        match self.stream.try_write(bytes) {
            Ok(length) if length == bytes.len() => WriteOutcome::Complete,
            Ok(length) if length > 0 => {
                // The whole message stays in memory.
                let Some(permit) = count(bytes.len()) else {
                    unwritten.is_broken = true;
                    return WriteOutcome::Broken;
                };
                unwritten.bytes = bytes.slice(length..);
                unwritten.permit = Some(permit);
                WriteOutcome::Partial
            }
            Ok(_) | Err(_) => WriteOutcome::Blocked,
        }
    }

    /// Completes an earlier partial write.
    fn poll_unwritten(
        &self,
        context: &mut Context<'_>,
        unwritten: &mut Unwritten,
    ) -> Poll<io::Result<()>> {
        if unwritten.is_broken {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        while !unwritten.bytes.is_empty() {
            let length = ready!(self.poll_write(context, &unwritten.bytes))?;
            unwritten.bytes.advance(length);
        }
        // An empty rest would still hold the whole message.
        *unwritten = Unwritten::default();
        Poll::Ready(Ok(()))
    }

    /// Accepts all bytes at once: the system gets a part, and the rest becomes
    /// `unwritten`, so no other write can come between.
    fn poll_write_all(&self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut unwritten = lock(&self.unwritten);
        ready!(self.poll_unwritten(context, &mut unwritten))?;
        if bytes.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let length = ready!(self.poll_write(context, bytes))?;
        unwritten.bytes = Bytes::copy_from_slice(&bytes[length..]);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_write(&self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            match self.stream.try_write(bytes) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(self.stream.as_ref().poll_write_ready(context))?;
                }
                written => return Poll::Ready(written),
            }
        }
    }
}

impl ConnectionStream {
    pub(super) fn new(stream: TcpStream, write_timeout: Duration) -> Self {
        let (read, write) = stream.into_split();
        let writer = DirectWriter {
            stream: write,
            unwritten: Mutex::default(),
        };
        Self {
            stream: read,
            writer: Arc::new(writer),
            write_timeout,
            stalled: None,
        }
    }

    /// The result of a write, which fails if the client has not read for too long.
    fn in_time<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let timeout = self.write_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(timeout)));
        ready!(stalled.as_mut().poll(context));
        self.stalled = None;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    pub(super) const fn writer(&self) -> &Arc<DirectWriter> {
        &self.writer
    }
}

impl AsyncRead for ConnectionStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for ConnectionStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = self.writer.poll_write_all(context, bytes);
        self.in_time(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = self
            .writer
            .poll_unwritten(context, &mut lock(&self.writer.unwritten));
        self.in_time(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(context))?;
        let stream = SockRef::from(self.writer.stream.as_ref());
        Poll::Ready(match stream.shutdown(Shutdown::Write) {
            // The client has disconnected first.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            result => result,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::task::yield_now;

    use super::*;
    use crate::server::limits::Quota;

    /// More bytes than the system buffers for a connection.
    pub(crate) const LARGE: usize = 16 << 20;

    /// A connection and the client's end of it.
    pub(crate) async fn connect() -> (ConnectionStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("an address"));
        let (accepted, client) = tokio::join!(listener.accept(), client);
        let (stream, _) = accepted.expect("a connection");
        // Until the runtime has seen the new socket's event, writes would block.
        stream.writable().await.expect("writable");
        let stream = ConnectionStream::new(stream, Duration::from_hours(1));
        (stream, client.expect("a connection"))
    }

    /// Without limits.
    fn counted(length: usize) -> Option<QuotaPermit> {
        Quota::new(usize::MAX, usize::MAX).acquire_shared(length)
    }

    /// After a partial write of `bytes`: no other write comes between.
    async fn check_partial(mut stream: ConnectionStream, mut client: TcpStream, bytes: Vec<u8>) {
        let writer = Arc::clone(stream.writer());
        let small = Bytes::from_static(b"small");
        let mut read = Vec::new();
        // The client reads, so the send buffer has room again, but no other
        // write may use it.
        client.readable().await.expect("readable");
        for _ in 0..1_000 {
            // An error says that there is nothing to read now.
            let _ = client.try_read_buf(&mut read);
            yield_now().await;
            assert_eq!(writer.try_write(&small, counted), WriteOutcome::Blocked);
        }
        let received = read.len();
        assert!(received > 0, "nothing was sent");
        read.resize(bytes.len(), 0);
        let rest = client.read_exact(&mut read[received..]);
        let (flushed, rest) = tokio::join!(stream.flush(), rest);
        flushed.expect("flushed");
        rest.expect("the rest");
        assert!(read == bytes, "interleaved with another write");
        assert_eq!(writer.try_write(&small, counted), WriteOutcome::Complete);
        stream.write_all(b", too").await.expect("written");
        read.truncate(10);
        client.read_exact(&mut read).await.expect("both writes");
        assert_eq!(read, b"small, too");
        stream.shutdown().await.expect("shut down");
        assert_eq!(client.read(&mut read).await.expect("the end"), 0);
    }

    #[tokio::test]
    async fn a_partial_write_of_the_actor_is_not_interleaved() {
        let (stream, client) = connect().await;
        let bytes = vec![1; LARGE];
        let outcome = stream.writer().try_write(&bytes.clone().into(), counted);
        assert_eq!(outcome, WriteOutcome::Partial);
        check_partial(stream, client, bytes).await;
    }

    #[tokio::test]
    async fn a_partial_write_of_the_task_is_not_interleaved() {
        let (mut stream, client) = connect().await;
        let bytes = vec![1; LARGE];
        assert_eq!(stream.write(&bytes).await.expect("written"), LARGE);
        check_partial(stream, client, bytes).await;
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_times_out() {
        let (mut stream, _client) = connect().await;
        stream.write_timeout = Duration::from_millis(1);
        assert_eq!(
            stream.write(&vec![1; LARGE]).await.expect("accepted"),
            LARGE
        );
        let flushed = stream.flush().await.expect_err("the client does not read");
        assert_eq!(flushed.kind(), io::ErrorKind::TimedOut);
        let written = stream.write(b"more").await.expect_err("still not");
        assert_eq!(written.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn after_a_rest_that_was_given_up_nothing_is_written() {
        let (mut stream, mut client) = connect().await;
        let bytes = Bytes::from(vec![1; LARGE]);
        let outcome = stream.writer().try_write(&bytes, |_| None);
        assert_eq!(outcome, WriteOutcome::Broken);
        let small = Bytes::from_static(b"small");
        let outcome = stream.writer().try_write(&small, counted);
        assert_eq!(outcome, WriteOutcome::Blocked);
        for written in [stream.write(b"more").await.map(drop), stream.flush().await] {
            let error = written.expect_err("broken");
            assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        }
        drop(stream);
        let mut read = Vec::new();
        // The end may be an error.
        let _ = client.read_to_end(&mut read).await;
        assert!(read.len() < LARGE && read.iter().all(|&byte| byte == 1));
    }
}
