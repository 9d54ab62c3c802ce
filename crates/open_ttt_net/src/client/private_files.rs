use std::fs::{DirBuilder, OpenOptions};

/// Makes folders that only their owner can look into, with those above them. Where a
/// system has no such permissions, ordinary ones.
pub fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Opens a file for reading and writing that only its owner can read, if it is made. Where
/// a system has no such permissions, an ordinary one.
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
