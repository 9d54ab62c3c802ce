use std::io::{self, BufRead, Write};
use std::time::Duration;

use open_ttt_lib::rules::{Drawing, History, Notation, Outcome, Side, TwoPlayerGame};
use open_ttt_players::{GameEnd, MAX_ILLEGAL_MOVES, Termination};

use crate::app::{App, Games, Seat};
use crate::computer_seat::{ComputerSeat, MAX_ERROR};
use crate::console::{Console, SessionEnd, printable};
use crate::move_reader::MoveReader;
use crate::opponent::Opponent;
use crate::played_game::PlayedGame;
use crate::player_thread::PlayerThread;
use crate::question::{possible_moves, question};
use crate::score::result_text;
use crate::series::Series;

/// The interval at which the thinking time on the screen is updated.
const TICK: Duration = Duration::from_millis(100);

/// One run of an application: a series of games with the same players, who exchange
/// sides after each game.
pub(crate) struct Session<'a, G: Notation + Drawing, R, W> {
    app: &'a App<G>,
    console: &'a mut Console<R, W>,
    /// By side; a person's seat is `None`.
    computers: [Option<ComputerSeat<'a, G>>; 2],
    series: Series,
}

/// How a turn ends.
enum Turn<M> {
    Move(M),
    Undo,
    /// The player ends the game.
    GameEnd(GameEnd<M>),
    Failed(PlayerFailure),
}

/// A message about a computer player that cannot continue.
type PlayerFailure = String;

impl<'a, G, R, W> Session<'a, G, R, W>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
    R: BufRead,
    W: Write,
{
    pub(crate) fn new(app: &'a App<G>, console: &'a mut Console<R, W>) -> Self {
        Self {
            app,
            console,
            computers: [None, None],
            series: Series::default(),
        }
    }

    /// Chooses the players and plays games until the session ends.
    pub(crate) fn play(&mut self) -> Result<(), SessionEnd> {
        if !self.app.greeting.is_empty() {
            self.console.print(&self.app.greeting)?;
            self.console.print("")?;
        }
        for side in Side::BOTH {
            let opponent = self.choose_player(side)?;
            self.computers[side.index()] = opponent.map(ComputerSeat::new);
        }
        self.series = Series::new(self.computers.each_ref().map(Option::is_some));
        let mut game = self.app.first_game();
        loop {
            let ended = self.play_game(game)?;
            self.cancel_searches();
            self.print_score(ended)?;
            if self.app.games == Games::One || !self.play_again()? {
                return Ok(());
            }
            self.console.print("")?;
            self.exchange_sides()?;
            game = History::new(self.app.game.clone());
        }
    }

    /// Gives the first move to the player who didn't have it.
    fn exchange_sides(&mut self) -> io::Result<()> {
        self.computers.swap(0, 1);
        self.series.exchange_sides();
        let side = self.app.game.to_move();
        let name = self.app.name(side);
        let first = match self.series.player_names()[self.series.player(side)] {
            Series::YOU => format!("You are {name} and go first"),
            player => format!("{player} is {name} and goes first"),
        };
        self.console.print(&first)?;
        self.console.print("")
    }

    fn play_again(&mut self) -> Result<bool, SessionEnd> {
        self.console.print("Play again? (y/n)")?;
        let help = "Type y to play again or n to stop";
        let choices = [("yes", true), ("no", false)];
        self.console.choose_word(help, choices)
    }

    /// The computer opponent for a side, or `None` for a person.
    fn choose_player(&mut self, side: Side) -> Result<Option<&'a Opponent<G>>, SessionEnd> {
        let app = self.app;
        match &app.seats[side.index()] {
            Some(Seat::Human) => return Ok(None),
            Some(Seat::Computer(opponent)) => return Ok(Some(opponent)),
            None => {}
        }
        let name = app.name(side);
        let console = &mut *self.console;
        console.print(&format!("{name}: human or computer? (h/c)"))?;
        let help = "Type h for a person or c for a computer";
        let is_computer = console.choose_word(help, [("human", false), ("computer", true)])?;
        let chosen = match app.opponents() {
            _ if !is_computer => None,
            [only] => Some(only),
            opponents => {
                console.print("Which computer?")?;
                let names: Vec<_> = opponents.iter().map(Opponent::name).collect();
                Some(&opponents[console.choose_numbered(&names)?])
            }
        };
        console.print("")?;
        Ok(chosen)
    }

    /// Plays one game. A player's failure aborts it.
    fn play_game(
        &mut self,
        mut game: History<G>,
    ) -> Result<Result<Outcome, PlayerFailure>, SessionEnd> {
        loop {
            let position = game.position();
            if let Some(outcome) = game.outcome() {
                self.keep(&game, Some((outcome, Termination::Finished)));
                self.print_board(position)?;
                let by_repetition = position.outcome().is_none();
                let points = position.picture().points.filter(|_| !by_repetition);
                if by_repetition {
                    self.console.print("The same position has come back.")?;
                }
                let picture = self.app.picture(position);
                self.console.print_winning_lines(&picture, outcome)?;
                self.print_result(outcome, points)?;
                return Ok(Ok(outcome));
            }
            self.keep(&game, None);
            let side = position.to_move();
            let last = last_single_move(position);
            // Searches start before the board is drawn.
            if last.is_none()
                && let Err(failure) = self.start_searches(&game)
            {
                return Ok(Err(failure));
            }
            self.print_board(position)?;
            self.console
                .print(&format!("{} turn", self.app.name(side)))?;
            let turn = if let Some(m) = last {
                let text = position.move_text(m);
                self.console.print(&format!(
                    "Only {text} is left, so it's played automatically."
                ))?;
                Turn::Move(m)
            } else if let Some(computer) = &mut self.computers[side.index()] {
                computer.take_turn(&game, self.app.name(side), self.console)?
            } else {
                self.human_turn(&game)?
            };
            match turn {
                Turn::Move(m) => game.play_unchecked(m),
                Turn::Undo => while game.undo().is_some() && game.position().to_move() != side {},
                Turn::GameEnd(end) => {
                    let termination = match end {
                        GameEnd::Forfeited { .. } => Termination::Forfeited,
                        _ => Termination::Resigned,
                    };
                    self.keep(&game, Some((end.outcome(), termination)));
                    self.print_result(end.outcome(), None)?;
                    return Ok(Ok(end.outcome()));
                }
                Turn::Failed(failure) => return Ok(Err(failure)),
            }
            self.console.print("")?;
        }
    }

    /// Hands the game to the app's function for that. Its error would be in the way of the
    /// game.
    fn keep(&self, game: &History<G>, end: Option<(Outcome, Termination)>) {
        let computers = self.computers.each_ref();
        let _ = self.app.keeper.keep(&PlayedGame {
            history: game,
            computers: computers.map(|seat| seat.as_ref().map(ComputerSeat::name)),
            end,
        });
    }

    /// Starts the turn of a computer to move; lets a computer ponder while a
    /// person is to move. Two computers do not ponder: each gets all the
    /// processors.
    fn start_searches(&mut self, game: &History<G>) -> Result<(), PlayerFailure> {
        let mover = game.position().to_move();
        let human_to_move = self.computers[mover.index()].is_none();
        for side in Side::BOTH {
            let Some(computer) = &mut self.computers[side.index()] else {
                continue;
            };
            let thread = computer
                .thread()
                .map_err(|error| format!("{} can't play: {error}.", self.app.name(side)))?;
            if side == mover {
                thread.start(game);
            } else if human_to_move {
                thread.ponder(game);
            }
        }
        Ok(())
    }

    fn human_turn(&mut self, game: &History<G>) -> Result<Turn<G::Move>, SessionEnd> {
        let position = game.position();
        let side = position.to_move();
        let question = question(position);
        let example = position.moves().next();
        let example = example.map_or_else(String::new, |m| position.move_text(m));
        let help = format!(
            "Type a move, such as {example}, or one of these words:\n\
             \x20 board  show the board again\n\
             \x20 moves  list all possible moves\n\
             \x20 undo   undo your last move\n\
             \x20 quit   quit the game"
        );
        let can_undo = has_moved(game, side);
        let moves = possible_moves(position, self.console.size().columns);
        let mut reader = MoveReader::default();
        loop {
            self.console.print(&question)?;
            // `None` stands for the word `board`.
            let turn = self
                .console
                .choose(&help, |text| match &*text.to_lowercase() {
                    "board" => Ok(None),
                    // A list is a message like that of an incomplete move.
                    "moves" => Err(moves.clone()),
                    "undo" if can_undo => Ok(Some(Turn::Undo)),
                    "undo" => Err("Nothing to undo yet.".to_owned()),
                    _ => reader.read(position, text).map(|m| Some(Turn::Move(m))),
                })?;
            if let Some(turn) = turn {
                return Ok(turn);
            }
            self.console.print("")?;
            self.print_board(position)?;
        }
    }

    fn print_board(&mut self, position: &G) -> io::Result<()> {
        let board = self.app.draw(position, self.console.size());
        self.console.print_board(&board)?;
        self.console.print("")
    }

    fn print_result(&mut self, outcome: Outcome, points: Option<[u32; 2]>) -> io::Result<()> {
        let names = Side::BOTH.map(|side| self.app.name(side));
        self.console.print(&result_text(names, outcome, points))
    }

    /// Adds a game to the score, and prints the score from the second game on.
    fn print_score(&mut self, game: Result<Outcome, PlayerFailure>) -> io::Result<()> {
        match game {
            Ok(outcome) => {
                self.series.add(outcome);
                for side in Side::BOTH {
                    if let Some(computer) = &mut self.computers[side.index()] {
                        computer.follow(outcome, side);
                    }
                }
            }
            Err(message) => {
                let abandoned = "The game is abandoned and doesn't count.";
                self.console.print(&format!("{message}\n{abandoned}"))?;
            }
        }
        if let Some(line) = self.series.score_line() {
            self.console.print(&line)?;
        }
        Ok(())
    }

    fn cancel_searches(&mut self) {
        let computers = self.computers.iter_mut().flatten();
        let threads = computers.filter_map(|computer| computer.thread.as_mut());
        threads.for_each(PlayerThread::cancel);
    }
}

impl<G> ComputerSeat<'_, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    fn take_turn(
        &mut self,
        game: &History<G>,
        name: &str,
        console: &mut Console<impl BufRead, impl Write>,
    ) -> Result<Turn<G::Move>, SessionEnd> {
        let position = game.position();
        let failed = |error: &str| Turn::Failed(format!("{name} can't continue: {error}."));
        let thread = match self.thread() {
            Ok(thread) => thread,
            Err(error) => return Ok(failed(&error)),
        };
        let mut shown = Ok(());
        let result = thread.wait(game, TICK, |elapsed| {
            if shown.is_ok() {
                shown = console.show_thinking(name, elapsed);
            }
        });
        shown?;
        console.clear_thinking(name)?;
        let (turn, message) = match result {
            Ok(Ok(m)) => (
                Turn::Move(m),
                format!("{name} plays {}", position.move_text(m)),
            ),
            Ok(Err(end)) => {
                let message = match &end {
                    GameEnd::Forfeited { illegal, .. } => format!(
                        "{name} forfeits after {MAX_ILLEGAL_MOVES} illegal moves, the last one {}: {}",
                        position.move_text(illegal.attempted),
                        illegal.reason
                    ),
                    _ => format!("{name} resigns"),
                };
                (Turn::GameEnd(end), message)
            }
            Err(error) => {
                self.thread = None;
                return Ok(failed(&printable(&error.to_string(), MAX_ERROR)));
            }
        };
        console.print(&message)?;
        Ok(turn)
    }
}

/// Whether a side has made a move.
fn has_moved<G: TwoPlayerGame>(game: &History<G>, side: Side) -> bool {
    let mut position = game.start().clone();
    game.moves().iter().any(|&m| {
        let mover = position.to_move();
        position.play_unchecked(m);
        mover == side
    })
}

/// The only possible move, if the game ends with it.
fn last_single_move<G: Notation>(position: &G) -> Option<G::Move> {
    let mut moves = position.moves();
    let only = moves.next()?;
    let ends = moves.next().is_none() && position.after(only).outcome().is_some();
    ends.then_some(only)
}
