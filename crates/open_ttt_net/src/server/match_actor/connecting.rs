//! Clients that connect.

use std::net::IpAddr;

use super::MatchActor;
use crate::matches::{SavedMatch, Seat};
use crate::protocol::{
    ErrorCode, ErrorReport, KnownState, MatchView, ServerMessage, UpdateShape, VERSION, Welcome,
    WelcomeState,
};
use crate::replication::CatchUp;
use crate::server::commands::Connect;
use crate::server::connections::Connection;
use crate::server::limits::QuotaPermit;
use crate::server::moderation::banned_report;
use crate::server::secrets::Credentials;
use crate::server::stored_match::KEPT_ENTRIES;

/// Maximum number of connections of one seat. The oldest is closed for a further one.
const MAX_CONNECTIONS_PER_SEAT: usize = 8;

impl MatchActor {
    pub(super) async fn connect(&mut self, connect: Connect) {
        let Connect {
            hello,
            address,
            outbox,
            reply,
        } = connect;
        // The operator may have decided since the connection began. A later decision
        // reaches the connections that this match has then.
        let moderation = &self.shared.moderation;
        let refused = if moderation.bans_address(address) {
            Some(banned_report())
        } else {
            moderation.check_open(&self.id).err()
        };
        if let Some(report) = refused {
            let _ = reply.send(Err(report));
            return;
        }
        let credentials = Credentials::of(hello.token.as_ref(), hello.key.as_ref());
        let place = match self.find_seat(&credentials).await {
            Ok(None) if hello.token.is_some() => {
                let text = "This link doesn't belong to a player of this game.";
                Err(ErrorReport::new(ErrorCode::BadToken, text))
            }
            Ok(seat) => self.find_place(seat, address).map(|place| (seat, place)),
            Err(error) => Err(error.into_report()),
        };
        let (seat, watching) = match place {
            Ok(place) => place,
            Err(report) => {
                let _ = reply.send(Err(report));
                return;
            }
        };
        let known = hello.have.map(|known| known.sequence);
        // Another server may have stored changes that this one lacks.
        if known > Some(self.sequence()) && self.catch_up().await && known > Some(self.sequence()) {
            self.report_client_ahead();
        }
        let id = self.connections.add(Connection {
            client: hello.client,
            address,
            seat,
            _watching: watching,
            shape: hello.shape,
            outbox,
        });
        let welcome = self.welcome(seat, hello.shape, hello.have);
        self.connections.send(id, &welcome);
        if reply.send(Ok(id)).is_err() {
            self.connections.remove(id);
        }
        self.react().await;
    }

    /// A place for a connection, which a player always has. A spectator's counts until
    /// it is dropped.
    fn find_place(
        &mut self,
        seat: Option<Seat>,
        address: IpAddr,
    ) -> Result<Option<QuotaPermit>, ErrorReport> {
        let Some(seat) = seat else {
            let too_many = |text| ErrorReport::new(ErrorCode::TooMany, text);
            if self.connections.watchers() >= self.shared.config.max_watchers_per_match {
                return Err(too_many("Too many people are watching this game."));
            }
            let place = self.shared.watchers.acquire(address, 1);
            let text = "Too many people are watching games on this server.";
            return place.map(Some).ok_or_else(|| too_many(text));
        };
        let of_seat = self.connections.of_seat(seat);
        let oldest = of_seat.map(|(id, _)| id).collect::<Vec<_>>();
        if oldest.len() >= MAX_CONNECTIONS_PER_SEAT {
            let text = "You have opened this game in too many places.";
            let report = ErrorReport::new(ErrorCode::TooMany, text);
            self.connections.close(oldest[0], report);
        }
        Ok(None)
    }

    fn welcome(
        &self,
        seat: Option<Seat>,
        shape: UpdateShape,
        known: Option<KnownState>,
    ) -> ServerMessage {
        let sequencer = self.stored.sequencer();
        let (sequence, digest) = (sequencer.sequence(), sequencer.digest());
        let state = match shape {
            UpdateShape::Views => WelcomeState::View(Box::new(MatchView::of(self.state()))),
            UpdateShape::Transitions => {
                let known = known.map(|known| (known.sequence, known.digest));
                if known.is_some_and(|known| known.0 == sequence && known.1 != digest) {
                    self.shared.metrics.diverged.inc();
                    tracing::warn!(id = %self.id, "a client's copy has diverged");
                }
                match sequencer.catch_up(known, KEPT_ENTRIES) {
                    CatchUp::Entries(entries) => WelcomeState::Entries(entries.to_vec()),
                    CatchUp::Snapshot(state) => {
                        WelcomeState::Snapshot(Box::new(SavedMatch::of(state)))
                    }
                }
            }
        };
        ServerMessage::Welcome(Welcome {
            protocol: VERSION,
            id: self.id.clone(),
            seat,
            now: self.time.now(),
            sequence,
            digest,
            state,
            presence: self.connections.presence(self.state()),
        })
    }

    /// Reports that a client has seen more changes than the log has: the log has
    /// lost entries, unless the client lies.
    fn report_client_ahead(&mut self) {
        self.shared.metrics.clients_ahead.inc();
        if !self.client_was_ahead {
            self.client_was_ahead = true;
            let sequence = self.sequence();
            tracing::error!(id = %self.id, %sequence, "a client has seen later changes than the log has");
        }
    }
}
