use open_ttt_catalog::{Catalog, DynGame, GameEntry, PlayerSpec};
use open_ttt_lib::rules::{AllowedValues, Drawing, History, Parameter, SpecError};
use open_ttt_players::{Turn, request_move};

use super::clock::search_clock;
use super::compressed::Compressed;
use crate::matches::Seat;
use crate::protocol::{AllowedParameterValues, BoardView, GameInfo, GameParameter};

/// The player of sample games: a look at each move, and some surprise. In games of lines a
/// depth would not limit the search for threats.
const SAMPLE_PLAYER: &str = "negamax(nodes=200,mistakes=0.3,seed=2)";

/// The most moves of a sample game.
const MAX_SAMPLE_MOVES: usize = 28;

/// All games of a catalog, for clients, as a list of [`GameInfo`].
pub(super) fn game_list(catalog: &Catalog) -> Compressed {
    let games = catalog.games().iter();
    let games = games.filter_map(|entry| game_info(catalog, entry));
    let games = games.collect::<Vec<_>>();
    // The types of the protocol always serialize.
    Compressed::new(serde_json::to_vec(&games).unwrap_or_default().into())
}

fn game_info(catalog: &Catalog, entry: &GameEntry) -> Option<GameInfo> {
    let game = catalog.game(entry.key).ok()?;
    let view = |position: &DynGame| BoardView::of(position, None, |side| Seat::ALL[side.index()]);
    let mut sample = view(&sample(&game).unwrap_or_else(|_| game.clone()));
    sample.end();
    Some(GameInfo {
        game: entry.key.to_owned(),
        title: entry.title.to_owned(),
        rules: entry.rules.to_owned(),
        strongest: game.strongest().to_owned(),
        board: view(&game),
        sample,
        parameters: entry.parameters.iter().map(game_parameter).collect(),
        puzzles: game.puzzles().len(),
        local: Catalog::bundled()
            .games()
            .iter()
            .any(|known| known.is_same(entry)),
    })
}

fn game_parameter(parameter: &Parameter) -> GameParameter {
    let allowed = match &parameter.allowed {
        AllowedValues::Range(range) => {
            AllowedParameterValues::Range([*range.start(), *range.end()])
        }
        AllowedValues::OneOf(values) => AllowedParameterValues::OneOf(values.to_vec()),
    };
    GameParameter {
        name: parameter.name.to_owned(),
        meaning: parameter.meaning.to_owned(),
        allowed,
        default: parameter.default,
    }
}

/// A position in the middle of a game: after a move for every third cell of the board, and
/// before the game is over. The same for every server.
fn sample(start: &DynGame) -> Result<DynGame, SpecError> {
    let spec: PlayerSpec = SAMPLE_PLAYER.parse()?;
    let mut player = start.player(&spec, search_clock())?;
    let cells = start.picture().cells.len();
    let mut game = History::new(start.clone());
    for _ in 0..(cells / 3).clamp(3, MAX_SAMPLE_MOVES) {
        let Ok(m) = request_move(Turn::of(&game), &mut player) else {
            break;
        };
        let mut next = game.clone();
        if next.play(m).is_err() || next.outcome().is_some() {
            break;
        }
        game = next;
    }
    Ok(game.position().clone())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use axum::body::Body;
    use axum::http::{Request, StatusCode};
    use tower::ServiceExt;

    use super::*;
    use crate::log::MemoryLog;
    use crate::server::{Config, Server, app};

    /// On a slow machine nobody would ever see the list otherwise.
    #[tokio::test]
    async fn the_list_is_kept_when_nobody_waits_for_it_any_more() {
        let config = Config {
            client_timeout: Duration::ZERO,
            ..Config::default()
        };
        let server = Server::new(Catalog::bundled(), config, Arc::new(MemoryLog::new()));
        let server = server.expect("the system has random numbers");
        let status = async || {
            let request = Request::get("/api/v1/games").body(Body::empty());
            let response = app(&server).oneshot(request.expect("a request")).await;
            response.expect("a response").status()
        };
        // It waits for no time at all.
        assert_eq!(status().await, StatusCode::REQUEST_TIMEOUT);
        while server.shared.games.get().is_none() {
            tokio::task::yield_now().await;
        }
        assert_eq!(status().await, StatusCode::OK);
    }
}
