use open_ttt_catalog::{Catalog, GameEntry};
use pyo3::prelude::*;

use crate::record::record;

/// A kind of game in the catalog.
#[pyclass(module = "open_ttt", frozen, get_all, eq)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameInfo {
    /// The key in names of games: `connect4`.
    key: String,
    /// The title in a menu.
    title: String,
    /// The rules in a few short lines.
    rules: String,
    /// The parameters that a name can have, as in `mnk(m=5,n=5,k=4)`.
    parameters: Vec<Parameter>,
}

/// A parameter of a game.
#[pyclass(module = "open_ttt", frozen, get_all, eq, from_py_object)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The name in `name=value`.
    name: String,
    /// What it means, as part of a sentence.
    meaning: String,
    /// The values that it can have: `3 to 20`, `0 or 1`.
    allowed: String,
    /// The value of a name without it.
    default: u32,
}

impl GameInfo {
    pub(crate) fn new(entry: &GameEntry) -> Self {
        let parameters = entry.parameters.iter().map(|parameter| Parameter {
            name: parameter.name.to_owned(),
            meaning: parameter.meaning.to_owned(),
            allowed: parameter.allowed.to_string(),
            default: parameter.default,
        });
        Self {
            key: entry.key.to_owned(),
            title: entry.title.to_owned(),
            rules: entry.rules.to_owned(),
            parameters: parameters.collect(),
        }
    }
}

record!(GameInfo {
    key: String,
    title: String,
    rules: String,
    parameters: Vec<Parameter>,
});
record!(Parameter {
    name: String,
    meaning: String,
    allowed: String,
    default: u32,
});

#[pymethods]
impl GameInfo {
    fn __repr__(&self) -> String {
        format!("GameInfo({})", self.key)
    }
}

#[pymethods]
impl Parameter {
    fn __repr__(&self) -> String {
        format!("Parameter({}={})", self.name, self.default)
    }
}

/// Every game of the catalog, in the order of a menu.
#[pyfunction]
pub(crate) fn games() -> Vec<GameInfo> {
    let catalog = Catalog::bundled();
    catalog.games().iter().map(GameInfo::new).collect()
}
