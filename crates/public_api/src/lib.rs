//! Watches the public interfaces of the libraries: a test, and nothing else.
//!
//! It is a crate of its own so that the library need not have what the test
//! needs.
//!
//! The workspace's README is held to the library as well: its example is one of
//! this crate's documentation tests.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
