use std::env;
use std::fs;
use std::path::Path;

use guide::pictures::PICTURES;

/// With `UPDATE` in the environment the pictures are written instead.
#[test]
fn the_pictures_show_what_the_searches_do() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images/searches");
    for picture in &PICTURES {
        let path = folder.join(picture.name).with_extension("svg");
        let drawn = (picture.draw)();
        if env::var_os("UPDATE").is_some() {
            fs::write(&path, drawn).expect("a file that can be written");
        } else {
            let kept = fs::read_to_string(&path).expect("the picture");
            let name = picture.name;
            assert_eq!(
                drawn, kept,
                "{name}: UPDATE=1 cargo test -p guide draws it anew"
            );
        }
    }
}
