//! Reading the network files of players.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use open_ttt_catalog::PlayerSpec;
use open_ttt_nn::Network;

use crate::failure::{Failure, path_text};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The player with its network, if its specification names a file. `flag` is the
/// option with the specification.
pub(crate) fn load(flag: &str, spec: &PlayerSpec) -> Result<PlayerSpec, Failure> {
    let Some(file) = spec.network_file() else {
        return Ok(spec.clone());
    };
    let file = Path::new(file);
    let name = path_text(file);
    let bytes = read(file)
        .map_err(|error| Failure::failed(format_args!("{flag}: can't read {name}: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        let limit = MAX_BYTES >> 20;
        return Err(Failure::failed(format_args!(
            "{flag}: {name} is larger than {limit} MiB"
        )));
    }
    let network = Network::from_bytes(&bytes).map_err(|error| {
        Failure::failed(format_args!("{flag}: {name} isn't a network: {error}"))
    })?;
    Ok(spec.clone().with_network(Arc::new(network)))
}

/// The bytes of a file, cut off behind the limit.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
