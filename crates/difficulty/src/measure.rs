use std::fmt;
use std::num::NonZero;
use std::time::Duration;

use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_lib::rules::{Named, SpecError};
use open_ttt_players::{Match, MatchScore, Openings, Participant, PlayerFactory};
use open_ttt_search::{Clock, StopFlag};

/// The probability of a mistake, and the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Setting {
    pub(crate) opponent: Opponent,
    /// The probability of a mistake, in tenths.
    pub(crate) tenths: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Opponent {
    Random,
    Perfect,
}

impl Opponent {
    pub(crate) const BOTH: [Self; 2] = [Self::Random, Self::Perfect];

    /// Its player specification in the catalog.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Perfect => "perfect",
        }
    }
}

impl Setting {
    /// Every setting.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Opponent::BOTH.into_iter().flat_map(Self::against)
    }

    /// The settings against one opponent, by ascending probability.
    pub(crate) fn against(opponent: Opponent) -> impl Iterator<Item = Self> {
        (0..=10).map(move |tenths| Self { opponent, tenths })
    }

    /// The probability of a mistake as text.
    pub(crate) fn mistakes(self) -> String {
        format!("{}.{}", self.tenths / 10, self.tenths % 10)
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} against {}", self.mistakes(), self.opponent.name())
    }
}

/// The players of one game.
pub(crate) struct Computers {
    pub(crate) name: String,
    start: DynGame,
}

impl Computers {
    /// The players of the game with this name, if it has a perfect one.
    pub(crate) fn of(name: &str) -> Result<Self, SpecError> {
        let start = Catalog::bundled().game(name)?;
        let name = start.name();
        let computers = Self { name, start };
        computers.player("perfect").map(|_| computers)
    }

    /// The default number of games of a match: some seconds to minutes.
    pub(crate) fn games(&self) -> u32 {
        // The moves of a board as small as that of tic-tac-toe are looked up.
        let is_looked_up = self.start.perft(7) < 200_000;
        if is_looked_up { 10_000 } else { 200 }
    }

    /// Plays the match of this setting; reproducible.
    pub(crate) fn play(
        &self,
        setting: Setting,
        games: u32,
        threads: NonZero<usize>,
        mut after_game: impl FnMut(),
    ) -> Result<MatchScore, SpecError> {
        let erring = format!("perfect(mistakes={})", setting.mistakes());
        let seed = u64::from(setting.tenths);
        let of = Match {
            start: self.start.clone(),
            a: Participant::new(2 * seed, self.player(&erring)?),
            b: Participant::new(2 * seed + 1, self.player(setting.opponent.name())?),
            games,
            openings: Openings::random(opening_plies(&self.name), 0),
            sprt: None,
        };
        let report = of.play(threads, &StopFlag::new(), |_, _| after_game());
        Ok(report.statistics.score)
    }

    fn player(&self, spec: &str) -> Result<PlayerFactory<'static, DynGame>, SpecError> {
        // None of them looks at it.
        let clock = Clock::new(|| Duration::ZERO);
        self.start.players(&spec.parse()?, clock)
    }
}

/// The number of random moves at the start of a game, to skip early positions whose
/// proofs take long.
pub(crate) fn opening_plies(name: &str) -> u32 {
    if name == "connect4" { 12 } else { 0 }
}
