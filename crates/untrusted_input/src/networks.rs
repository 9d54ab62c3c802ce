//! Files of networks.

use open_ttt_nn::Network;
use open_ttt_nn::safetensors::Contents;

pub(crate) fn network(bytes: &[u8]) -> bool {
    let Ok(contents) = Contents::from_bytes(bytes) else {
        assert!(Network::from_bytes(bytes).is_err());
        return false;
    };
    // As bytes: what isn't a number isn't equal to itself.
    let written = contents.to_bytes();
    let read = Contents::from_bytes(&written).expect("written contents can be read");
    assert_eq!(read.to_bytes(), written);
    let Ok(network) = Network::from_bytes(bytes) else {
        return false;
    };
    let written = network.to_bytes();
    let read = Network::from_bytes(&written).expect("a written network can be read");
    assert_eq!(read.to_bytes(), written);
    true
}
