use open_ttt_lib::rules::Place;
use ratatui::layout::Rect;

/// A direction on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Left,
    Right,
    Up,
    Down,
}

/// The place nearest to `from` in a direction; `None` if there is none.
///
/// Places count that are ahead by more than they are aside. A step aside counts twice, so that
/// the cursor keeps its row or column where it can.
pub(super) fn next(places: &[(Place, Rect)], from: Place, direction: Direction) -> Option<Place> {
    let &(_, start) = places.iter().find(|&&(place, _)| place == from)?;
    let [x, y] = middle(start);
    let candidates = places.iter().filter(|&&(place, _)| place != from);
    let distances = candidates.filter_map(|&(place, area)| {
        let [to_x, to_y] = middle(area);
        let (right, down) = (to_x - x, to_y - y);
        let (ahead, aside) = match direction {
            Direction::Left => (-right, down.abs()),
            Direction::Right => (right, down.abs()),
            Direction::Up => (-down, right.abs()),
            Direction::Down => (down, right.abs()),
        };
        (ahead > 0 && ahead >= aside).then_some((ahead + 2 * aside, aside, place))
    });
    distances.min().map(|(.., place)| place)
}

/// Twice the middle of an area, in units of a column's width: a row is two columns high.
fn middle(area: Rect) -> [i32; 2] {
    let [x, y] = [(area.x, area.width), (area.y, area.height)]
        .map(|(start, length)| 2 * i32::from(start) + i32::from(length));
    [x, 2 * y]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(direction: Direction, expected: Option<(u8, u8)>) {
        // a  b     c
        //    d
        // e
        let places = [(0, 0), (4, 0), (12, 0), (4, 2), (0, 4)];
        let places = places.map(|(x, y)| (Place::flat(x, y), Rect::new(x.into(), y.into(), 3, 1)));
        let expected = expected.map(|(x, y)| Place::flat(x, y));
        assert_eq!(next(&places, Place::flat(4, 0), direction), expected);
    }

    #[test]
    fn the_nearest_place_in_a_direction_is_next() {
        check(Direction::Left, Some((0, 0)));
        check(Direction::Right, Some((12, 0)));
        check(Direction::Up, None);
        check(Direction::Down, Some((4, 2)));
    }
}
