use core::fmt;
use core::mem;
use core::pin::Pin;
use core::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::{ClientError, Link, Lobby, ServerAddress};
use crate::protocol::{CancelPairing, PairPlayer, PlayerId, SeatAssignment};

/// The interval at which the server is asked again.
const INTERVAL: Duration = Duration::from_secs(5);

/// A player's search for an opponent: quick pairing.
///
/// From the start the player has a seat in a match, alone or with an opponent, and has to
/// stay connected to it with a [`Client`](super::Client). While nobody has come,
/// [`ask_again`](Self::ask_again) may move the player to another match: two may have begun
/// to wait at once.
///
/// ```no_run
/// use open_ttt_catalog::Catalog;
/// use open_ttt_net::client::{Client, Pairing, ServerAddress};
/// use open_ttt_net::protocol::{PairPlayer, PlayerKey};
///
/// # async fn find() -> Result<Client, Box<dyn std::error::Error>> {
/// let server: ServerAddress = "http://localhost:7878".parse()?;
/// let mut pairing = Pairing::start(server, PairPlayer {
///     game: "ttt".to_owned(),
///     clock: None,
///     rated: true,
///     name: "Ann".to_owned(),
///     key: PlayerKey::random()?,
///     waiting: None,
/// })
/// .await?;
/// let mut client = Client::new(Catalog::bundled(), pairing.link().clone())?;
/// loop {
///     tokio::select! {
///         event = client.next() => drop(event?),
///         moved = pairing.ask_again() => if moved? {
///             client = Client::new(Catalog::bundled(), pairing.link().clone())?;
///         }
///     }
///     let state = client.session().confirmed();
///     if !pairing.is_asking() && state.is_some_and(|state| state.has_started()) {
///         return Ok(client);
///     }
/// }
/// # }
/// ```
pub struct Pairing {
    lobby: Lobby,
    wanted: PairPlayer,
    link: Link,
    request: Request,
    /// Whether the answer to the last request did not arrive.
    is_in_doubt: bool,
}

/// The next or the current request.
enum Request {
    At(Instant),
    Running(Pin<Box<dyn Future<Output = Result<SeatAssignment, ClientError>> + Send>>),
}

impl Pairing {
    /// Asks for an opponent for the first time.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached, refuses the request, or sends an unexpected
    /// response.
    pub async fn start(server: ServerAddress, wanted: PairPlayer) -> Result<Self, ClientError> {
        let lobby = Lobby::new(server.clone());
        let assigned = lobby.pair(&wanted).await?;
        let mut pairing = Self {
            link: server.link(assigned.id.clone()),
            lobby,
            wanted,
            request: next_request(),
            is_in_doubt: false,
        };
        pairing.follow(assigned);
        Ok(pairing)
    }

    /// The private link to the match in which the player waits or plays.
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// Whether a request is unanswered. Until it is answered, it is open whether the
    /// current match is the one to play: a player who is moved takes both seats of the
    /// match left behind.
    pub const fn is_asking(&self) -> bool {
        self.is_in_doubt || matches!(self.request, Request::Running(_))
    }

    /// Waits until it is time to ask again, asks, and returns whether the player now has a
    /// seat in another match. Cancel safe: a request that is under way goes on with the
    /// next call.
    ///
    /// # Errors
    ///
    /// A [fatal](ClientError::is_fatal) error. After others the server will be asked again.
    pub async fn ask_again(&mut self) -> Result<bool, ClientError> {
        if let Request::At(time) = self.request {
            sleep_until(time).await;
            let (lobby, wanted) = (self.lobby.clone(), self.wanted.clone());
            let request = ask(lobby, wanted, self.is_in_doubt);
            self.request = Request::Running(Box::pin(request));
        }
        self.finish_request().await
    }

    /// Gives up. Returns `false` if an opponent has come before: then the match of
    /// [`link`](Self::link) has begun.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or refuses the request.
    pub async fn cancel(&mut self) -> Result<bool, ClientError> {
        // It may change the match.
        self.finish_request().await?;
        let waiting = CancelPairing {
            id: self.link.id().clone(),
            key: self.wanted.key.clone(),
        };
        Ok(self.lobby.cancel_pairing(&waiting).await?.cancelled)
    }

    /// Waits for the answer to the current request, if there is one.
    async fn finish_request(&mut self) -> Result<bool, ClientError> {
        let Request::Running(request) = &mut self.request else {
            return Ok(false);
        };
        let answer = request.await;
        self.request = next_request();
        self.is_in_doubt = answer.is_err();
        match answer {
            Ok(assigned) => Ok(self.follow(assigned)),
            Err(error) if error.is_fatal() => Err(error),
            Err(_) => Ok(false),
        }
    }

    /// Adopts what the server has answered. Returns whether it is another match.
    fn follow(&mut self, assigned: SeatAssignment) -> bool {
        let link = self.link.server().clone().link(assigned.id.clone());
        self.wanted.waiting = Some(assigned.id);
        if assigned.token.is_none() {
            // The match in which the player waits already.
            return false;
        }
        let before = mem::replace(&mut self.link, link.with_token(assigned.token));
        before.id() != self.link.id()
    }
}

impl fmt::Debug for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pairing")
            .field("wanted", &self.wanted)
            .field("link", &self.link)
            .field("is_asking", &self.is_asking())
            .finish_non_exhaustive()
    }
}

/// Asks for an opponent. If an answer was lost, the player may have been moved already:
/// both seats of the match left behind are then the player's.
async fn ask(
    lobby: Lobby,
    mut wanted: PairPlayer,
    is_in_doubt: bool,
) -> Result<SeatAssignment, ClientError> {
    if is_in_doubt && let Some(waiting) = &wanted.waiting {
        let status = lobby.status(waiting).await?;
        if status.players == [Some(PlayerId::of(&wanted.key)); 2] {
            wanted.waiting = None;
        }
    }
    lobby.pair(&wanted).await
}

fn next_request() -> Request {
    Request::At(Instant::now() + INTERVAL)
}
