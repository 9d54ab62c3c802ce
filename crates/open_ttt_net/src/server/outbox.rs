use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::protocol::ErrorCode;

/// What waits to be sent over one connection: a few messages, and who lets
/// more pile up is cut off. Nothing is lost by that, for whoever comes back is
/// told what they missed.
#[derive(Clone, Debug)]
pub(super) struct Outbox(Sender<Parcel>);

/// Something to be sent.
#[derive(Debug)]
pub(super) enum Parcel {
    /// A message.
    Text(Utf8Bytes),
    /// The end of the connection, and why.
    End(ErrorCode, String),
}

/// Its connection has ended, or does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CutOff;

impl Outbox {
    pub(super) fn new(size: usize) -> (Self, Receiver<Parcel>) {
        let (sender, receiver) = channel(size.max(1));
        (Self(sender), receiver)
    }

    pub(super) fn send(&self, text: Utf8Bytes) -> Result<(), CutOff> {
        self.0.try_send(Parcel::Text(text)).map_err(|_| CutOff)
    }

    pub(super) fn end(&self, code: ErrorCode, text: &str) -> Result<(), CutOff> {
        let end = Parcel::End(code, text.to_owned());
        self.0.try_send(end).map_err(|_| CutOff)
    }
}

/// A message as it is sent.
pub(super) fn text(message: &impl Serialize) -> Utf8Bytes {
    // Messages always have a JSON.
    serde_json::to_string(message).unwrap_or_default().into()
}
