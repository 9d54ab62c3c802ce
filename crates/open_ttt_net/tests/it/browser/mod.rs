//! Tests of the page in a browser. They need chromium, chromedriver and
//! axe-core, which `cargo xtask test` installs; plain `cargo test` skips them.

mod accessibility;
mod analysis;
mod boards;
mod coach;
mod driver;
mod ends;
mod identity;
mod lessons;
mod life;
mod lobby;
mod looks;
mod play;
mod player;
mod positions;
mod puzzles;
mod storage;
mod units;
mod window;
mod without_server;
