//! The header says what the library has.

use std::env;
use std::fs;
use std::path::Path;

use cbindgen::{Builder, EnumConfig, Language, RenameRule};

/// The header that belongs to the sources.
fn generated() -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    let enumeration = EnumConfig {
        rename_variants: RenameRule::QualifiedScreamingSnakeCase,
        ..EnumConfig::default()
    };
    let mut config = cbindgen::Config {
        enumeration,
        ..cbindgen::Config::default()
    };
    config.documentation_style = cbindgen::DocumentationStyle::C99;
    let mut builder = Builder::new()
        .with_config(config)
        .with_language(Language::C)
        .with_cpp_compat(true)
        .with_include_guard("OPEN_TTT_H")
        .with_header(
            "// Two-player games, computer players and analysis.\n//\n\
             // Written by cbindgen from the sources of open_ttt_c, whose README has an example.",
        );
    for source in [
        "error", "text", "games", "value", "game", "network", "player",
    ] {
        builder = builder.with_src(Path::new(folder).join(format!("src/{source}.rs")));
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    String::from_utf8(header).unwrap()
}

#[test]
fn the_header_is_that_of_the_sources() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/include/open_ttt.h");
    let generated = generated();
    if env::var_os("UPDATE").is_some() {
        fs::write(path, &generated).unwrap();
    }
    assert_eq!(
        fs::read_to_string(path).unwrap(),
        generated,
        "UPDATE=1 writes it"
    );
}
