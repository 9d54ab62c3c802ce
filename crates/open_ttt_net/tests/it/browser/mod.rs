//! The page in a real browser. It takes chromium and chromedriver, which
//! `cargo xtask test` installs; plain `cargo test` leaves these tests out.

mod driver;
mod looks;
mod play;
mod player;
mod units;
mod window;
