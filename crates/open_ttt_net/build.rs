//! Compresses the files of the server's page, which are sent so and take less of the program.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "server")]
    page::compress().expect("the page is compressed");
}

#[cfg(feature = "server")]
mod page {
    use std::path::Path;
    use std::{env, fs, io};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    /// Writes each file with gzip, its name followed by `.gz`.
    pub(super) fn compress() -> io::Result<()> {
        println!("cargo::rerun-if-changed=page");
        let folder = env::var("OUT_DIR").map_err(io::Error::other)?;
        for entry in fs::read_dir("page")? {
            let entry = entry?;
            let name = format!("{}.gz", entry.file_name().display());
            let to = fs::File::create(Path::new(&folder).join(name))?;
            let mut encoder = GzEncoder::new(to, Compression::best());
            io::copy(&mut fs::File::open(entry.path())?, &mut encoder)?;
            encoder.finish()?;
        }
        Ok(())
    }
}
