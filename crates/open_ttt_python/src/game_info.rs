use open_ttt_catalog::{Catalog, GameEntry};
use pyo3::prelude::*;

/// A kind of game in the catalog.
#[pyclass(module = "open_ttt", frozen)]
#[derive(Debug)]
pub(crate) struct GameInfo {
    /// The key in names of games: `connect4`.
    #[pyo3(get)]
    key: &'static str,
    /// The title in a menu.
    #[pyo3(get)]
    title: &'static str,
    /// The rules in a few short lines.
    #[pyo3(get)]
    rules: &'static str,
    /// The parameters that a name can have, as in `mnk(m=5,n=5,k=4)`.
    #[pyo3(get)]
    parameters: Vec<Py<Parameter>>,
}

/// A parameter of a game.
#[pyclass(module = "open_ttt", frozen)]
#[derive(Debug)]
pub(crate) struct Parameter {
    /// The name in `name=value`.
    #[pyo3(get)]
    name: &'static str,
    /// What it means, as part of a sentence.
    #[pyo3(get)]
    meaning: &'static str,
    /// The values that it can have: `3 to 20`, `0 or 1`.
    #[pyo3(get)]
    allowed: String,
    /// The value of a name without it.
    #[pyo3(get)]
    default: u32,
}

impl GameInfo {
    pub(crate) fn new(py: Python<'_>, entry: &GameEntry) -> PyResult<Self> {
        let parameters = entry.parameters.iter().map(|parameter| {
            let parameter = Parameter {
                name: parameter.name,
                meaning: parameter.meaning,
                allowed: parameter.allowed.to_string(),
                default: parameter.default,
            };
            Py::new(py, parameter)
        });
        Ok(Self {
            key: entry.key,
            title: entry.title,
            rules: entry.rules,
            parameters: parameters.collect::<PyResult<_>>()?,
        })
    }
}

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
pub(crate) fn games(py: Python<'_>) -> PyResult<Vec<GameInfo>> {
    let catalog = Catalog::bundled();
    let entries = catalog.games().iter();
    entries.map(|entry| GameInfo::new(py, entry)).collect()
}
