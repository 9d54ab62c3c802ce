use core::fmt::Debug;
use core::hash::{BuildHasher, BuildHasherDefault};
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};

use super::Laws;
use crate::rules::{Choice, Drawing, Layout, Picture, Piece, Place, Side, Tint, TwoPlayerGame};

impl<G: TwoPlayerGame + Debug> Laws<G> {
    /// The laws of [`Drawing`].
    #[track_caller]
    pub fn drawing(self) -> Self
    where
        G: Drawing,
    {
        let start = self.start.picture();
        check_layout(&start.layout);
        let board: HashSet<_> = start.all_cells().map(|cell| cell.place).collect();
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let mut seen: HashMap<u64, &G> = HashMap::new();
        for position in &self.positions {
            let picture = position.picture();
            check_places(position, &picture);
            check_sides(position, &picture);
            assert_eq!(
                picture.layout, start.layout,
                "the layout stays the same: {position:?}"
            );
            let places: HashSet<_> = picture.all_cells().map(|cell| cell.place).collect();
            assert_eq!(
                places, board,
                "every position shows the same places: {position:?}"
            );
            check_choices(position, &picture);
            check_lines(position, &picture);
            check_block_lines(position, &picture);
            let look = hasher.hash_one((position.to_move(), appearance(&picture)));
            let other = *seen.entry(look).or_insert(position);
            assert!(
                other == position,
                "different positions look different: {other:?}, {position:?}"
            );
        }
        self
    }
}

#[track_caller]
fn check_layout(layout: &Layout) {
    match layout {
        Layout::Grid { block, .. } => assert_ne!(*block, Some(0), "a block has cells"),
        Layout::Dots { columns, rows } => assert!(
            columns.len() % 2 == 1 && rows.len() % 2 == 1,
            "boxes are between dots: {layout:?}"
        ),
        Layout::Points { links, .. } => {
            for link @ &[from, to] in links {
                assert!(
                    from != to && layout.contains(from) && layout.contains(to),
                    "a link joins two points: {link:?}"
                );
            }
        }
        Layout::Stacks { stacks, .. } => {
            let feet: HashSet<_> = stacks.iter().map(|stack| (stack.x, stack.y)).collect();
            assert_eq!(feet.len(), stacks.len(), "stacks stand apart: {layout:?}");
        }
        Layout::Hexagons { .. } | Layout::Layers { .. } => {}
    }
}

/// Each place is shown once, on the board or in a tray.
#[track_caller]
fn check_places<G: Debug, M>(position: &G, picture: &Picture<M>) {
    let mut places = HashSet::new();
    for cell in picture.all_cells() {
        let place = cell.place;
        assert!(
            places.insert(place),
            "no cell is shown twice, as is {place:?}: {position:?}"
        );
    }
    for cell in &picture.cells {
        let place = cell.place;
        assert!(
            picture.layout.contains(place) && !place.is_in_tray(),
            "{place:?} is outside the layout: {position:?}"
        );
    }
    for cell in picture.trays.iter().flat_map(|tray| &tray.cells) {
        let place = cell.place;
        assert!(place.is_in_tray(), "{place:?} is in a tray: {position:?}");
    }
}

/// The sides can be told apart, and pieces can be drawn.
#[track_caller]
fn check_sides<G: Debug, M>(position: &G, picture: &Picture<M>) {
    let [first, second] = picture.sides;
    assert_eq!(
        [first.side, second.side],
        Side::BOTH.map(Some),
        "each side has a usual piece of its own: {position:?}"
    );
    assert_ne!(first.mark, second.mark, "the sides differ: {position:?}");
    assert_ne!(
        picture.colors[0], picture.colors[1],
        "the sides differ in colour: {position:?}"
    );
    let pieces = picture.all_cells().filter_map(|cell| cell.piece);
    for Piece { mark, .. } in pieces.chain(picture.sides) {
        assert!(
            matches!(mark.chars().count(), 1 | 2)
                && !mark.contains(|c: char| c.is_control() || c.is_whitespace()),
            "a mark has one or two characters, unlike {mark:?}: {position:?}"
        );
    }
}

/// Every legal move can be chosen, in one way.
#[track_caller]
fn check_choices<G: TwoPlayerGame + Debug>(position: &G, picture: &Picture<G::Move>) {
    let mut offered: Vec<_> = picture.choices.iter().map(|choice| choice.m).collect();
    for m in position.moves() {
        let at = offered.iter().position(|&other| other == m);
        let at = at.unwrap_or_else(|| panic!("{m:?} can't be chosen: {position:?}"));
        offered.swap_remove(at);
    }
    assert!(
        offered.is_empty(),
        "{offered:?} can be chosen once too often: {position:?}"
    );

    let places: HashSet<_> = picture.all_cells().map(|cell| cell.place).collect();
    // By each start of a path, how many paths have it.
    let mut starts: HashMap<&[Place], u32> = HashMap::new();
    let mut buttons = HashSet::new();
    for Choice { m, path, label } in &picture.choices {
        assert!(
            path.iter().all(|place| places.contains(place)),
            "{m:?} is chosen by places that are shown: {path:?} in {position:?}"
        );
        for length in 0..=path.len() {
            *starts.entry(&path[..length]).or_default() += 1;
        }
        if let Some(label) = label {
            assert!(
                !label.trim().is_empty() && !label.contains(char::is_control),
                "{m:?} has a label to read: {label:?} in {position:?}"
            );
            assert!(
                buttons.insert((path, label)),
                "choices with the same path have different labels, unlike {m:?}: {position:?}"
            );
        }
    }
    for Choice { m, path, label } in &picture.choices {
        assert!(
            label.is_some() || !path.is_empty() && starts[&**path] == 1,
            "{m:?} needs a label: its path is empty or begins another: {position:?}"
        );
    }
}

/// The pieces of a line are those of its side.
#[track_caller]
fn check_lines<G: Debug, M>(position: &G, picture: &Picture<M>) {
    let pieces: HashMap<_, _> = picture
        .cells
        .iter()
        .filter_map(|cell| Some((cell.place, cell.piece?.side)))
        .collect();
    for line in &picture.lines {
        let owns = |place| pieces.get(place) == Some(&line.side);
        assert!(
            !line.places.is_empty() && line.places.iter().all(owns),
            "a line's pieces are those of its side: {line:?} in {position:?}"
        );
    }
}

/// The blocks of a line are different ones, in which every cell has the colour of the
/// line's side.
#[track_caller]
fn check_block_lines<G: Debug, M>(position: &G, picture: &Picture<M>) {
    let size = match picture.layout {
        Layout::Grid { block, .. } => block,
        _ => None,
    };
    for line in &picture.block_lines {
        let Some(size) = size else {
            panic!("a board without blocks has no lines of them: {line:?} in {position:?}");
        };
        let block_of = |place: Place| (place.x / size, place.y / size);
        let blocks: HashSet<_> = line.places.iter().map(|&place| block_of(place)).collect();
        assert!(
            blocks.len() > 1 && blocks.len() == line.places.len(),
            "a line leads through different blocks: {line:?} in {position:?}"
        );
        let mut cells = picture.cells.iter();
        let tint = line.side.map(Tint::Side);
        assert!(
            cells.all(|cell| !blocks.contains(&block_of(cell.place)) || cell.tint == tint),
            "the blocks of a line are those of its side: {line:?} in {position:?}"
        );
    }
}

/// All that can be seen of a position, apart from the side to move.
fn appearance<M>(picture: &Picture<M>) -> impl core::hash::Hash {
    let mut cells: Vec<_> = picture.cells.clone();
    cells.sort_unstable_by_key(|cell| cell.place);
    let choices = picture.choices.iter();
    let mut choices: Vec<_> = choices.map(|c| (c.path.clone(), c.label.clone())).collect();
    choices.sort_unstable();
    (
        cells,
        picture.trays.clone(),
        choices,
        picture.lines.clone(),
        picture.block_lines.clone(),
        picture.points,
        picture.status.clone(),
    )
}
