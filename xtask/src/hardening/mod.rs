//! What shows how good the tests are and what a release breaks: `cargo xtask mutants`,
//! `coverage` and `semver`. None of it is part of CI, because each takes long; docs/hardening.md
//! has the last results.

mod coverage;
mod mutants;
mod semver;

pub(crate) use coverage::coverage;
pub(crate) use mutants::mutants;
pub(crate) use semver::semver;
