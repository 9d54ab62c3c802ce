//! Compresses the puzzles, which take less of a program so.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "puzzles")]
    puzzles::compress().expect("the puzzles are compressed");
}

#[cfg(feature = "puzzles")]
mod puzzles {
    use std::path::Path;
    use std::{env, fs, io};

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    /// Writes each file with Deflate, its name followed by `.deflate`; not for a browser's
    /// module, which is compressed as a whole.
    pub(super) fn compress() -> io::Result<()> {
        if env::var_os("CARGO_CFG_OPEN_TTT_SMALL").is_some() {
            return Ok(());
        }
        println!("cargo::rerun-if-changed=puzzles");
        let folder = env::var("OUT_DIR").map_err(io::Error::other)?;
        for entry in fs::read_dir("puzzles")? {
            let entry = entry?;
            let name = format!("{}.deflate", entry.file_name().display());
            let to = fs::File::create(Path::new(&folder).join(name))?;
            let mut encoder = DeflateEncoder::new(to, Compression::best());
            io::copy(&mut fs::File::open(entry.path())?, &mut encoder)?;
            encoder.finish()?;
        }
        Ok(())
    }
}
