//! The pages show what the program prints.

use std::env;
use std::path::Path;

#[test]
fn consoles_on_pages_show_what_the_program_prints() {
    let program = Path::new(env!("CARGO_BIN_EXE_open_ttt"));
    // For those commands that start the program again.
    let folders = env::var_os("PATH").unwrap_or_default();
    let first = program.parent().map(Path::to_owned);
    let folders = env::join_paths(first.into_iter().chain(env::split_paths(&folders))).unwrap();
    trycmd::TestCases::new()
        .register_bin("open_ttt", program)
        .env("PATH", folders.to_str().unwrap())
        .case("../../docs/engines.md")
        .case("../../docs/tour.md")
        .case("README.md");
}
