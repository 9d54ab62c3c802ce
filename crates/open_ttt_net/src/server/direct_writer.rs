use std::io;
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// The writing side of a connection, for two: the task that serves it, which waits
/// where the system takes no more, and a host, which does not wait, and so need not
/// wake that task for each message.
///
/// What is handed in at once is written in one piece, whoever comes between.
#[derive(Debug)]
pub(super) struct DirectWriter {
    stream: OwnedWriteHalf,
    /// What is left of a piece of which the system took only the beginning.
    rest: Mutex<Bytes>,
}

/// A connection as the task has it that serves it.
#[derive(Debug)]
pub(super) struct ConnectionStream {
    stream: OwnedReadHalf,
    line: Arc<DirectWriter>,
}

/// What has become of a piece that was to be written at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteOutcome {
    /// The system has all of it.
    All,
    /// The task that serves the line has to [flush](AsyncWrite::poll_flush) it.
    Begun,
    /// The system takes no more for now, or there is something before it.
    Nothing,
}

impl DirectWriter {
    /// Writes a piece without waiting. Errors are left to the task that serves
    /// the line, which meets them too.
    pub(super) fn send(&self, piece: &Bytes) -> WriteOutcome {
        let mut rest = self.rest();
        if !rest.is_empty() {
            return WriteOutcome::Nothing;
        }
        match self.stream.try_write(piece) {
            Ok(length) if length == piece.len() => WriteOutcome::All,
            Ok(length) if length > 0 => {
                *rest = piece.slice(length..);
                WriteOutcome::Begun
            }
            Ok(_) | Err(_) => WriteOutcome::Nothing,
        }
    }

    fn rest(&self) -> MutexGuard<'_, Bytes> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is left of the piece before.
    fn poll_rest(&self, context: &mut Context<'_>, rest: &mut Bytes) -> Poll<io::Result<()>> {
        while !rest.is_empty() {
            let length = ready!(self.poll_write(context, rest))?;
            rest.advance(length);
        }
        Poll::Ready(Ok(()))
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
    pub(super) fn new(stream: TcpStream) -> Self {
        let (read, write) = stream.into_split();
        let line = DirectWriter {
            stream: write,
            rest: Mutex::default(),
        };
        Self {
            stream: read,
            line: Arc::new(line),
        }
    }

    pub(super) const fn line(&self) -> &Arc<DirectWriter> {
        &self.line
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
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut rest = self.line.rest();
        ready!(self.line.poll_rest(context, &mut rest))?;
        if bytes.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let length = ready!(self.line.poll_write(context, bytes))?;
        *rest = Bytes::copy_from_slice(&bytes[length..]);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.line.poll_rest(context, &mut self.line.rest())
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(context))?;
        let stream = SockRef::from(self.line.stream.as_ref());
        Poll::Ready(match stream.shutdown(Shutdown::Write) {
            // Then the client was faster.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            result => result,
        })
    }
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]
pub(super) mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::task::yield_now;

    use super::*;

    /// More bytes than the system holds for a connection.
    pub(crate) const LARGE: usize = 16 << 20;

    /// A line and who reads at its other end.
    pub(crate) async fn connect() -> (ConnectionStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let reader = TcpStream::connect(listener.local_addr().unwrap());
        let (accepted, reader) = tokio::join!(listener.accept(), reader);
        (ConnectionStream::new(accepted.unwrap().0), reader.unwrap())
    }

    /// With a piece of which the system has a part: nothing comes between.
    async fn check_begun(mut end: ConnectionStream, mut reader: TcpStream, piece: Vec<u8>) {
        let line = Arc::clone(end.line());
        let small = Bytes::from_static(b"small");
        let mut read = Vec::new();
        // What the system has is read, so there is room again, and still:
        for _ in 0..1_000 {
            // There may be nothing at the moment.
            let _ = reader.try_read_buf(&mut read);
            yield_now().await;
            assert_eq!(line.send(&small), WriteOutcome::Nothing);
        }
        let begun = read.len();
        assert!(begun > 0, "nothing was sent");
        read.resize(piece.len(), 0);
        let rest = reader.read_exact(&mut read[begun..]);
        let (flushed, rest) = tokio::join!(end.flush(), rest);
        flushed.unwrap();
        rest.unwrap();
        assert!(read == piece, "something has come between");
        assert_eq!(line.send(&small), WriteOutcome::All);
        end.write_all(b", too").await.unwrap();
        read.truncate(10);
        reader.read_exact(&mut read).await.unwrap();
        assert_eq!(read, b"small, too");
        end.shutdown().await.unwrap();
        assert_eq!(reader.read(&mut read).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn a_piece_of_the_host_stays_whole() {
        let (end, reader) = connect().await;
        let piece = vec![1; LARGE];
        assert_eq!(end.line().send(&piece.clone().into()), WriteOutcome::Begun);
        check_begun(end, reader, piece).await;
    }

    #[tokio::test]
    async fn a_piece_of_the_task_stays_whole() {
        let (mut end, reader) = connect().await;
        let piece = vec![1; LARGE];
        assert_eq!(end.write(&piece).await.unwrap(), LARGE);
        check_begun(end, reader, piece).await;
    }
}
