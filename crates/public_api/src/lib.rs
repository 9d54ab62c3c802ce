//! Watches the public interface of `open_ttt_lib`: a test, and nothing else.
//!
//! It is a crate of its own so that the library need not have what the test
//! needs.
