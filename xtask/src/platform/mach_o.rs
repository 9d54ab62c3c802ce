//! What can be known of a program for macOS without starting it.

use sha2::{Digest, Sha256};

/// A program or library in the format Mach-O, for a processor of 64 bits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MachO {
    /// The lowest version of macOS that starts it, as in `(11, 0)`.
    pub(super) lowest_version: (u16, u8),
    /// The paths of the libraries that it is linked with.
    pub(super) libraries: Vec<String>,
}

/// Begins a file in the byte order of the processors.
const MAGIC: u32 = 0xfeed_facf;
/// Where the load commands begin.
const HEADER: usize = 32;

const LOAD_LIBRARY: u32 = 0xc;
const CODE_SIGNATURE: u32 = 0x1d;
const BUILD_VERSION: u32 = 0x32;

const SIGNATURE_MAGIC: u32 = 0xfade_0cc0;
const DIRECTORY_MAGIC: u32 = 0xfade_0c02;
/// The kind of hash in a directory.
const SHA_256: u8 = 2;
const SHA_256_BYTES: usize = 32;

impl MachO {
    /// Reads a file, and checks what macOS checks on Apple's processors before it starts it:
    /// that it is signed, and that every page has the hash in its signature.
    pub(super) fn read(file: &[u8]) -> Result<Self, String> {
        if little(file, 0)? != MAGIC {
            return Err("not a file for macOS".to_owned());
        }
        let (mut lowest_version, mut signature) = (None, None);
        let mut libraries = Vec::new();
        let mut at = HEADER;
        for _ in 0..little(file, 16)? {
            let length = little(file, at + 4)? as usize;
            let command = file.get(at..at + length).ok_or_else(cut_off)?;
            match little(command, 0)? {
                LOAD_LIBRARY => {
                    let path = command.get(little(command, 8)? as usize..);
                    let path = path.ok_or_else(cut_off)?.split(|&byte| byte == 0);
                    let path = path.map(String::from_utf8_lossy).next();
                    libraries.extend(path.map(String::from));
                }
                BUILD_VERSION => {
                    let version = little(command, 12)?;
                    lowest_version = Some(((version >> 16) as u16, (version >> 8) as u8));
                }
                CODE_SIGNATURE => signature = Some(little(command, 8)? as usize),
                _ => {}
            }
            at += length;
        }
        check_signature(file, signature.ok_or("the program isn't signed")?)?;
        Ok(Self {
            lowest_version: lowest_version.ok_or("the program names no version of macOS")?,
            libraries,
        })
    }
}

/// Checks a signature: an index, and among what it lists a directory with the hash of each
/// page of what comes before the signature.
fn check_signature(file: &[u8], start: usize) -> Result<(), String> {
    let signature = file.get(start..).ok_or_else(cut_off)?;
    if big(signature, 0)? != SIGNATURE_MAGIC {
        return Err("the signature is damaged".to_owned());
    }
    let parts = (0..big(signature, 8)? as usize).map(|part| {
        let place = big(signature, 12 + 8 * part + 4)? as usize;
        signature.get(place..).ok_or_else(cut_off)
    });
    for part in parts {
        let part = part?;
        if big(part, 0)? == DIRECTORY_MAGIC {
            return check_pages(&file[..start], part);
        }
    }
    Err("the signature has no hashes".to_owned())
}

fn check_pages(signed: &[u8], directory: &[u8]) -> Result<(), String> {
    let (hashes, pages) = (big(directory, 16)? as usize, big(directory, 28)? as usize);
    let kind = directory.get(36..40).ok_or_else(cut_off)?;
    let page_bytes = 1_usize.checked_shl(kind[3].into()).ok_or_else(cut_off)?;
    let are_all =
        big(directory, 32)? as usize == signed.len() && signed.len().div_ceil(page_bytes) == pages;
    if kind[..2] != [SHA_256_BYTES as u8, SHA_256] || !are_all {
        return Err("the signature isn't of the whole program, by SHA-256".to_owned());
    }
    let hashes = directory.get(hashes..).ok_or_else(cut_off)?;
    let mut hashes = hashes.chunks_exact(SHA_256_BYTES);
    let is_page = |page| hashes.next() == Some(Sha256::digest(page).as_slice());
    let are_pages = signed.chunks(page_bytes).all(is_page);
    let changed = || "the program was changed after it was signed".to_owned();
    are_pages.then_some(()).ok_or_else(changed)
}

fn little(bytes: &[u8], at: usize) -> Result<u32, String> {
    word(bytes, at).map(u32::from_le_bytes)
}

fn big(bytes: &[u8], at: usize) -> Result<u32, String> {
    word(bytes, at).map(u32::from_be_bytes)
}

fn word(bytes: &[u8], at: usize) -> Result<[u8; 4], String> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    word.copied().ok_or_else(cut_off)
}

fn cut_off() -> String {
    "the program ends too soon".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &[u8; 28] = b"/usr/lib/libSystem.B.dylib\0\0";
    const PAGE_BITS: u8 = 6;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A program of three commands and a few pages.
    fn unsigned() -> Vec<u8> {
        let build = words(&[BUILD_VERSION, 24, 1, 11 << 16 | 3 << 8, 0, 0]);
        let mut load = words(&[LOAD_LIBRARY, 24 + PATH.len() as u32, 24, 0, 0, 0]);
        load.extend(PATH);
        let sign = |start| words(&[CODE_SIGNATURE, 16, start, 0]);
        let length = HEADER + build.len() + load.len() + sign(0).len() + 100;
        let header = words(&[MAGIC, 0x0100_000c, 0, 2, 3, 0, 0, 0]);
        [header, build, load, sign(length as u32), vec![7; 100]].concat()
    }

    fn signed() -> Vec<u8> {
        let mut file = unsigned();
        let pages = file.chunks(1 << PAGE_BITS);
        let counts = [0, 44, 0, 0, pages.len() as u32, file.len() as u32];
        let mut signature: Vec<u32> = vec![SIGNATURE_MAGIC, 0, 1, 0, 20];
        signature.extend([DIRECTORY_MAGIC, 0, 0, 0, 40].iter().chain(&counts[2..]));
        let mut signature: Vec<u8> = signature
            .iter()
            .flat_map(|word| word.to_be_bytes())
            .collect();
        signature.extend([SHA_256_BYTES as u8, SHA_256, 0, PAGE_BITS]);
        for page in pages {
            signature.extend(Sha256::digest(page));
        }
        file.extend(signature);
        file
    }

    #[track_caller]
    fn check_refused(file: &[u8], expected: &str) {
        let error = MachO::read(file).expect_err("it is refused");
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn the_libraries_and_the_lowest_version_are_read() {
        let expected = MachO {
            lowest_version: (11, 3),
            libraries: vec!["/usr/lib/libSystem.B.dylib".to_owned()],
        };
        assert_eq!(MachO::read(&signed()), Ok(expected));
    }

    #[test]
    fn a_program_that_macos_would_not_start_is_refused() {
        check_refused(b"\x7fELF and so on", "not a file for macOS");
        let file = unsigned();
        check_refused(&file, "too soon");
        let mut other = file.clone();
        let sign = file.len() - 100 - 16;
        other[sign] = 0;
        check_refused(&other, "isn't signed");
        for place in [0, HEADER + 12, file.len() - 1] {
            let mut changed = signed();
            changed[place] ^= 1;
            assert!(MachO::read(&changed).is_err(), "{place}");
        }
        let mut changed = signed();
        changed[file.len() - 1] ^= 1;
        check_refused(&changed, "changed after it was signed");
    }

    #[test]
    fn no_beginning_of_a_program_is_accepted() {
        let file = signed();
        for length in 0..file.len() {
            assert!(MachO::read(&file[..length]).is_err(), "{length}");
        }
    }
}
