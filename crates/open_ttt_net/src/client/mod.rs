//! The other end, for programs: a match on a server, played or watched from
//! afar.
//!
//! [`Session`] is the protocol without a socket and without a clock: messages
//! and times go in, news and messages come out. [`Client`] puts it on a
//! WebSocket, connects anew for as long as it takes, and goes on from where it
//! was. [`Lobby`] makes and joins matches.
//!
//! ```no_run
//! use open_ttt_net::client::{Client, ClientEvent, Link, Lobby};
//! use open_ttt_net::matches::Act;
//! use open_ttt_net::protocol::{JoinMatch, SeatRequest};
//!
//! # async fn play() -> Result<(), Box<dyn std::error::Error>> {
//! let link: Link = "http://localhost:8080/m/k3h9zq4m2x7d".parse()?;
//! let seated = Lobby::new(link.server().clone())
//!     .join(link.id(), &JoinMatch {
//!         player: SeatRequest::Person("Ann".into()),
//!         seat: None,
//!         token: None,
//!     })
//!     .await?;
//! let mut client = Client::new(link.with_token(seated.token))?;
//! loop {
//!     match client.next().await? {
//!         ClientEvent::Disconnected { cause, retry_in } => println!("{cause}; again in {retry_in:?}"),
//!         ClientEvent::Connected | ClientEvent::Match(_) => {}
//!     }
//!     let Some(table) = client.session().optimistic() else { continue };
//!     if table.to_move() == client.session().seat() {
//!         client.propose(Act::play("b2"))?;
//!     }
//! }
//! # }
//! ```

mod backoff;
mod connection;
mod error;
mod link;
mod lobby;
mod session;
mod transport;

pub use backoff::Backoff;
pub use connection::{Client, ClientEvent};
pub use error::ClientError;
pub use link::{Link, ParseLinkError, ServerAddress};
pub use lobby::Lobby;
pub use session::{
    MatchEvent, PING_EVERY, ProposeError, RESEND_AFTER, SILENCE, Session, SessionError,
};
