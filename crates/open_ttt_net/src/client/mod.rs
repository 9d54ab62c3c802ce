//! A client for programs that play or watch a match on a server.
//!
//! [`Session`] implements the protocol without sockets or clocks: messages and
//! times go in, events and messages come out. [`Client`] runs a session over a
//! WebSocket, and reconnects and resumes as often as needed. [`Lobby`] creates and
//! joins matches. [`Pairing`] finds an opponent, and a [`KeyStore`] keeps the player's
//! keys.
//!
//! ```no_run
//! use open_ttt_catalog::Catalog;
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
//!         key: None,
//!     })
//!     .await?;
//! let mut client = Client::new(Catalog::bundled(), link.with_token(seated.token))?;
//! loop {
//!     match client.next().await? {
//!         ClientEvent::Disconnected { cause, retry_in } => println!("{cause}; retrying in {retry_in:?}"),
//!         ClientEvent::Connected | ClientEvent::Match(_) => {}
//!     }
//!     let Some(state) = client.session().optimistic() else { continue };
//!     if state.to_move() == client.session().seat() {
//!         client.propose(Act::play("b2"))?;
//!     }
//! }
//! # }
//! ```

mod admin;
mod backoff;
mod connection;
mod error;
mod http;
mod key_store;
mod link;
mod lobby;
mod pairing;
mod path_text;
mod player_link;
mod private_files;
mod session;
mod transport;

pub use admin::Admin;
pub use connection::{Client, ClientEvent, Socket, open_socket};
pub use error::ClientError;
pub use key_store::{KeyStore, KeyStoreError};
pub use link::{Link, ParseLinkError, ServerAddress};
pub use lobby::Lobby;
pub use pairing::Pairing;
pub use path_text::path_text;
pub use player_link::PlayerLink;
pub use private_files::{private_file, private_folder};
pub use session::{MatchEvent, ProposeError, Session, SessionError};
pub use transport::Stream;
