use std::io::{self, BufRead, Write};

use open_ttt_coach::Judge;
use open_ttt_lib::rules::{Color, Drawing, History, Notation, Picture, Side, TwoPlayerGame};
use open_ttt_players::MonteCarlo;

use crate::Opponent;
use crate::console::{Console, SessionEnd};
use crate::draw::{BoardText, Size, draw};
use crate::judge_factory::JudgeFactory;
use crate::played_game::{Keeper, PlayedGame};
use crate::screen::{ListItem, Screen};
use crate::session::Session;

/// A terminal application for a game.
///
/// [`run`](Self::run) asks who plays each side, a person or a computer, unless
/// [`seat`](Self::seat) has set it:
///
/// ```
/// use open_ttt_app::App;
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::Color;
///
/// let app = App::new(TicTacToe::new())
///     .names(["White", "Black"])
///     .marks(["⛂", "⛀"])
///     .colors([Color::White, Color::Black]);
/// let mut output = Vec::new();
/// app.run_with("human\nhuman\nb1\nquit\n".as_bytes(), &mut output)?;
/// let output = String::from_utf8(output)?;
/// assert!(output.contains(" 1 |   | ⛂ |   |"));
/// assert!(output.contains("Black turn\nPossible moves: a1 c1 a2 b2 c2 a3 b3 c3\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct App<G: TwoPlayerGame> {
    pub(crate) game: G,
    pub(crate) greeting: String,
    pub(crate) names: [String; 2],
    opponents: Vec<Opponent<G>>,
    default_opponent: Opponent<G>,
    pub(crate) seats: [Option<Seat<G>>; 2],
    pub(crate) games: Games,
    marks: Option<[&'static str; 2]>,
    colors: Option<[Color; 2]>,
    size: Option<Size>,
    pub(crate) judge: JudgeFactory<G>,
    pub(crate) keeper: Keeper<G>,
    resumed: Vec<G::Move>,
}

/// Who plays a side.
#[derive(Debug)]
pub enum Seat<G> {
    /// The person at the terminal.
    Human,
    /// A computer player.
    Computer(Opponent<G>),
}

/// How many games a session has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Games {
    /// One.
    One,
    /// As many as the player wants; after each game the app asks.
    #[default]
    AskAfterEach,
}

impl<G> App<G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    /// An application that starts each game from this position.
    pub fn new(game: G) -> Self {
        let names = Side::BOTH.map(|side| game.side_name(side).to_owned());
        Self {
            game,
            greeting: "Type help at any time".to_owned(),
            names,
            opponents: Vec::new(),
            default_opponent: Opponent::new("tree search", || Box::new(MonteCarlo::default())),
            seats: [None, None],
            games: Games::default(),
            marks: None,
            colors: None,
            size: None,
            judge: JudgeFactory::default(),
            keeper: Keeper(None),
            resumed: Vec::new(),
        }
    }

    /// Sets the first line of a session; by default it is a hint at `help`.
    pub fn greeting(mut self, greeting: impl Into<String>) -> Self {
        self.greeting = greeting.into();
        self
    }

    /// Replaces the game's names for the first and the second side.
    pub fn names(mut self, names: [impl Into<String>; 2]) -> Self {
        self.names = names.map(Into::into);
        self
    }

    /// Replaces the marks of the [usual pieces](open_ttt_lib::rules::Picture::sides) of the
    /// first and the second side: one or two characters each, all of them one column wide.
    pub fn marks(mut self, marks: [&'static str; 2]) -> Self {
        self.marks = Some(marks);
        self
    }

    /// Replaces the game's colours of the first and the second side.
    pub fn colors(mut self, colors: [Color; 2]) -> Self {
        self.colors = Some(colors);
        self
    }

    /// Sets the size to draw for, in place of the terminal's.
    pub fn size(mut self, size: Size) -> Self {
        self.size = Some(size);
        self
    }

    /// Adds a computer opponent to choose from. Without any, [`MonteCarlo`] is
    /// the only choice.
    pub fn opponent(mut self, opponent: Opponent<G>) -> Self {
        self.opponents.push(opponent);
        self
    }

    /// Sets who plays a side in the first game; the app does not ask for it. The
    /// players exchange sides after each game, so that they take turns having the
    /// first move.
    pub fn seat(mut self, side: Side, seat: Seat<G>) -> Self {
        self.seats[side.index()] = Some(seat);
        self
    }

    /// Sets how to make the judge that finds out what moves are worth, for the hints, values
    /// and reviews of the full screen. By default it is a
    /// [`TreeJudge`](open_ttt_coach::TreeJudge), which knows only the rules.
    pub fn judge(mut self, make: impl Fn() -> Box<dyn Judge<G> + Send> + 'static) -> Self {
        self.judge = JudgeFactory::new(make);
        self
    }

    /// Sets a function that keeps each game: it is called with the game after every move, also
    /// after moves are taken back, and at its end. A game without moves replaces the one
    /// before. In full screen its error is shown once, and it isn't called any more.
    pub fn keep(
        mut self,
        keep: impl Fn(&PlayedGame<'_, G>) -> Result<(), String> + 'static,
    ) -> Self {
        self.keeper = Keeper(Some(Box::new(keep)));
        self
    }

    /// Sets the moves with which the first game begins, so that a game can be gone on with.
    /// An illegal move and those after it are left out.
    pub fn resume(mut self, moves: Vec<G::Move>) -> Self {
        self.resumed = moves;
        self
    }

    /// Sets how many games a session has.
    pub fn games(mut self, games: Games) -> Self {
        self.games = games;
        self
    }

    /// Plays until the player quits or the input ends: in full screen if standard input and
    /// output are a terminal that [allows it](Screen::is_available), with [lines of
    /// text](Self::run_lines) otherwise.
    ///
    /// # Errors
    ///
    /// If the terminal, standard input or output fails. A closed pipe ends the session without
    /// an error.
    pub fn run(&self) -> io::Result<()> {
        if !Screen::is_available() {
            return self.run_lines();
        }
        let mut screen = Screen::open()?;
        match self.play_on(&mut screen) {
            Err(SessionEnd::Failed(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Plays with lines of text on standard input and output.
    ///
    /// Boards are coloured if the terminal supports it and `NO_COLOR` is not
    /// set.
    ///
    /// # Errors
    ///
    /// If standard input or output fails. A closed pipe ends the session without
    /// an error.
    pub fn run_lines(&self) -> io::Result<()> {
        let mut console = Console::terminal();
        let end = self.play(&mut console);
        console.finish(end)
    }

    /// Plays on the screen of a larger program, until the player leaves.
    ///
    /// # Errors
    ///
    /// If the player quits the program, or reading or writing fails.
    pub fn play_on(&self, screen: &mut Screen) -> Result<(), SessionEnd> {
        let mut players = [None, None];
        let open = |side: &Side| self.seats[side.index()].is_none();
        let asked: Vec<_> = Side::BOTH.into_iter().filter(open).collect();
        let mut number = 0;
        while let Some(&side) = asked.get(number) {
            match self.ask_for_player(screen, side)? {
                Some(index) => {
                    let computer = index.checked_sub(1).map(|index| &self.opponents()[index]);
                    players[side.index()] = computer;
                    number += 1;
                }
                None if number == 0 => return Ok(()),
                None => number -= 1,
            }
        }
        for (player, seat) in players.iter_mut().zip(&self.seats) {
            if let Some(Seat::Computer(opponent)) = seat {
                *player = Some(opponent);
            }
        }
        screen.play(self, players)
    }

    /// Plays with the lines of `input` as the player's answers, and writes a
    /// transcript without colours to `output`.
    ///
    /// ```
    /// use open_ttt_app::App;
    /// use open_ttt_lib::games::TicTacToe;
    ///
    /// let mut output = Vec::new();
    /// App::new(TicTacToe::new()).run_with("h\nh\na1\nb1\na2\nb2\na3\nn\n".as_bytes(), &mut output)?;
    /// let output = String::from_utf8(output)?;
    /// assert!(output.ends_with("X wins\nPlay again? (y/n)\n> n\nGoodbye\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If reading or writing fails. A closed pipe ends the session without an
    /// error.
    pub fn run_with(&self, input: impl BufRead, output: impl Write) -> io::Result<()> {
        let mut console = Console::scripted(input, output);
        let end = self.play(&mut console);
        console.finish(end)
    }

    /// Plays on the console of a larger program.
    ///
    /// # Errors
    ///
    /// If the player quits, the input ends, or reading or writing fails.
    /// [`Console::finish`] handles all of them.
    pub fn play(&self, console: &mut Console<impl BufRead, impl Write>) -> Result<(), SessionEnd> {
        Session::new(self, console).play()
    }

    /// The index of the player that is chosen for a side, a person or one of the computers
    /// after it; `None` to go back.
    fn ask_for_player(&self, screen: &mut Screen, side: Side) -> Result<Option<usize>, SessionEnd> {
        let title = format!("Who plays {}?", self.name(side));
        let computers = self.opponents().iter();
        let names = computers.map(|it| format!("Computer: {}", it.name()));
        let names = ["A person".to_owned()].into_iter().chain(names);
        let items: Vec<_> = names.map(ListItem::new).collect();
        // Most want to play against a computer, and against the same as before.
        let known = |name| self.opponents().iter().position(|it| it.name() == name);
        let before = screen.opponent().and_then(known).unwrap_or(0);
        let selected = match side {
            Side::First => 0,
            Side::Second => 1 + before,
        };
        let chosen = screen.choose(&title, &items, selected)?;
        if let Some(index) = chosen.and_then(|index| index.checked_sub(1)) {
            screen.note_opponent(self.opponents()[index].name());
        }
        Ok(chosen)
    }

    /// The first game of a session, as far as it has been played.
    pub(crate) fn first_game(&self) -> History<G> {
        let mut game = History::new(self.game.clone());
        for &m in &self.resumed {
            if game.play(m).is_err() {
                break;
            }
        }
        game
    }

    /// The computer opponents to choose from.
    pub(crate) fn opponents(&self) -> &[Opponent<G>] {
        match &*self.opponents {
            [] => core::slice::from_ref(&self.default_opponent),
            opponents => opponents,
        }
    }

    /// The picture of a position with the app's marks and colours.
    pub(crate) fn picture(&self, position: &G) -> Picture<G::Move> {
        let mut picture = position.picture();
        if let Some(marks) = self.marks {
            picture.replace_marks(marks);
        }
        picture.colors = self.colors.unwrap_or(picture.colors);
        picture
    }

    /// Draws the board for a terminal of this size, unless a size is set.
    pub(crate) fn draw(&self, position: &G, terminal: Size) -> BoardText {
        draw(&self.picture(position), self.size.unwrap_or(terminal))
    }

    pub(crate) fn name(&self, side: Side) -> &str {
        &self.names[side.index()]
    }
}
