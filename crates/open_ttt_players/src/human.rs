use super::{Decision, Player, Turn};
use open_ttt_lib::rules::TwoPlayerGame;

/// A person, or any other source of moves: each turn calls a function.
///
/// The library does no I/O; a program passes a function that does.
/// `open_ttt_app` has a whole terminal interface.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::Notation;
/// use open_ttt_players::{Decision, Human, Player, Turn};
///
/// let mut typed = ["4", "4"].into_iter();
/// let mut ann = Human::new("Ann", |turn: &Turn<'_, ConnectFour>| {
///     match typed.next().map(|text| turn.game.parse_move(text)) {
///         Some(Ok(column)) => Decision::Play(column),
///         _ => Decision::Resign,
///     }
/// });
/// let game = ConnectFour::new();
/// assert_eq!(ann.take_turn(&Turn::new(&game)), Decision::Play(game.parse_move("4")?));
/// # Ok::<(), open_ttt_lib::rules::ParseMoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Human<F> {
    name: String,
    decide: F,
}

impl<F> Human<F> {
    /// A player with this name whose turns call `decide`.
    pub fn new(name: impl Into<String>, decide: F) -> Self {
        Self {
            name: name.into(),
            decide,
        }
    }
}

impl<G, F> Player<G> for Human<F>
where
    G: TwoPlayerGame,
    F: FnMut(&Turn<'_, G>) -> Decision<G::Move>,
{
    fn player_name(&self) -> &str {
        &self.name
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        (self.decide)(turn)
    }
}
