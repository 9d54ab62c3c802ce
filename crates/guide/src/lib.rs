//! Holds the pages of the book to the code, and draws their pictures.
//!
//! The examples in Rust are this crate's documentation tests. Its other tests run the command
//! lines, and see that no block of code is left without a check.

pub mod pictures;

#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../../../docs/migration.md")]
    struct Migration;

    #[doc = include_str!("../../../docs/searches.md")]
    struct Searches;

    #[doc = include_str!("../../../docs/tour.md")]
    struct Tour;

    #[doc = include_str!("../../../docs/turns.md")]
    struct Turns;
}
