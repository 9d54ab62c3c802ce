//! The small engine for regular expressions under the name of the fast one.
//!
//! Only the client of the message broker has regular expressions: for names, credentials and
//! versions, read once for a connection. The fast engine, with its tables of Unicode, would be
//! a thirtieth of the program.

pub use regex_lite::{Captures, Error, Match, Regex};
