//! The library as a program in C sees it.
#![expect(unsafe_code, reason = "the functions take pointers, as those of C do")]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue has failed, and says where"
)]

mod calls;
mod header;
mod network;
mod program;
mod safe;
