//! The corpora of the fuzz targets, and what mutations make of them.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue has failed, and says where"
)]

#[path = "../../../open_ttt_net/tests/it/untrusted_input/mutation.rs"]
mod mutation;

use std::fs;
use std::path::Path;

use open_ttt_lib::random::Rng;
use untrusted_input::INPUTS;

use self::mutation::{mutated, noise};

/// How many mutations of a corpus are tried.
const MUTATIONS: usize = 100;

/// The files in a folder of the fuzz targets, in the order of their names.
fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz")
        .join(folder);
    let entries = fs::read_dir(&folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let read = entries.map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read(path).unwrap_or_default())
    });
    let mut files: Vec<_> = read.collect();
    files.sort();
    files
}

#[test]
fn every_kind_of_input_has_a_fuzz_target() {
    let targets = files("fuzz_targets").into_iter().map(|(name, _)| name);
    let inputs = INPUTS.iter().map(|(name, _)| format!("{name}.rs"));
    assert_eq!(targets.collect::<Vec<_>>(), inputs.collect::<Vec<_>>());
}

#[test]
fn what_fuzzing_has_found_is_accepted_or_refused() {
    for (name, accepts) in INPUTS {
        let corpus = files(&format!("corpus/{name}"));
        let size: usize = corpus.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(corpus.len() <= 20 && size <= 15_000, "{name} has grown");
        let accepted = corpus.iter().filter(|(_, bytes)| accepts(bytes)).count();
        assert!(accepted > 0, "{name}: nothing is accepted");
        let samples: Vec<_> = corpus.into_iter().map(|(_, bytes)| bytes).collect();
        let mut rng = Rng::new(1);
        for _ in 0..MUTATIONS {
            accepts(&mutated(&samples, &mut rng));
            accepts(&noise(&mut rng));
        }
    }
}
