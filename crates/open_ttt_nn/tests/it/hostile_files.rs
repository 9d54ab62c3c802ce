//! Files that somebody made up or that were damaged on the way.

use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::random::Rng;
use open_ttt_nn::safetensors::{Contents, FormatError, Tensor};
use open_ttt_nn::{Network, ReadError};

fn file(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.resize(bytes.len() + data, 0);
    bytes
}

#[track_caller]
fn check(header: &str, data: usize, expected: &FormatError) {
    let read = Contents::from_bytes(&file(header, data));
    assert_eq!(read.as_ref(), Err(expected), "{header:.200}");
}

#[test]
fn the_empty_contents() {
    assert_eq!(
        Contents::from_bytes(&file("{}", 0)),
        Ok(Contents::default())
    );
    assert_eq!(
        Contents::from_bytes(&file(" { } \n\t", 0)),
        Ok(Contents::default())
    );
}

#[test]
fn headers_longer_than_the_file() {
    for bytes in [
        &b""[..],
        b"\x02",
        b"\x02\0\0\0\0\0\0",
        b"\x03\0\0\0\0\0\0\0{}",
    ] {
        assert_eq!(Contents::from_bytes(bytes), Err(FormatError::TooShort));
    }
    for length in [u64::MAX, u64::MAX / 2, 1 << 40] {
        let mut bytes = file("{}", 100);
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        assert_eq!(Contents::from_bytes(&bytes), Err(FormatError::TooShort));
    }
    let long = format!("{{{}}}", " ".repeat(1 << 20));
    check(&long, 0, &FormatError::Header);
}

#[test]
fn malformed_headers() {
    for header in [
        "",
        "{",
        "}",
        "[]",
        "{}x",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1}",
        "{\"a\":{}}",
        "{\"a\":{},}",
        "{\"a:{}}",
        "{\"__metadata__\":{\"a\":1}}",
        "{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}",
        "{\"__metadata__\":{},\"__metadata__\":{}}",
        "{\"__metadata__\":{\"a\":\"\\ud800\"}}",
        "{\"__metadata__\":{\"a\":\"\\ud800\\u0041\"}}",
        "{\"__metadata__\":{\"a\":\"\\udc00\"}}",
        "{\"__metadata__\":{\"a\":\"\\u12\"}}",
        "{\"__metadata__\":{\"a\":\"\\u+123\"}}",
        "{\"__metadata__\":{\"a\":\"\\x\"}}",
        "{\"__metadata__\":{\"a\":\"\n\"}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[01],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,99999999999999999999]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[1],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"more\":[]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\
          \"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
    ] {
        check(header, 4, &FormatError::Header);
    }
    let deep = "{\"a\":".repeat(100_000);
    check(&deep, 0, &FormatError::Header);
    let mut bytes = file("{\"__metadata__\":{\"a\":\"x\"}}", 0);
    bytes[8 + 22] = 0xFF;
    assert_eq!(Contents::from_bytes(&bytes), Err(FormatError::Header));
}

#[test]
fn tensors_that_do_not_fill_the_file() {
    let tensor = |name: &str, shape: &str, begin: u64, end: u64| {
        format!(
            "\"{name}\":{{\"dtype\":\"F32\",\"shape\":[{shape}],\"data_offsets\":[{begin},{end}]}}"
        )
    };
    let largest = u64::MAX.to_string();
    for (tensors, data) in [
        (vec![tensor("a", "1", 0, 4)], 3),
        (vec![tensor("a", "1", 0, 4)], 5),
        (vec![tensor("a", "2", 0, 4)], 4),
        (vec![tensor("a", "1", 4, 8)], 8),
        (vec![tensor("a", "1", 4, 0)], 4),
        (vec![tensor("a", "1", 0, u64::MAX)], 4),
        (vec![tensor("a", &largest, 0, 4)], 4),
        (vec![tensor("a", "4611686018427387904", 0, 0)], 0),
        (vec![tensor("a", "4294967296,4294967296", 0, 0)], 0),
        // One over the other, and a gap between.
        (vec![tensor("a", "2", 0, 8), tensor("b", "1", 4, 8)], 8),
        (vec![tensor("a", "1", 0, 4), tensor("b", "1", 0, 4)], 8),
        (vec![tensor("a", "1", 0, 4), tensor("b", "1", 8, 12)], 12),
    ] {
        let header = format!("{{{}}}", tensors.join(","));
        check(&header, data, &FormatError::Offsets);
    }
    // In any order, and of nothing.
    for (tensors, data) in [
        (vec![tensor("a", "1", 4, 8), tensor("b", "1", 0, 4)], 8),
        (vec![tensor("a", "", 0, 4)], 4),
        (vec![tensor("a", "0", 0, 0), tensor("b", "7,0", 0, 0)], 0),
    ] {
        let header = format!("{{{}}}", tensors.join(","));
        let read = Contents::from_bytes(&file(&header, data)).unwrap();
        assert_eq!(read.tensors.len(), tensors.len());
    }
}

#[test]
fn metadata_that_claims_more_than_the_file_has() {
    // A network of a quarter of a gigabyte, in a file of 500 bytes.
    let mut texts = Vec::new();
    for (key, text) in [
        ("format", "open_ttt network 1"),
        ("game", "ttt"),
        ("encoding.version", "1"),
        ("encoding.planes", "4096"),
        ("encoding.rows", "64"),
        ("encoding.columns", "64"),
        ("encoding.moves", "3000"),
        ("architecture", "residual(blocks=64,filters=100)"),
        ("seed", "1"),
        ("games", "1"),
        ("strength", ""),
    ] {
        texts.push((key.into(), text.into()));
    }
    let contents = Contents {
        metadata: texts,
        tensors: Vec::<Tensor>::new(),
    };
    let read = Network::from_bytes(&contents.to_bytes());
    let name = "stem.weight".into();
    assert_eq!(read, Err(ReadError::Tensor { name }));
}

#[test]
fn damaged_files_are_refused_or_valid() {
    let architecture = "perceptron(hidden=3)".parse().unwrap();
    let network = Network::new(&TicTacToe::new(), architecture, 1).unwrap();
    let bytes = network.to_bytes();
    for length in 0..bytes.len() {
        assert!(
            Network::from_bytes(&bytes[..length]).is_err(),
            "{length} bytes"
        );
    }
    let header = bytes.len() - 4 * network.parameters().len();
    let mut rng = Rng::new(6);
    let mut refused = 0;
    for _ in 0..20_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(header);
            match rng.below(3) {
                0 => damaged[at] ^= 1 << rng.below(8),
                1 => damaged[at] = b"{}[]\",:0129\\"[rng.below(12)],
                _ => {
                    let from = rng.below(header);
                    damaged[at] = bytes[from];
                }
            }
        }
        match Network::from_bytes(&damaged) {
            Err(error) => {
                let sentence = error.to_string();
                assert!(
                    sentence.len() < 200 && !sentence.contains(char::is_control),
                    "{sentence:?}"
                );
                refused += 1;
            }
            Ok(read) => assert_eq!(read.parameters().len(), network.parameters().len()),
        }
    }
    assert!(refused > 15_000, "{refused} were refused");
}
