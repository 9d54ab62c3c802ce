//! The skeleton of a game of one's own. That it compiles and passes its tests shows the
//! example `mygame`, from which it is made.

use std::fs;
use std::path::Path;

use crate::program::{check_one_sentence, command, finish, run};
use crate::scratch::Scratch;

#[test]
fn a_skeleton_is_written() {
    let scratch = Scratch::new("new");
    let folder = scratch.path("tower");
    let output = run(["new", "tower", "--dir", &folder], "");
    assert!(output.starts_with("tower is in "), "{output}");
    let file = |name: &str| fs::read_to_string(format!("{folder}/{name}")).unwrap();
    assert_eq!(
        file("src/main.rs"),
        include_str!("../../examples/mygame/main.rs")
    );
    let game = include_str!("../../examples/mygame/game.rs");
    let game = game.replace("\"mygame\"", "\"tower\"");
    assert_eq!(
        file("src/game.rs"),
        game.replace("\"My game\"", "\"Tower\"")
    );
    let manifest = file("Cargo.toml");
    assert!(
        manifest.starts_with("[package]\nname = \"tower\"\n"),
        "{manifest}"
    );
    let library = format!("open_ttt = {{ path = {:?} }}\n", env!("CARGO_MANIFEST_DIR"));
    assert!(manifest.contains(&library), "{manifest}");
}

#[test]
fn nothing_is_overwritten() {
    let scratch = Scratch::new("new-again");
    let folder = scratch.path("tower");
    fs::create_dir_all(format!("{folder}/src")).unwrap();
    let kept = Path::new(&folder).join("src").join("game.rs");
    let kept = kept.display().to_string();
    fs::write(&kept, "mine").unwrap();
    let ran = finish(command(["new", "tower", "--dir", &folder]), "");
    let message = format!("open_ttt: \"{kept}\" exists already; name another folder with --dir\n");
    assert_eq!((ran.status, ran.stderr), (Some(2), message));
    assert_eq!(fs::read_to_string(&kept).unwrap(), "mine");
    assert!(!fs::exists(format!("{folder}/Cargo.toml")).unwrap());
}

#[test]
fn a_name_is_checked() {
    let ran = finish(command(["new", "My Game"]), "");
    assert_eq!(ran.status, Some(2));
    check_one_sentence(&ran.stderr);
    let message = "\"My Game\" can't be a name; it has 1 to 32 lower-case letters, digits and \
                   underscores and begins with a letter (see open_ttt new --help)\n";
    assert!(ran.stderr.ends_with(message), "{}", ran.stderr);
}
