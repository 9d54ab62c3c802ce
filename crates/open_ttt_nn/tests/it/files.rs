//! Networks in files.

use open_ttt_lib::games::{ConnectFour, LineSet, Mnk, Pegs, TicTacToe};
use open_ttt_lib::rules::{Encode, Named};
use open_ttt_nn::safetensors::{Contents, FormatError, Precision, Tensor};
use open_ttt_nn::{ArchitectureError, Network, ReadError};

use super::randomized::randomized;

#[track_caller]
fn check_round_trip<G: Encode + Named>(game: &G, architecture: &str) {
    let network = Network::new(game, architecture.parse().unwrap(), u64::MAX).unwrap();
    let mut network = randomized(network, 4);
    network.card.games = 12_345;
    network.card.strength = "0 of 100 lines lost\n\"measured\" \\ \u{1F3B2} \u{1}".into();
    let bytes = network.to_bytes();
    let read = Network::from_bytes(&bytes).unwrap();
    assert_eq!(read, network);
    assert_eq!(read.card.seed, u64::MAX);
    assert_eq!(read.to_bytes(), bytes);
    assert_eq!(read.check_compatible(game), Ok(()));
}

#[test]
fn networks_round_trip() {
    check_round_trip(&TicTacToe::new(), "perceptron(hidden=24+16)");
    check_round_trip(
        &Pegs::with_lines(LineSet::ThirtyEight),
        "perceptron(hidden=)",
    );
    check_round_trip(&ConnectFour::new(), "residual(blocks=2,filters=12)");
}

#[test]
fn half_precision_takes_half_the_space_and_rounds() {
    let architecture = "residual(blocks=1,filters=16)".parse().unwrap();
    let network = Network::new(&ConnectFour::new(), architecture, 1).unwrap();
    let network = randomized(network, 4);
    let bytes = network.to_bytes_in(Precision::Half);
    assert!(bytes.len() < network.to_bytes().len() * 6 / 10);
    let read = Network::from_bytes(&bytes).unwrap();
    assert_eq!(read.card, network.card);
    let pairs = || read.parameters().iter().zip(network.parameters());
    // Half a unit of the last of eleven digits, or of the least number.
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= (b.abs() / 2048.0).max(1.0 / 33_554_432.0);
    assert!(pairs().all(near) && pairs().any(|(a, b)| (a - b).abs() > 0.0));
    assert_eq!(read.to_bytes_in(Precision::Half), bytes);
}

#[test]
fn another_game_is_refused() {
    let architecture = "perceptron(hidden=8)".parse().unwrap();
    let network = Network::new(&Pegs::new(), architecture, 1).unwrap();
    let other = Pegs::with_lines(LineSet::ThirtyEight);
    assert_eq!(
        network.check_compatible(&other).unwrap_err().to_string(),
        "the network is for \"pegs\", not \"pegs(lines=38)\""
    );
    let bytes = network.to_bytes();
    let changed = replaced(
        &bytes,
        b"encoding.version\":\"1\"",
        b"encoding.version\":\"2\"",
    );
    let changed = Network::from_bytes(&changed).unwrap();
    assert_eq!(
        changed
            .check_compatible(&Pegs::new())
            .unwrap_err()
            .to_string(),
        "the network reads positions as 6x3x5, 8 moves, version 2, but the game encodes them as \
         6x3x5, 8 moves, version 1"
    );
}

/// The bytes with `old` replaced by `new`, of the same length.
#[track_caller]
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut places = bytes.windows(old.len());
    let at = places.position(|window| window == old).unwrap();
    let mut changed = bytes.to_vec();
    changed[at..at + old.len()].copy_from_slice(new);
    changed
}

#[track_caller]
fn check_refused(old: &str, new: &str, expected: &ReadError, sentence: &str) {
    let architecture = "residual(blocks=1,filters=8)".parse().unwrap();
    let network = Network::new(&Mnk::new(4, 3, 3).unwrap(), architecture, 1).unwrap();
    let bytes = replaced(&network.to_bytes(), old.as_bytes(), new.as_bytes());
    let error = Network::from_bytes(&bytes).unwrap_err();
    assert_eq!(&error, expected);
    assert_eq!(error.to_string(), sentence);
}

#[test]
fn files_that_contradict_their_metadata() {
    check_refused(
        "open_ttt network 1",
        "open_ttt network 2",
        &ReadError::Metadata { key: "format" },
        "the file's metadata has no valid entry 'format'",
    );
    check_refused(
        "\"seed\"",
        "\"sead\"",
        &ReadError::Metadata { key: "seed" },
        "the file's metadata has no valid entry 'seed'",
    );
    check_refused(
        "encoding.rows\":\"3\"",
        "encoding.rows\":\"-\"",
        &ReadError::Metadata {
            key: "encoding.rows",
        },
        "the file's metadata has no valid entry 'encoding.rows'",
    );
    check_refused(
        "encoding.rows\":\"3\"",
        "encoding.rows\":\"0\"",
        &ReadError::Architecture(ArchitectureError::Encoding),
        "the game's board, planes or moves are too many for a network",
    );
    check_refused(
        "encoding.moves\":\"12\"",
        "encoding.moves\":\"11\"",
        &ReadError::Tensor {
            name: "policy.weight".into(),
        },
        "the file has no tensor 'policy.weight' of the shape that its architecture requires",
    );
    check_refused(
        "filters=8",
        "filters=9",
        &ReadError::Tensor {
            name: "stem.weight".into(),
        },
        "the file has no tensor 'stem.weight' of the shape that its architecture requires",
    );
    check_refused(
        "blocks=1",
        "blocks=0",
        &ReadError::TooManyTensors,
        "the file has tensors that belong to no layer",
    );
    check_refused(
        "residual(",
        "recurrent",
        &ReadError::Architecture(ArchitectureError::Text),
        "not a network architecture; expected, for example, perceptron(hidden=64+64) or \
         residual(blocks=4,filters=32)",
    );
    check_refused(
        "F32",
        "I32",
        &ReadError::Format(FormatError::ElementType { kind: "I32".into() }),
        "the file's tensors are \"I32\"; F32 and F16 are supported",
    );
}

#[test]
fn nan_and_infinity_are_refused() {
    let architecture = "perceptron(hidden=8)".parse().unwrap();
    let mut network = Network::new(&TicTacToe::new(), architecture, 1).unwrap();
    for number in [f32::NAN, f32::INFINITY] {
        network.update(|numbers| numbers[100] = number);
        let error = Network::from_bytes(&network.to_bytes()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the tensor 'hidden0.weight' has elements that are NaN or infinite"
        );
    }
}

/// A file written by the Python package `safetensors` 0.8: a matrix of two rows and a
/// vector of `float32`, with two entries of metadata.
const WRITTEN_ELSEWHERE: &[u8] =
    b"\xb0\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\":{\"about\":\"two \\\"rows\\\" \xc3\xa4\
    \\n\",\"n\":\"2\"},\"bias\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"w\
    eight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[4,28]}}     \x00\x00\xf0@\
    \x00\x00\x80?\x00\x00\x00\xbf\x00\x00P@\x00\x00\x00\x00o\x12\x83:\xf9\x02\x95P";

/// Another one by the same package, of `float16`.
const HALVES_WRITTEN_ELSEWHERE: &[u8] =
    b"`\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\":{\"about\":\"halves\"},\"row\":{\"dtype\":\"\
    F16\",\"shape\":[7],\"data_offsets\":[0,14]}}     \x00<\x00\xb8\xff{f.\x01\x00HB\x00\x00";

#[test]
fn halves_written_by_another_program() {
    let contents = Contents::from_bytes(HALVES_WRITTEN_ELSEWHERE).unwrap();
    let row = [
        1.0,
        -0.5,
        65_504.0,
        0.099_975_586,
        5.960_464_5e-8,
        3.140_625,
        0.0,
    ];
    assert_eq!(contents.tensors[0].numbers, row);
    assert_eq!(
        contents.to_bytes_in(Precision::Half),
        HALVES_WRITTEN_ELSEWHERE
    );
}

#[test]
fn a_file_written_by_another_program() {
    let contents = Contents::from_bytes(WRITTEN_ELSEWHERE).unwrap();
    assert_eq!(contents.text("about"), Some("two \"rows\" \u{e4}\n"));
    assert_eq!(contents.text("n"), Some("2"));
    assert_eq!(contents.text("m"), None);
    let tensor = |name| contents.tensors.iter().find(|tensor| tensor.name == name);
    assert_eq!(contents.tensors.len(), 2);
    assert_eq!(
        tensor("weight"),
        Some(&Tensor {
            name: "weight".into(),
            shape: vec![2, 3],
            numbers: vec![1.0, -0.5, 3.25, 0.0, 1e-3, 2e10],
        })
    );
    assert_eq!(
        tensor("bias").map(|bias| &bias.numbers[..]),
        Some(&[7.5][..])
    );
}
