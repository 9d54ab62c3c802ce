use std::collections::BTreeMap;
use std::ffi::c_char;
use std::sync::{Arc, Mutex, PoisonError};

use open_ttt_catalog::PlayerSpec;
use open_ttt_nn::Network;

use crate::error::Failure;
use crate::text::take_bytes;

/// The networks that have been given, by name.
static NETWORKS: Mutex<BTreeMap<String, Arc<Network>>> = Mutex::new(BTreeMap::new());

/// The most networks that are kept.
const MAX_NETWORKS: usize = 1_000;

/// Gives players `"net:NAME"` the network in these bytes, those of a file that
/// `open_ttt train` has written. A network of the same name before it is replaced, for players
/// made from now on. At most a thousand are kept. Returns false on an error.
///
/// # Safety
///
/// `name` is a text, and `bytes` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_network_add(
    name: *const c_char,
    bytes: *const u8,
    length: usize,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        take_bytes(name, bytes, length, |name, bytes| {
            let network = Network::from_bytes(bytes).map_err(Failure::new)?;
            let mut networks = NETWORKS.lock().unwrap_or_else(PoisonError::into_inner);
            if networks.len() >= MAX_NETWORKS && !networks.contains_key(name) {
                return Err(Failure::new("there are too many networks"));
            }
            networks.insert(name.to_owned(), Arc::new(network));
            Ok(())
        })
    }
}

/// The player with the network that has been given under its name, if it is one of those.
pub(crate) fn with_network(spec: PlayerSpec) -> PlayerSpec {
    let networks = NETWORKS.lock().unwrap_or_else(PoisonError::into_inner);
    let network = spec.network_file().and_then(|name| networks.get(name));
    match network.cloned() {
        Some(network) => spec.with_network(network),
        None => spec,
    }
}
