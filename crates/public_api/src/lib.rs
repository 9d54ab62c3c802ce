//! Watches the public interfaces of the libraries: a test, and nothing else.
//!
//! It is a crate of its own so that the library need not have what the test
//! needs.
