//! The library as a program in C sees it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue has failed, and says where"
)]

mod header;
mod program;
