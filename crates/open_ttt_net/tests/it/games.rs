//! The bundled games by name.

use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_lib::rules::SpecError;

pub(crate) fn find(name: &str) -> Result<DynGame, SpecError> {
    Catalog::bundled().game(name)
}
