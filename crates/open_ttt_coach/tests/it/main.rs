//! Tests of values, hints and reviews through the public interface.

mod hints;
mod judges;
mod minimax;
mod positions;
mod puzzles;
mod reviews;
