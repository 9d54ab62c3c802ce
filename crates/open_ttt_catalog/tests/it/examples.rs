//! The examples that run to their end by themselves.

#[path = "../../examples/frames.rs"]
mod frames;

#[test]
fn frames() {
    frames::main().unwrap();
}
