use std::collections::HashSet;
use std::io::{self, Write};

use open_ttt_net::MatchId;
use open_ttt_net::client::ServerAddress;
use open_ttt_net::protocol::{PlayedGame, PlayerProfile, PlayerScore};

use crate::commands::{ago, print_json};
use crate::failure::Failure;

/// The most characters of a server's text that are printed.
const MAX_SERVER_TEXT: usize = 100;

/// How answers are printed.
#[derive(Clone, Copy)]
pub(super) struct Report {
    pub(super) json: bool,
}

impl Report {
    /// A player's scores and ratings.
    pub(super) fn profile(self, profile: &PlayerProfile) -> Result<(), Failure> {
        if self.json {
            return print_json(profile);
        }
        print(&format!("Player {}", profile.player))?;
        if profile.games.is_empty() {
            return print("No games yet");
        }
        profile
            .games
            .iter()
            .try_for_each(|score| print(&score_line(score)))
    }
}

/// `connect4: 3 won, 0 drawn, 1 lost, rating 1662 ± 580`. The rating is given with two
/// deviations, as on the page.
fn score_line(score: &PlayerScore) -> String {
    let PlayerScore {
        wins,
        draws,
        losses,
        ..
    } = score;
    let game = printable(&score.game);
    let rating = score.rating.map_or_else(String::new, |rating| {
        let interval = rating.deviation.saturating_mul(2);
        format!(", rating {} ± {interval}", rating.rating)
    });
    format!("{game}: {wins} won, {draws} drawn, {losses} lost{rating}")
}

/// A player's games as they are printed, newest first.
pub(super) struct Games<'a> {
    server: &'a ServerAddress,
    report: Report,
    /// The matches of the games printed so far.
    matches: HashSet<MatchId>,
    printed: u32,
    limit: u32,
}

impl<'a> Games<'a> {
    pub(super) fn new(server: &'a ServerAddress, report: Report, limit: u32) -> Self {
        Self {
            server,
            report,
            matches: HashSet::new(),
            printed: 0,
            limit,
        }
    }

    /// Prints an entry of the history, except the beginning of a match of which a game has
    /// ended. Returns whether that was the last one to print.
    pub(super) fn print(&mut self, game: &PlayedGame) -> Result<bool, Failure> {
        let is_first = self.matches.insert(game.id.clone());
        if self.report.json {
            print_json(game)?;
        } else if is_first || game.verdict.is_some() {
            print(&self.line(game))?;
        } else {
            return Ok(false);
        }
        self.printed += 1;
        Ok(self.printed == self.limit)
    }

    /// Ends the list.
    pub(super) fn end(&self) -> Result<(), Failure> {
        if self.printed == 0 && !self.report.json {
            return print("No games yet");
        }
        Ok(())
    }

    /// `http://HOST/m/ID  ttt vs Bob: won, rating 1500 to 1662 (5 min ago)`
    fn line(&self, game: &PlayedGame) -> String {
        let link = self.server.clone().link(game.id.clone());
        let name = game
            .opponent
            .computer
            .as_ref()
            .unwrap_or(&game.opponent.name);
        let result = match game.verdict.map(|verdict| verdict.winner) {
            None => "in progress",
            Some(None) => "drawn",
            Some(Some(winner)) if winner == game.seat => "won",
            Some(Some(_)) => "lost",
        };
        let rating = game.rating.map_or_else(String::new, |change| {
            format!(
                ", rating {} to {}",
                change.before.rating, change.after.rating
            )
        });
        let (game_name, name) = (printable(&game.game), printable(name));
        let when = ago(game.at);
        format!("{link}  {game_name} vs {name}: {result}{rating} ({when})")
    }
}

/// Prints a line.
pub(super) fn print(line: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// A text from the server, made safe for the terminal.
fn printable(text: &str) -> String {
    open_ttt_app::printable(text, MAX_SERVER_TEXT)
}
