use core::fmt;
use std::io::{self, BufRead, Write};

use open_ttt_lib::rules::{Drawing, Notation, Picture, Side, TwoPlayerGame};
use open_ttt_players::MonteCarlo;

use crate::Opponent;
use crate::console::{Console, Leave};
use crate::draw::{Drawn, Size, draw};
use crate::session::Session;

/// A terminal application for a game.
///
/// Everything can be left as it is: it is asked who plays each side, a person
/// or the computer. What is set comes before [`run`](Self::run):
///
/// ```
/// use open_ttt_app::App;
/// use open_ttt_lib::games::TicTacToe;
///
/// let app = App::new(TicTacToe::new())
///     .names(["White", "Black"])
///     .marks(["⛂", "⛀"]);
/// let mut output = Vec::new();
/// app.run_with("human\nhuman\nb1\nquit\n".as_bytes(), &mut output)?;
/// let output = String::from_utf8(output)?;
/// assert!(output.contains(" 1 |   | ⛂ |   |"));
/// assert!(output.contains("Black turn\nPossible moves: a1 c1 a2 b2 c2 a3 b3 c3\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct App<G: TwoPlayerGame> {
    pub(crate) game: G,
    pub(crate) greeting: String,
    pub(crate) names: [String; 2],
    roster: Vec<Opponent<G>>,
    any_game: Opponent<G>,
    pub(crate) seats: [Option<Seat<G>>; 2],
    pub(crate) games: Games,
    marks: Option<[&'static str; 2]>,
    size: Option<Size>,
}

/// Who plays a side.
#[derive(Debug)]
pub enum Seat<G> {
    /// Whoever is at the terminal.
    Human,
    /// This computer player.
    Computer(Opponent<G>),
}

/// How many games are played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Games {
    /// One.
    One,
    /// After each game another one is offered.
    #[default]
    OfferAnother,
}

impl<G> App<G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    /// An application that plays from this position.
    pub fn new(game: G) -> Self {
        let names = Side::BOTH.map(|side| game.side_name(side).to_owned());
        Self {
            game,
            greeting: "Write help wherever you do not know what to write".to_owned(),
            names,
            roster: Vec::new(),
            any_game: Opponent::new("tree search", || Box::new(MonteCarlo::default())),
            seats: [None, None],
            games: Games::default(),
            marks: None,
            size: None,
        }
    }

    /// What is said at the beginning, in place of a hint that there is help.
    pub fn greeting(self, greeting: impl Into<String>) -> Self {
        Self {
            greeting: greeting.into(),
            ..self
        }
    }

    /// What the sides are called, the first one first, in place of what the
    /// game calls them.
    pub fn names(self, names: [impl Into<String>; 2]) -> Self {
        Self {
            names: names.map(Into::into),
            ..self
        }
    }

    /// How the pieces of the sides look, in place of what the game says: one
    /// or two characters, each a column wide.
    pub fn marks(self, marks: [&'static str; 2]) -> Self {
        Self {
            marks: Some(marks),
            ..self
        }
    }

    /// How large the terminal is, where it is not to be asked.
    pub fn size(self, size: Size) -> Self {
        Self {
            size: Some(size),
            ..self
        }
    }

    /// Adds a computer opponent that can be chosen for a side. While there is
    /// none it is [`MonteCarlo`], which plays any game.
    pub fn opponent(mut self, opponent: Opponent<G>) -> Self {
        self.roster.push(opponent);
        self
    }

    /// Says who plays a side, so that it is not asked.
    pub fn seat(mut self, side: Side, seat: Seat<G>) -> Self {
        self.seats[side.index()] = Some(seat);
        self
    }

    /// How many games are played.
    pub fn games(self, games: Games) -> Self {
        Self { games, ..self }
    }

    /// Plays on the terminal, until the players have had enough or the end of
    /// the input.
    ///
    /// Boards have colours where the terminal has them and `NO_COLOR` is not
    /// set.
    ///
    /// # Errors
    ///
    /// If standard input or output fails. A reader of the output that has gone
    /// away is no failure, but the end.
    pub fn run(&self) -> io::Result<()> {
        let mut console = Console::terminal();
        let ended = self.play(&mut console);
        console.end(ended)
    }

    /// Plays with the lines of `input` as what is typed, and writes all that a
    /// terminal would show to `output`, without colours.
    ///
    /// ```
    /// use open_ttt_app::App;
    /// use open_ttt_lib::games::TicTacToe;
    ///
    /// let mut output = Vec::new();
    /// App::new(TicTacToe::new()).run_with("h\nh\na1\nb1\na2\nb2\na3\nn\n".as_bytes(), &mut output)?;
    /// let output = String::from_utf8(output)?;
    /// assert!(output.ends_with("X wins\nAnother game? (y/n)\n> n\nGoodbye\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If reading or writing fails. A reader of the output that has gone away
    /// is no failure, but the end.
    pub fn run_with(&self, input: impl BufRead, output: impl Write) -> io::Result<()> {
        let mut console = Console::scripted(input, output);
        let ended = self.play(&mut console);
        console.end(ended)
    }

    /// Plays on a console that a larger program holds its own talk on as well.
    ///
    /// # Errors
    ///
    /// If the player leaves, the input ends, or reading or writing fails;
    /// [`Console::end`] takes care of them all.
    pub fn play(&self, console: &mut Console<impl BufRead, impl Write>) -> Result<(), Leave> {
        Session::new(self, console).play()
    }

    /// The computers that can be chosen.
    pub(crate) fn roster(&self) -> &[Opponent<G>] {
        match &*self.roster {
            [] => core::slice::from_ref(&self.any_game),
            roster => roster,
        }
    }

    pub(crate) fn picture(&self, position: &G) -> Picture<G::Move> {
        let picture = position.picture();
        Picture {
            marks: self.marks.unwrap_or(picture.marks),
            ..picture
        }
    }

    /// The board, for a terminal of this size unless another one is set.
    pub(crate) fn draw(&self, position: &G, terminal: Size) -> Drawn {
        draw(&self.picture(position), self.size.unwrap_or(terminal))
    }

    pub(crate) fn name(&self, side: Side) -> &str {
        &self.names[side.index()]
    }
}

impl<G: TwoPlayerGame> fmt::Debug for App<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("names", &self.names)
            .field("roster", &self.roster)
            .field("games", &self.games)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
