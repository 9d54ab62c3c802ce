//! Watches the public interfaces of the libraries: a test, and nothing else.
//!
//! It is a crate of its own so that the library need not have what the test
//! needs.
//!
//! The workspace's README and pages about the library are held to it as well: their
//! examples are this crate's documentation tests.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/turns.md")]
struct Turns;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/migration.md")]
struct Migration;
