use bytes::Bytes;

use super::outbox::Frame;
use crate::json::to_json;
use crate::protocol::MatchView;
use crate::replication::{Digest, Sequence};

/// A change that is stored, for the connections.
#[derive(Debug)]
pub(super) struct StoredChange {
    pub(super) sequence: Sequence,
    /// When it happened, in milliseconds since 1970.
    pub(super) at: u64,
    /// Of the state after it.
    pub(super) digest: Digest,
    /// The fields of its entry that anybody may see, as JSON: written once, for the log
    /// and for all connections.
    pub(super) entry: Bytes,
}

/// The JSON of a [`Change`](crate::protocol::Change), which is written once for all
/// messages that contain it.
pub(super) struct ChangeJson(Vec<u8>);

impl ChangeJson {
    /// That of a change, with a view of the state after it.
    pub(super) fn of(change: &StoredChange, view: Option<&MatchView>) -> Self {
        let sequence = change.sequence.to_string();
        let digest = change.digest.0.hex();
        let view = view.map(to_json);
        let (before, view) = match &view {
            Some(view) => (&br#","view":"#[..], &view[..]),
            None => Default::default(),
        };
        let parts = [
            br#""sequence":"#,
            sequence.as_bytes(),
            br#","digest":""#,
            digest.as_bytes(),
            br#"","#,
            &change.entry,
            before,
            view,
            b"}",
        ];
        Self(parts.concat())
    }

    /// As [`ServerMessage::Change`](crate::protocol::ServerMessage::Change).
    pub(super) fn change(&self) -> Frame {
        Frame::concat(&[br#"{"type":"change","#, &self.0])
    }

    /// As [`ServerMessage::Accepted`](crate::protocol::ServerMessage::Accepted), to the
    /// author of the proposal with this number.
    pub(super) fn accepted(&self, number: u64) -> Frame {
        let number = number.to_string();
        Frame::concat(&[
            br#"{"type":"accepted","number":"#,
            number.as_bytes(),
            br#","change":{"#,
            &self.0,
            b"}",
        ])
    }
}

#[cfg(test)]
mod tests {
    use open_ttt_catalog::Catalog;

    use super::*;
    use crate::json;
    use crate::matches::{Act, Actor, DynMatch, Seat, Settings, Transition};
    use crate::protocol::{Change, ServerMessage};
    use crate::replication::LogEntry;

    #[test]
    fn changes_are_written_as_server_messages() {
        let find = |name: &str| Catalog::bundled().game(name);
        let state = DynMatch::new(Settings::of_game("ttt"), find).expect("a game");
        let mut change = Change {
            sequence: Sequence::new(7),
            digest: Digest::of(&state),
            entry: LogEntry {
                client: "ann".parse().expect("an identifier"),
                number: 3,
                transition: Transition {
                    at: 1,
                    by: Actor::Seat(Seat::A),
                    act: Act::play("\"\u{1f3b2}\n"),
                },
            },
            view: None,
        };
        let entry = to_json(&change.entry);
        let stored = StoredChange {
            sequence: change.sequence,
            at: 1,
            digest: change.digest,
            entry: Bytes::copy_from_slice(json::fields(&entry)),
        };
        for view in [None, Some(Box::new(MatchView::of(&state)))] {
            change.view = view;
            let json = ChangeJson::of(&stored, change.view.as_deref());
            let message = ServerMessage::Change(change.clone());
            assert_eq!(json.change().into_text(), Frame::json(&message).into_text());
            let message = ServerMessage::Accepted {
                number: 3,
                change: change.clone(),
            };
            assert_eq!(
                json.accepted(3).into_text(),
                Frame::json(&message).into_text()
            );
        }
    }
}
