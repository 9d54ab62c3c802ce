//! The examples that run to their end by themselves.

#[path = "../../examples/frames.rs"]
mod frames;

#[test]
fn frames() {
    frames::main().unwrap();
}

#[path = "../../examples/same_everywhere.rs"]
mod same_everywhere;

#[test]
fn the_answers_are_the_same_everywhere() {
    if std::env::var_os("UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/same_everywhere.txt");
        std::fs::write(path, same_everywhere::answers().unwrap()).unwrap();
    } else {
        same_everywhere::main().unwrap();
    }
}
