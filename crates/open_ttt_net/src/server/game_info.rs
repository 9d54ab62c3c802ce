use open_ttt_catalog::{Catalog, DynGame, GameEntry, PlayerSpec};
use open_ttt_lib::rules::{AllowedValues, Drawing, History, Parameter, SpecError};
use open_ttt_players::{Turn, request_move};

use super::clock::search_clock;
use crate::matches::Seat;
use crate::protocol::{AllowedParameterValues, BoardView, GameInfo, GameParameter};

/// The player of sample games: a look at each move, and some surprise.
const SAMPLE_PLAYER: &str = "negamax(depth=1,mistakes=0.3,seed=2)";

/// The most moves of a sample game.
const MAX_SAMPLE_MOVES: usize = 28;

/// All games of a catalog, for clients.
pub(super) fn game_infos(catalog: &Catalog) -> Vec<GameInfo> {
    let games = catalog.games().iter();
    games
        .filter_map(|entry| game_info(catalog, entry))
        .collect()
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
