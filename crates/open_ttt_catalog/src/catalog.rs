use core::ptr::fn_addr_eq;
use std::sync::Arc;

use super::{CatalogGame, DynGame};
use open_ttt_lib::rules::{Parameter, Spec, SpecError, quoted};

/// The games that a program knows, by name.
///
/// A catalog is a value: a program makes one, adds games of its own and hands it to
/// whatever finds games by name. Clones are cheap.
///
/// ```
/// use open_ttt_catalog::Catalog;
/// use open_ttt_lib::games::{ConnectFour, Pegs};
///
/// let catalog = Catalog::empty().with::<Pegs>().with::<ConnectFour>();
/// assert_eq!(catalog.game("pegs(lines=38)")?.entry().title, "Eight pegs");
/// assert_eq!(
///     catalog.game("chess").unwrap_err().to_string(),
///     r#"unknown game "chess"; expected pegs, connect4"#,
/// );
/// # Ok::<(), open_ttt_lib::rules::SpecError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Catalog {
    entries: Arc<[GameEntry]>,
}

/// A kind of game in a catalog.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GameEntry {
    /// The key in names of games.
    pub key: &'static str,
    /// The title in a menu.
    pub title: &'static str,
    /// The rules in a few short lines.
    pub rules: &'static str,
    /// The parameters of the game.
    pub parameters: &'static [Parameter],
    start: fn(&Spec) -> Result<DynGame, SpecError>,
}

impl GameEntry {
    /// Whether both are the same game of the same program, and not one that has taken the
    /// other's key.
    pub fn is_same(&self, other: &Self) -> bool {
        self.key == other.key && fn_addr_eq(self.start, other.start)
    }
}

impl Catalog {
    /// A catalog without games.
    pub fn empty() -> Self {
        Self {
            entries: Arc::default(),
        }
    }

    /// The catalog with one more kind of game, the last in a menu.
    ///
    /// A game with the key of an earlier one takes its place: a game of your own can
    /// replace a bundled one. A key that names can't contain, such as `My game`,
    /// doesn't compile.
    #[must_use]
    pub fn with<G: CatalogGame>(self) -> Self {
        const {
            assert!(
                is_key(G::KEY),
                "a key is one or more lower-case letters, digits and underscores"
            );
        }
        let mut entries = self.entries.to_vec();
        let entry = GameEntry::of::<G>();
        match entries.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => *known = entry,
            None => entries.push(entry),
        }
        Self {
            entries: entries.into(),
        }
    }

    /// Every kind of game, in the order of a menu.
    pub fn games(&self) -> &[GameEntry] {
        &self.entries
    }

    /// The start position of the game with this name: a key, and any parameters that
    /// aren't at their defaults.
    ///
    /// # Errors
    ///
    /// [`SpecError`] says what is wrong with the name and what is allowed.
    pub fn game(&self, name: &str) -> Result<DynGame, SpecError> {
        let spec: Spec = name.parse()?;
        let entry = self.entries.iter().find(|entry| entry.key == spec.name);
        let entry = entry.ok_or_else(|| SpecError::UnknownName {
            name: format!("game {}", quoted(&spec.name)),
            allowed: self.keys().map(str::to_owned).collect(),
        })?;
        (entry.start)(&spec)
    }

    /// The key of every kind of game, in the order of a menu.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|entry| entry.key)
    }
}

impl GameEntry {
    pub(super) const fn of<G: CatalogGame>() -> Self {
        Self {
            key: G::KEY,
            title: G::TITLE,
            rules: G::RULES,
            parameters: G::PARAMETERS,
            start: |spec| G::from_spec(spec).map(DynGame::new),
        }
    }
}

/// Whether a [`Spec`] can have this name.
const fn is_key(key: &str) -> bool {
    let mut rest = key.as_bytes();
    while let [byte, tail @ ..] = rest {
        if !matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_') {
            return false;
        }
        rest = tail;
    }
    !key.is_empty()
}
