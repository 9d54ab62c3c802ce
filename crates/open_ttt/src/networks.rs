//! The networks of learned players, from their files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use open_ttt_catalog::PlayerSpec;
use open_ttt_nn::Network;

use crate::failure::{Failure, shown};

/// The largest file that is read, in bytes: far larger than what plays at a
/// bearable speed.
const LARGEST: u64 = 64 << 20;

/// The player with its network, if that is in a file; `flag` is what asked for it.
pub(crate) fn given(flag: &str, spec: &PlayerSpec) -> Result<PlayerSpec, Failure> {
    let Some(file) = spec.network_file() else {
        return Ok(spec.clone());
    };
    let file = Path::new(file);
    let name = shown(file);
    let bytes = read(file)
        .map_err(|error| Failure::failed(format_args!("{flag}: {name} cannot be read: {error}")))?;
    if bytes.len() as u64 > LARGEST {
        let most = LARGEST >> 20;
        return Err(Failure::failed(format_args!(
            "{flag}: {name} is larger than the {most} MiB that are read"
        )));
    }
    let network = Network::from_bytes(&bytes)
        .map_err(|error| Failure::failed(format_args!("{flag}: {name} is no network: {error}")))?;
    Ok(spec.clone().with_network(Arc::new(network)))
}

/// The bytes of a file, one too many if it is too large.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
