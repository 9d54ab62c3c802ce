//! The files for hosts in `deploy/`. The tests behind proxies need nginx and HAProxy,
//! those of the alerts promtool; `cargo xtask test` installs them, plain `cargo test`
//! skips those tests.

mod monitoring;
mod proxies;
mod proxy;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of `deploy/`.
#[track_caller]
fn read(name: &str) -> String {
    let path = folder().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

/// A program, from the environment variable or from the path.
fn program(variable: &str, name: &str) -> OsString {
    env::var_os(variable).unwrap_or_else(|| name.into())
}
