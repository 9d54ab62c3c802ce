//! The tests of the book.

mod blocks;
mod pictures;
