//! Tests of the public interface.

mod learner;
mod record;
mod run;
mod strip;
