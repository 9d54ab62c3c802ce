use std::io::{self, BufRead, Write};
use std::time::Duration;

use open_ttt_lib::rules::{Drawing, Notation, Outcome, Side, quoted};
use open_ttt_players::{GameEnd, MOST_ILLEGAL_MOVES};

use crate::app::{App, Games, Seat};
use crate::console::{Console, Leave, clean};
use crate::opponent::Opponent;
use crate::question::{question, read_move};
use crate::series::Series;
use crate::thinker::Thinker;

/// How often the line that says who is thinking is written anew.
const TICK: Duration = Duration::from_millis(100);

/// How much of what somebody else's error says is shown.
const LONGEST_ERROR: usize = 200;

/// One run of an application: a series of games with the same players.
pub(crate) struct Session<'a, G: Notation + Drawing, R, W> {
    app: &'a App<G>,
    console: &'a mut Console<R, W>,
    players: [Option<Computer<'a, G>>; 2],
    series: Series,
}

/// A computer at one of the seats.
struct Computer<'a, G: Notation + Drawing> {
    opponent: &'a Opponent<G>,
    /// Made for the first game, and again for the next if it broke down.
    thinker: Option<Thinker<G>>,
}

/// How one game ended.
enum Ended<M> {
    Properly(GameEnd<M>),
    /// A computer broke down; the sentence says how.
    BrokenOff(String),
}

/// What a person does at their turn.
enum Wish<M> {
    Play(M),
    Undo,
}

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
            players: [None, None],
            series: Series::default(),
        }
    }

    /// Seats the players and plays until they have had enough.
    pub(crate) fn play(&mut self) -> Result<(), Leave> {
        if !self.app.greeting.is_empty() {
            self.console.say(&self.app.greeting)?;
            self.console.say("")?;
        }
        for side in Side::BOTH {
            self.players[side.index()] = self.seat(side)?.map(|opponent| Computer {
                opponent,
                thinker: None,
            });
        }
        loop {
            let ended = self.game()?;
            self.rest();
            self.tell(ended)?;
            match self.app.games {
                Games::One => return Ok(()),
                Games::OfferAnother => {
                    self.console.say("Another game? (y/n)")?;
                    let help = "Write y for another game or n to leave";
                    let again = self
                        .console
                        .choose(help, |text| match &*text.to_lowercase() {
                            "y" | "yes" => Ok(true),
                            "n" | "no" => Ok(false),
                            _ => Err(format!("{} is neither y nor n", quoted(text))),
                        })?;
                    if !again {
                        return Ok(());
                    }
                    self.console.say("")?;
                }
            }
        }
    }

    /// The computer that plays a side, or nobody if a person does.
    fn seat(&mut self, side: Side) -> Result<Option<&'a Opponent<G>>, Leave> {
        let app = self.app;
        match &app.seats[side.index()] {
            Some(Seat::Human) => return Ok(None),
            Some(Seat::Computer(opponent)) => return Ok(Some(opponent)),
            None => {}
        }
        self.console
            .say(&format!("{}: human or computer? (h/c)", app.name(side)))?;
        let help = "Write h if a person plays this side, c if the computer does, or quit";
        let computer = self
            .console
            .choose(help, |text| match &*text.to_lowercase() {
                "h" | "human" => Ok(false),
                "c" | "computer" => Ok(true),
                _ => Err(format!("{} is neither h nor c", quoted(text))),
            })?;
        let chosen = match app.roster() {
            _ if !computer => None,
            [only] => Some(only),
            roster => Some(self.choose_opponent(roster)?),
        };
        self.console.say("")?;
        Ok(chosen)
    }

    fn choose_opponent(&mut self, roster: &'a [Opponent<G>]) -> Result<&'a Opponent<G>, Leave> {
        self.console.say("Which computer?")?;
        for (index, opponent) in roster.iter().enumerate() {
            self.console
                .say(&format!("{} {}", index + 1, opponent.name()))?;
        }
        let help = "Write the number of one of the computers above, or its name, or quit";
        self.console.choose(help, |text| {
            let by_name =
                |opponent: &&Opponent<G>| opponent.name().to_lowercase() == text.to_lowercase();
            let by_number = || roster.get(text.parse::<usize>().ok()?.checked_sub(1)?);
            roster
                .iter()
                .find(by_name)
                .or_else(by_number)
                .ok_or_else(|| {
                    let count = roster.len();
                    format!(
                        "{} is no computer; write a number from 1 to {count}",
                        quoted(text)
                    )
                })
        })
    }

    /// Plays one game.
    fn game(&mut self) -> Result<Ended<G::Move>, Leave> {
        let mut position = self.app.game.clone();
        let mut earlier: Vec<G> = Vec::new();
        loop {
            if let Some(outcome) = position.outcome() {
                self.show(&position)?;
                self.say_result(&position, outcome)?;
                return Ok(Ended::Properly(GameEnd::Finished(outcome)));
            }
            let side = position.to_move();
            let last = last_single_move(&position);
            // Computers begin before the board is drawn.
            if last.is_none()
                && let Err(sentence) = self.begin_turn(&position)
            {
                return Ok(Ended::BrokenOff(sentence));
            }
            self.show(&position)?;
            let turn = format!("{} turn", self.app.name(side));
            self.console.say(&turn)?;
            let m = if let Some(m) = last {
                let text = position.move_text(m);
                self.console
                    .say(&format!("Only {text} is left, and it is played by itself"))?;
                m
            } else if self.players[side.index()].is_some() {
                match self.computer_move(&position)? {
                    Ok(m) => m,
                    Err(ended) => return Ok(ended),
                }
            } else {
                match self.human_move(&position, &earlier)? {
                    Wish::Play(m) => m,
                    Wish::Undo => {
                        let before = earlier.iter().rposition(|p| p.to_move() == side);
                        if let Some(before) = before {
                            position = earlier.swap_remove(before);
                            earlier.truncate(before);
                        }
                        self.console.say("")?;
                        continue;
                    }
                }
            };
            self.console.say("")?;
            let next = position.after(m);
            earlier.push(core::mem::replace(&mut position, next));
        }
    }

    /// Sets the computers to work: on this turn, or ahead while a person is to
    /// move. Two computers leave each other the machine.
    fn begin_turn(&mut self, position: &G) -> Result<(), String> {
        let mover = position.to_move();
        let human_to_move = self.players[mover.index()].is_none();
        for side in Side::BOTH {
            let Some(computer) = &mut self.players[side.index()] else {
                continue;
            };
            let thinker = computer
                .thinker()
                .map_err(|error| format!("{} cannot play: {error}", self.app.name(side)))?;
            if side == mover {
                thinker.begin(position);
            } else if human_to_move {
                thinker.think_ahead(position);
            }
        }
        Ok(())
    }

    fn computer_move(&mut self, position: &G) -> Result<Result<G::Move, Ended<G::Move>>, Leave> {
        let side = position.to_move();
        let name = self.app.name(side);
        let Some(computer) = &mut self.players[side.index()] else {
            return Ok(Err(Ended::BrokenOff(format!("{name} has no player"))));
        };
        let broken = |error: &dyn core::fmt::Display| {
            Ended::BrokenOff(format!(
                "{name} has broken down: {}",
                clean(&error.to_string(), LONGEST_ERROR)
            ))
        };
        let thinker = match computer.thinker() {
            Ok(thinker) => thinker,
            Err(error) => return Ok(Err(broken(&error))),
        };
        let console = &mut *self.console;
        let mut written = Ok(());
        let answer = thinker.wait(position, TICK, |elapsed| {
            if written.is_ok() {
                written = console.spin(name, elapsed);
            }
        });
        written?;
        console.stop_spinning(name)?;
        match answer {
            Ok(Ok(m)) => {
                console.say(&format!("{name} plays {}", position.move_text(m)))?;
                Ok(Ok(m))
            }
            Ok(Err(end)) => {
                let sentence = match &end {
                    GameEnd::Forfeited { illegal, .. } => format!(
                        "{name} has answered {MOST_ILLEGAL_MOVES} times with an illegal move, at last {} ({})",
                        position.move_text(illegal.attempted),
                        illegal.reason
                    ),
                    _ => format!("{name} resigns"),
                };
                console.say(&sentence)?;
                self.say_result_by(end.outcome())?;
                Ok(Err(Ended::Properly(end)))
            }
            Err(error) => {
                let ended = broken(&error);
                computer.thinker = None;
                Ok(Err(ended))
            }
        }
    }

    /// Asks a person for a move.
    fn human_move(&mut self, position: &G, earlier: &[G]) -> Result<Wish<G::Move>, Leave> {
        let side = position.to_move();
        let question = question(position);
        let example = position.moves().next();
        let example = example.map_or_else(String::new, |m| position.move_text(m));
        let help = format!(
            "Write a move, such as {example}, or one of these words:\n\
             \x20 board  shows the board again\n\
             \x20 undo   takes back your last move and what came after it\n\
             \x20 quit   ends the session"
        );
        let can_undo = earlier.iter().any(|p| p.to_move() == side);
        loop {
            self.console.say(&question)?;
            // Nothing wished for is the wish to see the board.
            let wish = self
                .console
                .choose(&help, |text| match &*text.to_lowercase() {
                    "board" => Ok(None),
                    "undo" if can_undo => Ok(Some(Wish::Undo)),
                    "undo" => Err("There is no move of yours to take back".to_owned()),
                    _ => read_move(position, text).map(|m| Some(Wish::Play(m))),
                })?;
            if let Some(wish) = wish {
                return Ok(wish);
            }
            self.console.say("")?;
            self.show(position)?;
        }
    }

    fn show(&mut self, position: &G) -> io::Result<()> {
        let board = self.app.draw(position, self.console.size());
        self.console.show(&board)?;
        self.console.say("")
    }

    /// Says who won, and by how much in games that count points.
    fn say_result(&mut self, position: &G, outcome: Outcome) -> io::Result<()> {
        let Some(points) = position.picture().points else {
            return self.say_result_by(outcome);
        };
        let sentence = match outcome {
            Outcome::Win(side) => format!(
                "{} wins {} to {}",
                self.app.name(side),
                points[side.index()],
                points[side.other().index()]
            ),
            Outcome::Draw => format!("Draw, {} to {}", points[0], points[1]),
        };
        self.console.say(&sentence)
    }

    fn say_result_by(&mut self, outcome: Outcome) -> io::Result<()> {
        let sentence = match outcome {
            Outcome::Win(side) => format!("{} wins", self.app.name(side)),
            Outcome::Draw => "Draw".to_owned(),
        };
        self.console.say(&sentence)
    }

    /// Counts the game and, from the second on, says how the series stands.
    fn tell(&mut self, ended: Ended<G::Move>) -> io::Result<()> {
        match ended {
            Ended::Properly(end) => self.series.count(end.outcome()),
            Ended::BrokenOff(sentence) => {
                self.console.say(&sentence)?;
                self.console
                    .say("The game is broken off and does not count")?;
            }
        }
        if self.series.games() > 1 {
            let standing = self.series.standing(&self.app.names);
            self.console.say(&standing)?;
        }
        Ok(())
    }

    /// Lets the computers stop thinking between two games.
    fn rest(&mut self) {
        for computer in self.players.iter_mut().flatten() {
            if let Some(thinker) = &mut computer.thinker {
                thinker.rest();
            }
        }
    }
}

impl<G> Computer<'_, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    /// The player on its thread, made if need be.
    fn thinker(&mut self) -> Result<&mut Thinker<G>, String> {
        let fit = |error: &dyn core::fmt::Display| clean(&error.to_string(), LONGEST_ERROR);
        let thinker = if let Some(thinker) = self.thinker.take() {
            thinker
        } else {
            let player = self.opponent.make().map_err(|error| fit(&error))?;
            Thinker::new(player).map_err(|error| fit(&error))?
        };
        Ok(self.thinker.insert(thinker))
    }
}

/// The only possible move, if the game ends with it.
fn last_single_move<G: Notation>(position: &G) -> Option<G::Move> {
    let mut moves = position.moves();
    let only = moves.next()?;
    let ends = moves.next().is_none() && position.after(only).outcome().is_some();
    ends.then_some(only)
}
