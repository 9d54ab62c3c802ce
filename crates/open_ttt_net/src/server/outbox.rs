use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use axum::extract::ws::Utf8Bytes;
use bytes::{BufMut, Bytes};
use serde::Serialize;

use super::direct_writer::{DirectWriter, WriteOutcome};
use super::limits::{Quota, QuotaPermit};
use crate::json::to_json;
use crate::lock::lock;
use crate::protocol::ErrorReport;

/// Sends messages over one connection, in order. Messages are written directly
/// while the send buffer has room. Otherwise they are queued for the
/// connection's task, and a client whose queue is full is disconnected. It
/// loses nothing: after reconnecting it receives what it missed.
#[derive(Debug)]
pub(super) struct Outbox {
    /// `None` if the connection is not one of
    /// [`Server::serve`](super::Server::serve).
    writer: Option<Arc<DirectWriter>>,
    queue: Arc<Mutex<Queue>>,
    capacity: usize,
    /// Bytes that clients have not read yet.
    unread: Arc<Quota>,
    address: IpAddr,
}

/// The queue of an [`Outbox`], for the connection's task.
#[derive(Debug)]
pub(super) struct OutgoingQueue(Arc<Mutex<Queue>>);

/// What both sides share. A channel would have room for dozens of messages, and most
/// connections never queue one.
#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<OutgoingMessage>,
    /// Number of messages queued or taken that the task has not written yet.
    unsent: usize,
    /// Whether one of the sides is gone.
    is_closed: bool,
    /// The task, if it waits for a message.
    waiting: Option<Waker>,
}

/// A queued message. Large variants are boxed: each connection has a queue with room
/// for dozens of messages.
#[derive(Debug)]
pub(super) enum OutgoingMessage {
    Text(Box<QueuedFrame>),
    /// Only flush the rest of a partial write.
    Flush,
    /// Close the connection for this reason.
    Close(Box<ErrorReport>),
}

/// A message that counts as unread while it is queued.
#[derive(Debug)]
pub(super) struct QueuedFrame {
    frame: Frame,
    unread: QuotaPermit,
}

impl QueuedFrame {
    /// The payload, which counts as unread until the permit is dropped.
    pub(super) fn into_parts(self) -> (Utf8Bytes, QuotaPermit) {
        (self.frame.into_text(), self.unread)
    }
}

/// A message as a WebSocket frame, shared by all its receivers: final, text,
/// not masked (RFC 6455, section 5.2).
#[derive(Clone, Debug)]
pub(super) struct Frame {
    bytes: Bytes,
    header_length: usize,
}

/// The connection has ended, or its client does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Disconnected;

impl Outbox {
    /// An outbox to this address that queues at most `capacity` messages, and no more
    /// bytes than its address may leave unread.
    pub(super) fn new(
        writer: Option<Arc<DirectWriter>>,
        capacity: usize,
        unread: Arc<Quota>,
        address: IpAddr,
    ) -> (Self, OutgoingQueue) {
        let queue = Arc::<Mutex<Queue>>::default();
        let outbox = Self {
            writer,
            queue: Arc::clone(&queue),
            capacity: capacity.max(1),
            unread,
            address,
        };
        (outbox, OutgoingQueue(queue))
    }

    pub(super) fn send(&self, frame: Frame) -> Result<(), Disconnected> {
        let queue = lock(&self.queue);
        // The task is closing the connection: nothing may follow its error.
        if queue.is_closed {
            return Err(Disconnected);
        }
        let is_empty = queue.unsent == 0;
        // Only this side adds messages, so it stays empty.
        drop(queue);
        if let Some(writer) = &self.writer
            && is_empty
        {
            let count = |length| self.unread.acquire(self.address, length);
            match writer.try_write(&frame.bytes, count) {
                WriteOutcome::Complete => return Ok(()),
                WriteOutcome::Partial => return self.enqueue(OutgoingMessage::Flush),
                WriteOutcome::Broken => return Err(Disconnected),
                WriteOutcome::Blocked => {}
            }
        }
        let unread = self.unread.acquire(self.address, frame.bytes.len());
        let unread = unread.ok_or(Disconnected)?;
        self.enqueue(OutgoingMessage::Text(Box::new(QueuedFrame {
            frame,
            unread,
        })))
    }

    /// Closes the connection after the queued messages.
    pub(super) fn close(&self, report: ErrorReport) -> Result<(), Disconnected> {
        self.enqueue(OutgoingMessage::Close(Box::new(report)))
    }

    fn enqueue(&self, message: OutgoingMessage) -> Result<(), Disconnected> {
        let mut queue = lock(&self.queue);
        if queue.is_closed || queue.messages.len() >= self.capacity {
            return Err(Disconnected);
        }
        queue.messages.push_back(message);
        queue.unsent += 1;
        queue.wake();
        Ok(())
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        let mut queue = lock(&self.queue);
        queue.is_closed = true;
        queue.wake();
    }
}

impl OutgoingQueue {
    /// The next message; `None` once the outbox is dropped.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<OutgoingMessage>> {
        let mut queue = lock(&self.0);
        if let Some(message) = queue.messages.pop_front() {
            return Poll::Ready(Some(message));
        }
        if queue.is_closed {
            return Poll::Ready(None);
        }
        queue.wake_later(context);
        Poll::Pending
    }

    /// A message, if one is queued.
    pub(super) fn try_next(&mut self) -> Option<OutgoingMessage> {
        lock(&self.0).messages.pop_front()
    }

    /// Marks messages as written.
    pub(super) fn mark_sent(&self, count: usize) {
        let mut queue = lock(&self.0);
        queue.unsent -= count;
        if queue.messages.is_empty() {
            // Its room is seldom needed again.
            queue.messages = VecDeque::new();
        }
    }
}

impl Drop for OutgoingQueue {
    fn drop(&mut self) {
        let mut queue = lock(&self.0);
        queue.is_closed = true;
        // They count as unread while they are queued.
        queue.messages.clear();
    }
}

impl Queue {
    fn wake_later(&mut self, context: &Context<'_>) {
        let waker = context.waker();
        // The task is most often the same.
        if !self.waiting.as_ref().is_some_and(|it| it.will_wake(waker)) {
            self.waiting = Some(waker.clone());
        }
    }

    fn wake(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            waiting.wake();
        }
    }
}

impl Frame {
    /// A message as JSON.
    pub(super) fn json(message: &impl Serialize) -> Self {
        Self::concat(&[&to_json(message)])
    }

    /// A message of several parts, which together are text.
    pub(super) fn concat(parts: &[&[u8]]) -> Self {
        let length = parts.iter().map(|part| part.len()).sum();
        let header_length = match length {
            0..126 => 2,
            126..0x1_0000 => 4,
            _ => 10,
        };
        // Exactly, so that it is shared as it is.
        let mut bytes = Vec::with_capacity(header_length + length);
        bytes.put_u8(0x81);
        match header_length {
            2 => bytes.put_u8(length as u8),
            4 => {
                bytes.put_u8(126);
                bytes.put_u16(length as u16);
            }
            _ => {
                bytes.put_u8(127);
                bytes.put_u64(length as u64);
            }
        }
        for part in parts {
            bytes.put_slice(part);
        }
        Self {
            bytes: bytes.into(),
            header_length,
        }
    }

    /// The payload.
    pub(super) fn into_text(self) -> Utf8Bytes {
        // The payload is text, so this cannot fail.
        Utf8Bytes::try_from(self.bytes.slice(self.header_length..)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;
    use crate::server::direct_writer::ConnectionStream;
    use crate::server::direct_writer::tests::{LARGE, connect};

    #[test]
    fn frames_follow_the_standard() {
        // RFC 6455, section 5.7, and the length limits of section 5.2.
        let hello = [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f];
        assert_eq!(text_frame("Hello").bytes, hello[..]);
        let check = |length: usize, header: &[u8]| {
            let text = "a".repeat(length);
            let frame = text_frame(&text);
            assert_eq!(frame.bytes[..header.len()], *header, "{length}");
            assert_eq!(frame.bytes.len(), header.len() + length);
            assert_eq!(frame.into_text().as_str(), text);
        };
        check(0, &[0x81, 0]);
        check(125, &[0x81, 125]);
        check(126, &[0x81, 126, 0, 126]);
        check(256, &[0x81, 126, 1, 0]);
        check(0xffff, &[0x81, 126, 0xff, 0xff]);
        check(0x1_0000, &[0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
    }

    fn text_frame(text: &str) -> Frame {
        Frame::concat(&[text.as_bytes()])
    }

    const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn outbox(stream: &ConnectionStream, capacity: usize) -> (Outbox, OutgoingQueue) {
        let writer = Some(Arc::clone(stream.writer()));
        let unread = Quota::new(usize::MAX, usize::MAX);
        Outbox::new(writer, capacity, unread, ADDRESS)
    }

    async fn receives(client: &mut TcpStream, expected: &Frame) {
        let mut bytes = vec![0; expected.bytes.len()];
        client.read_exact(&mut bytes).await.expect("a frame");
        assert!(bytes == expected.bytes, "another or an incomplete frame");
    }

    #[tokio::test]
    async fn messages_are_written_directly_while_there_is_room() {
        let (stream, mut client) = connect().await;
        let (outbox, mut queue) = outbox(&stream, 1);
        let frames = ["one", "two", "three"].map(text_frame);
        for frame in &frames {
            assert_eq!(outbox.send(frame.clone()), Ok(()));
        }
        assert!(queue.try_next().is_none());
        for frame in &frames {
            receives(&mut client, frame).await;
        }
    }

    #[tokio::test]
    async fn queued_messages_are_not_overtaken() {
        let (mut stream, mut client) = connect().await;
        let (outbox, mut queue) = outbox(&stream, 9);
        let large = text_frame(&"a".repeat(LARGE));
        let [two, three, four] = ["two", "three", "four"].map(text_frame);
        assert_eq!(outbox.send(large.clone()), Ok(()));
        assert_eq!(outbox.send(two.clone()), Ok(()));
        assert!(matches!(queue.try_next(), Some(OutgoingMessage::Flush)));
        let flushed = async { stream.flush().await.expect("flushed") };
        tokio::join!(flushed, receives(&mut client, &large));
        // The send buffer has room, but `two` is still queued.
        assert_eq!(outbox.send(three.clone()), Ok(()));
        for frame in [two, three] {
            let Some(OutgoingMessage::Text(next)) = queue.try_next() else {
                panic!("not queued");
            };
            stream.write_all(&next.frame.bytes).await.expect("written");
            receives(&mut client, &frame).await;
        }
        queue.mark_sent(3);
        // With an empty queue, messages are written directly again.
        assert_eq!(outbox.send(four.clone()), Ok(()));
        assert!(queue.try_next().is_none());
        receives(&mut client, &four).await;
    }

    #[tokio::test]
    async fn nothing_is_sent_after_the_task_has_ended() {
        let (stream, mut client) = connect().await;
        let (outbox, queue) = outbox(&stream, 1);
        assert_eq!(outbox.send(text_frame("before")), Ok(()));
        drop(queue);
        assert_eq!(outbox.send(text_frame("after")), Err(Disconnected));
        drop((outbox, stream));
        receives(&mut client, &text_frame("before")).await;
        assert_eq!(client.read(&mut [0]).await.expect("the end"), 0);
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_disconnected() {
        let (stream, _client) = connect().await;
        let (outbox, mut queue) = outbox(&stream, 3);
        let frame = text_frame(&"a".repeat(1000));
        let mut sent = 0_u32;
        while outbox.send(frame.clone()).is_ok() {
            sent += 1;
        }
        assert!(sent > 3, "{sent}");
        let mut queued = 0;
        while queue.try_next().is_some() {
            queued += 1;
        }
        assert_eq!(queued, 3);
    }

    #[tokio::test]
    async fn an_address_queues_only_so_many_bytes() {
        let unread = Quota::new(1_000, 100);
        let outbox = || Outbox::new(None, 9, Arc::clone(&unread), ADDRESS);
        let ((one, mut of_one), (other, _of_other)) = (outbox(), outbox());
        let frame = text_frame(&"a".repeat(38));
        assert_eq!(one.send(frame.clone()), Ok(()));
        assert_eq!(other.send(frame.clone()), Ok(()));
        assert_eq!(one.send(frame.clone()), Err(Disconnected));
        assert_eq!(unread.total(), 80);
        let Some(OutgoingMessage::Text(taken)) = of_one.try_next() else {
            panic!("not queued");
        };
        // It counts until it is written.
        let (text, permit) = taken.into_parts();
        drop(text);
        assert_eq!(other.send(frame.clone()), Err(Disconnected));
        drop(permit);
        assert_eq!(other.send(frame), Ok(()));
        drop((one, of_one));
        assert_eq!(unread.total(), 80);
    }

    #[tokio::test]
    async fn what_was_written_in_part_counts_until_it_is_whole() {
        let (mut stream, mut client) = connect().await;
        let large = text_frame(&"a".repeat(LARGE));
        let length = large.bytes.len();
        let unread = Quota::new(usize::MAX, length);
        let outbox = |stream: &ConnectionStream| {
            let writer = Some(Arc::clone(stream.writer()));
            Outbox::new(writer, 9, Arc::clone(&unread), ADDRESS)
        };
        let (first, _queue) = outbox(&stream);
        assert_eq!(first.send(large.clone()), Ok(()));
        assert_eq!(unread.total(), length);
        // Another connection of the address may not leave anything unread meanwhile.
        let (mut other_stream, _client) = connect().await;
        let (other, _queue) = outbox(&other_stream);
        assert_eq!(other.send(large.clone()), Err(Disconnected));
        other_stream.flush().await.expect_err("given up");
        let flushed = async { stream.flush().await.expect("flushed") };
        tokio::join!(flushed, receives(&mut client, &large));
        assert_eq!(unread.total(), 0);
    }
}
