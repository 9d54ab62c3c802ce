//! The pages show what the program prints.

#[test]
fn consoles_on_pages_show_what_the_program_prints() {
    trycmd::TestCases::new()
        .register_bin(
            "open_ttt",
            std::path::Path::new(env!("CARGO_BIN_EXE_open_ttt")),
        )
        .case("../../docs/tour.md")
        .case("README.md");
}
