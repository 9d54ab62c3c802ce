//! What comes from outside: a function for each parser, which checks what must hold for any
//! input. No parser panics, accepted values round-trip, positions obey the rules, and what is
//! refused changes nothing.
//!
//! `fuzz` has a fuzz target for each function, and the corpus that a test of this crate
//! replays. The properties of the server's parsers are those of the tests of `open_ttt_net`.

mod answers;
mod games;
mod networks;
mod players;
mod training;

#[path = "../../open_ttt_net/tests/it/untrusted_input/link_properties.rs"]
mod links;
#[path = "../../open_ttt_net/tests/it/untrusted_input/properties.rs"]
mod messages;
#[path = "../../open_ttt_net/tests/it/untrusted_input/operator_properties.rs"]
mod operator;
#[path = "../../open_ttt_net/tests/it/untrusted_input/server_properties.rs"]
mod server;
#[path = "../../open_ttt_net/tests/it/untrusted_input/store_properties.rs"]
mod stores;

use std::sync::LazyLock;

use open_ttt_catalog::Catalog;

static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::bundled);

macro_rules! inputs {
    ($($(#[$meaning:meta])+ $name:ident: $property:expr;)*) => {
        $(
            $(#[$meaning])+
            ///
            /// Returns whether it is accepted.
            ///
            /// # Panics
            ///
            /// If something doesn't hold that must.
            pub fn $name(bytes: &[u8]) -> bool {
                ($property)(bytes)
            }
        )*

        /// Every kind of input, by name.
        pub const INPUTS: &[(&str, fn(&[u8]) -> bool)] = &[$((stringify!($name), $name)),*];
    };
}

inputs! {
    /// A request for administration: method and path in the first line, then the body.
    admin_request: operator::admin_request;
    /// A request to the functions that answer without a server.
    answer: answers::answer;
    /// The stored entries of a match, one a line, to which their checksums are added.
    chained_log: |bytes| server::chained_log(bytes).is_some();
    /// A part of a checkpoint, chosen by the first byte.
    checkpoint: training::checkpoint;
    /// A client's message to a server.
    client_message: messages::client_message;
    /// The operator's stored decisions, one a line.
    decisions: |bytes| operator::decisions(bytes) > 0;
    /// The lines of the header `X-Forwarded-For`.
    forwarded_for: operator::forwarded_for;
    /// The name of a game in the first line, then moves.
    game: games::game;
    /// The id of a match or a client, a token or a digest.
    id: messages::id;
    /// A link to a match, a player's link or the address of a server.
    link: links::link;
    /// The stored entries of a match, one a line, which are posted as lobby notices, too.
    log: |bytes| server::log(bytes).is_some();
    /// A match, then transitions, one a line.
    match_state: |bytes| messages::match_state(bytes).is_some();
    /// The name of a person.
    name: operator::name;
    /// The file of a network.
    network: networks::network;
    /// The name of a computer player, with its parameters.
    player: players::player;
    /// The name of a game in the first line, then a puzzle.
    puzzle: games::puzzle;
    /// A whole request to a server: method and path, headers, body.
    request: |bytes| !is_slow_request(bytes) && server::request(bytes);
    /// The body of a request.
    request_body: messages::request_body;
    /// A game as a state machine in JSON, then moves, one a line.
    saved_game: games::saved_game;
    /// Games of self-play in their binary form.
    self_play_games: training::self_play_games;
    /// A server's message to a client.
    server_message: messages::server_message;
    /// The prefix of stream names in the first line, then the addresses of brokers.
    store_address: stores::store_address;
    /// The record of a game as a line of text.
    text_record: players::text_record;
    /// The state of the design document's tic-tac-toe, then moves, one a line.
    tic_tac_toe: games::tic_tac_toe;
    /// The configuration of a training run.
    training_config: training::training_config;
    /// The name of a game in the first line, then what a person types to move.
    typed_moves: games::typed_moves;
}

/// Whether a request takes seconds, as it should: a review, or the list of games, for which
/// each server plays some, once.
fn is_slow_request(bytes: &[u8]) -> bool {
    let slow: [&[u8]; 2] = [b"v1/review", b"v1/games"];
    slow.iter()
        .any(|path| bytes.windows(path.len()).any(|window| window == *path))
}

/// The first line, and the rest of a text; `None` if it isn't UTF-8.
fn first_line(bytes: &[u8]) -> Option<(&str, &str)> {
    let text = core::str::from_utf8(bytes).ok()?;
    Some(text.split_once('\n').unwrap_or((text, "")))
}
