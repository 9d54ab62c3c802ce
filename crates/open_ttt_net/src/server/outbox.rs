use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// What waits to be sent over one connection: a few messages, and who lets
/// more pile up is cut off. Nothing is lost by that, for whoever comes back is
/// told what they missed.
#[derive(Clone, Debug)]
pub(super) struct Outbox(Sender<Utf8Bytes>);

/// Its connection has ended, or does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CutOff;

impl Outbox {
    pub(super) fn new(size: usize) -> (Self, Receiver<Utf8Bytes>) {
        let (sender, receiver) = channel(size.max(1));
        (Self(sender), receiver)
    }

    pub(super) fn send(&self, text: Utf8Bytes) -> Result<(), CutOff> {
        self.0.try_send(text).map_err(|_| CutOff)
    }
}

/// A message as it is sent.
pub(super) fn text(message: &impl Serialize) -> Utf8Bytes {
    // Messages always have a JSON.
    serde_json::to_string(message).unwrap_or_default().into()
}
