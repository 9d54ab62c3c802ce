/// The numbers of the bits that are set in a board, from the lowest.
pub(super) fn bits(board: impl Into<u64>) -> impl Iterator<Item = u8> {
    let mut rest = board.into();
    core::iter::from_fn(move || {
        let lowest = rest.trailing_zeros() as u8;
        (rest != 0).then(|| {
            rest &= rest - 1;
            lowest
        })
    })
}
