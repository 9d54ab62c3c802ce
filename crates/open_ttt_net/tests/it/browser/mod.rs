//! Tests of the page in a browser. They need chromium and chromedriver, which
//! `cargo xtask test` installs; plain `cargo test` skips them.

mod boards;
mod driver;
mod identity;
mod lobby;
mod looks;
mod play;
mod player;
mod units;
mod window;
