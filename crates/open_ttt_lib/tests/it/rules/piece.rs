//! Pieces as they are drawn.

use open_ttt_lib::rules::{Piece, Shape, Side};

#[test]
fn marks_have_their_shapes() {
    for (mark, shape) in [
        ("X", Shape::Cross),
        ("O", Shape::Ring),
        ("R", Shape::Disc),
        ("", Shape::Disc),
    ] {
        assert_eq!(Piece::neutral(mark).shape, shape, "{mark}");
        assert_eq!(Piece::neutral(mark).side, None);
        let piece = Piece::new(Side::Second, mark);
        assert_eq!(
            (piece.shape, piece.side),
            (shape, Some(Side::Second)),
            "{mark}"
        );
    }
}
