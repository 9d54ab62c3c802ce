//! The image of a position that stands for all its images.

use std::fmt::Debug;

use open_ttt_lib::games::{ConnectFour, Qubic, Reversi, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{CompactKey, Symmetry, TwoPlayerGame};

/// The transform leads to the image with the smallest key, of all that there are.
#[track_caller]
fn check<G: TwoPlayerGame + Symmetry + CompactKey + PartialEq + Debug>(start: &G) {
    let mut rng = Rng::new(7);
    let mut position = start.clone();
    while let Some(m) = rng.pick(position.moves()) {
        position.play_unchecked(m);
        let images = position.symmetries().iter();
        let keys = images.map(|&transform| position.image(transform).key());
        let transform = position.canonical_transform().expect("a symmetry");
        let canonical = position.image(transform);
        assert_eq!(Some(canonical.key()), keys.min());
        assert_eq!(canonical, position.canonical());
    }
}

#[test]
fn a_position_has_a_transform_to_its_canonical_image() {
    check(&TicTacToe::new());
    check(&ConnectFour::new());
    check(&Qubic::new());
    check(&Reversi::new());
}
