use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::ws::Utf8Bytes;
use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::direct_writer::{DirectWriter, WriteOutcome};
use crate::protocol::ErrorCode;

/// What is sent over one connection: at once, as long as the system takes it. Of
/// what it does not take a few messages wait for the connection's task, and who
/// lets more pile up is cut off. Nothing is lost by that, for whoever comes back is
/// told what they missed.
///
/// There is one outbox for each connection, and it has no clones, so what is sent
/// arrives in order.
#[derive(Debug)]
pub(super) struct Outbox {
    /// None where somebody else than [`Server::serve`](super::Server::serve) has the
    /// connection.
    line: Option<Arc<DirectWriter>>,
    parcels: Sender<OutgoingMessage>,
    /// How many parcels have been handed to the task and are not sent yet.
    unsent: Arc<AtomicUsize>,
}

/// The side of the connection's task.
#[derive(Debug)]
pub(super) struct OutgoingQueue {
    parcels: Receiver<OutgoingMessage>,
    unsent: Arc<AtomicUsize>,
}

/// Something to be sent.
#[derive(Debug)]
pub(super) enum OutgoingMessage {
    /// A message.
    Text(Frame),
    /// What is left of a message that was begun.
    Rest,
    /// The end of the connection, and why.
    End(ErrorCode, String),
}

/// A message as it stands on the wire, the same for all who get it: a final frame
/// of text without a mask (RFC 6455, section 5.2).
#[derive(Clone, Debug)]
pub(super) struct Frame {
    bytes: Bytes,
    header: usize,
}

/// Its connection has ended, or does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Disconnected;

impl Outbox {
    /// An outbox in which at most `size` messages wait.
    pub(super) fn new(line: Option<Arc<DirectWriter>>, size: usize) -> (Self, OutgoingQueue) {
        let (sender, receiver) = channel(size.max(1));
        let unsent = Arc::new(AtomicUsize::new(0));
        let outbox = Self {
            line,
            parcels: sender,
            unsent: Arc::clone(&unsent),
        };
        let parcels = OutgoingQueue {
            parcels: receiver,
            unsent,
        };
        (outbox, parcels)
    }

    pub(super) fn send(&self, frame: Frame) -> Result<(), Disconnected> {
        // Its task is saying goodbye, and nothing may come behind that.
        if self.parcels.is_closed() {
            return Err(Disconnected);
        }
        let Some(line) = &self.line else {
            return self.hand_over(OutgoingMessage::Text(frame));
        };
        if self.unsent.load(Ordering::Acquire) > 0 {
            return self.hand_over(OutgoingMessage::Text(frame));
        }
        match line.send(&frame.bytes) {
            WriteOutcome::All => Ok(()),
            WriteOutcome::Begun => self.hand_over(OutgoingMessage::Rest),
            WriteOutcome::Nothing => self.hand_over(OutgoingMessage::Text(frame)),
        }
    }

    pub(super) fn end(&self, code: ErrorCode, text: &str) -> Result<(), Disconnected> {
        self.hand_over(OutgoingMessage::End(code, text.to_owned()))
    }

    fn hand_over(&self, parcel: OutgoingMessage) -> Result<(), Disconnected> {
        self.unsent.fetch_add(1, Ordering::Relaxed);
        self.parcels.try_send(parcel).map_err(|_| Disconnected)
    }
}

impl OutgoingQueue {
    /// The next one; none once the outbox is gone.
    pub(super) async fn next(&mut self) -> Option<OutgoingMessage> {
        self.parcels.recv().await
    }

    /// The next one, if it is there.
    pub(super) fn at_once(&mut self) -> Option<OutgoingMessage> {
        self.parcels.try_recv().ok()
    }

    /// So many of them are with the system now.
    pub(super) fn are_sent(&self, count: usize) {
        self.unsent.fetch_sub(count, Ordering::Release);
    }
}

impl Frame {
    /// A message as it is sent.
    pub(super) fn of(message: &impl Serialize) -> Self {
        Self::text(&text(message))
    }

    pub(super) fn text(text: &str) -> Self {
        let mut bytes = BytesMut::with_capacity(10 + text.len());
        bytes.put_u8(0x81);
        match text.len() {
            length @ ..126 => bytes.put_u8(length as u8),
            length @ ..0x1_0000 => {
                bytes.put_u8(126);
                bytes.put_u16(length as u16);
            }
            length => {
                bytes.put_u8(127);
                bytes.put_u64(length as u64);
            }
        }
        let header = bytes.len();
        bytes.put_slice(text.as_bytes());
        Self {
            bytes: bytes.freeze(),
            header,
        }
    }

    /// What it says.
    pub(super) fn into_text(self) -> Utf8Bytes {
        // It was made of text.
        Utf8Bytes::try_from(self.bytes.slice(self.header..)).unwrap_or_default()
    }
}

/// A message as text.
pub(super) fn text(message: &impl Serialize) -> String {
    // Messages always have a JSON.
    serde_json::to_string(message).unwrap_or_default()
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;
    use crate::server::direct_writer::tests::{LARGE, connect};

    #[test]
    fn frames_are_those_of_the_standard() {
        // RFC 6455, section 5.7, and the bounds of section 5.2.
        let hello = [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f];
        assert_eq!(Frame::text("Hello").bytes, hello[..]);
        let begins = |length: usize, header: &[u8]| {
            let text = "a".repeat(length);
            let frame = Frame::text(&text);
            assert_eq!(frame.bytes[..header.len()], *header, "{length}");
            assert_eq!(frame.bytes.len(), header.len() + length);
            assert_eq!(frame.into_text().as_str(), text);
        };
        begins(0, &[0x81, 0]);
        begins(125, &[0x81, 125]);
        begins(126, &[0x81, 126, 0, 126]);
        begins(256, &[0x81, 126, 1, 0]);
        begins(0xffff, &[0x81, 126, 0xff, 0xff]);
        begins(0x1_0000, &[0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
    }

    async fn check_next(reader: &mut TcpStream, expected: &Frame) {
        let mut bytes = vec![0; expected.bytes.len()];
        reader.read_exact(&mut bytes).await.unwrap();
        assert!(bytes == expected.bytes, "another frame, or not all of it");
    }

    #[tokio::test]
    async fn what_the_system_takes_waits_for_nobody() {
        let (end, mut reader) = connect().await;
        let (outbox, mut parcels) = Outbox::new(Some(Arc::clone(end.line())), 1);
        let frames = ["one", "two", "three"].map(Frame::text);
        for frame in &frames {
            outbox.send(frame.clone()).unwrap();
        }
        assert!(parcels.at_once().is_none());
        for frame in &frames {
            check_next(&mut reader, frame).await;
        }
    }

    #[tokio::test]
    async fn what_waits_is_not_overtaken() {
        let (mut end, mut reader) = connect().await;
        let (outbox, mut parcels) = Outbox::new(Some(Arc::clone(end.line())), 9);
        let large = Frame::text(&"a".repeat(LARGE));
        let [two, three, four] = ["two", "three", "four"].map(Frame::text);
        outbox.send(large.clone()).unwrap();
        outbox.send(two.clone()).unwrap();
        assert!(matches!(parcels.at_once(), Some(OutgoingMessage::Rest)));
        let flushed = async { end.flush().await.unwrap() };
        tokio::join!(flushed, check_next(&mut reader, &large));
        // There is room now, but the second has not gone yet.
        outbox.send(three.clone()).unwrap();
        for frame in [two, three] {
            let Some(OutgoingMessage::Text(next)) = parcels.at_once() else {
                panic!("it waits");
            };
            end.write_all(&next.bytes).await.unwrap();
            check_next(&mut reader, &frame).await;
        }
        parcels.are_sent(3);
        // All has gone: at once again.
        outbox.send(four.clone()).unwrap();
        assert!(parcels.at_once().is_none());
        check_next(&mut reader, &four).await;
    }

    #[tokio::test]
    async fn nothing_comes_behind_the_end() {
        let (end, mut reader) = connect().await;
        let (outbox, parcels) = Outbox::new(Some(Arc::clone(end.line())), 1);
        outbox.send(Frame::text("before")).unwrap();
        drop(parcels);
        assert_eq!(outbox.send(Frame::text("behind")), Err(Disconnected));
        drop((outbox, end));
        check_next(&mut reader, &Frame::text("before")).await;
        assert_eq!(reader.read(&mut [0]).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn who_does_not_read_is_cut_off() {
        let (end, _reader) = connect().await;
        let (outbox, mut parcels) = Outbox::new(Some(Arc::clone(end.line())), 3);
        let frame = Frame::text(&"a".repeat(1000));
        let mut taken = 0_u32;
        while outbox.send(frame.clone()).is_ok() {
            taken += 1;
        }
        assert!(taken > 3, "{taken}");
        let mut waiting = 0;
        while parcels.at_once().is_some() {
            waiting += 1;
        }
        assert_eq!(waiting, 3);
    }
}
