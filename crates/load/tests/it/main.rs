//! Integration tests of the load generator.
#![expect(
    clippy::unwrap_used,
    reason = "a panic fails the test at the right line"
)]

mod output;
