use super::{Decision, Player, Turn};
use open_ttt_lib::rules::TwoPlayerGame;

/// A person, or whoever else is asked: each turn is passed on to a function.
///
/// The library reads no keyboard; a program gives it a function that does.
/// `open_ttt_app` has the whole terminal for it.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_players::{Decision, Human, Player, Turn};
/// use open_ttt_lib::rules::Notation;
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
    ask: F,
}

impl<F> Human<F> {
    /// A person with a name and a way to be asked.
    pub fn new(name: impl Into<String>, ask: F) -> Self {
        Self {
            name: name.into(),
            ask,
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
        (self.ask)(turn)
    }
}
