use std::collections::HashSet;

use open_ttt_lib::games::{Cell, Mnk, TicTacToe};
use open_ttt_lib::rules::{
    CompactKey, Drawing, Notation, Outcome, Side, Symmetry, Tactics, TwoPlayerGame,
};

/// Every position a game can reach.
fn reachable() -> HashSet<TicTacToe> {
    let mut seen = HashSet::from([TicTacToe::new()]);
    let mut waiting = vec![TicTacToe::new()];
    while let Some(position) = waiting.pop() {
        for m in position.moves() {
            let after = position.after(m);
            if seen.insert(after) {
                waiting.push(after);
            }
        }
    }
    seen
}

#[test]
fn there_are_5478_positions() {
    let positions = reachable();
    assert_eq!(positions.len(), 5_478);
    let open = positions.iter().filter(|p| p.outcome().is_none()).count();
    assert_eq!(open, 4_520);
    let keys: HashSet<_> = positions.iter().map(CompactKey::key).collect();
    assert_eq!(keys.len(), 5_478);
    let canonical: HashSet<_> = positions.iter().map(Symmetry::canonical).collect();
    assert_eq!(canonical.len(), 765);
}

#[test]
fn there_are_255168_games() {
    /// Games won by X, won by O, and drawn.
    fn count(position: &TicTacToe) -> [u32; 3] {
        match position.outcome() {
            Some(Outcome::Win(Side::First)) => [1, 0, 0],
            Some(Outcome::Win(Side::Second)) => [0, 1, 0],
            Some(Outcome::Draw) => [0, 0, 1],
            None => position.moves().fold([0; 3], |sum, m| {
                let more = count(&position.after(m));
                [sum[0] + more[0], sum[1] + more[1], sum[2] + more[2]]
            }),
        }
    }
    let games = count(&TicTacToe::new());
    assert_eq!(games, [131_184, 77_904, 46_080]);
    assert_eq!(games.iter().sum::<u32>(), 255_168);
}

#[test]
fn exactly_the_reachable_boards_are_positions() {
    let reachable = reachable();
    let mut accepted = HashSet::new();
    for board in 0..3_u32.pow(9) {
        let cells: [_; 9] = core::array::from_fn(|cell| match board / 3_u32.pow(cell as u32) % 3 {
            0 => None,
            1 => Some(Side::First),
            _ => Some(Side::Second),
        });
        if let Some(position) = TicTacToe::from_cells(cells) {
            for (index, &owner) in cells.iter().enumerate() {
                let (column, row) = (index as u8 % 3, index as u8 / 3);
                let cell = Cell::new(column, row).expect("a cell");
                assert_eq!(position.owner(cell), owner);
            }
            accepted.insert(position);
        }
    }
    assert_eq!(accepted, reachable);
}

#[test]
fn is_the_same_game_as_mnk_with_three_three_three() {
    fn check(ttt: &TicTacToe, mnk: &Mnk) {
        assert_eq!(ttt.outcome(), mnk.outcome(), "{ttt:?}");
        assert_eq!(ttt.to_move(), mnk.to_move(), "{ttt:?}");
        let ours: Vec<_> = ttt.moves().collect();
        let theirs: Vec<_> = mnk.moves().collect();
        assert_eq!(
            ours.iter().map(|&m| ttt.move_text(m)).collect::<Vec<_>>(),
            theirs.iter().map(|&m| mnk.move_text(m)).collect::<Vec<_>>(),
            "{ttt:?}"
        );
        for (&one, &other) in ours.iter().zip(&theirs) {
            check(&ttt.after(one), &mnk.after(other));
        }
    }
    let mnk = Mnk::new(3, 3, 3).expect("3,3,3 is a game");
    check(&TicTacToe::new(), &mnk);
}

#[test]
fn shows_what_mnk_shows() {
    let text = |places: &[open_ttt_lib::rules::Place]| format!("{places:?}");
    for position in reachable() {
        // The same marks, put down in any order that keeps the turns.
        let mut marks = Side::BOTH.map(|side| {
            let cells = position.picture().cells;
            let own = cells.into_iter().filter(move |c| c.owner() == Some(side));
            own.map(|c| c.place).collect::<Vec<_>>()
        });
        let mut mnk = Mnk::new(3, 3, 3).expect("3,3,3 is a game");
        for ply in 0..position.plies() {
            let place = marks[Side::after(ply).index()].pop().expect("a mark");
            mnk.play_unchecked(open_ttt_lib::games::Point {
                column: place.x,
                row: place.y,
            });
        }
        let ours = position.picture();
        let theirs = mnk.picture();
        assert_eq!(ours.layout, theirs.layout);
        assert_eq!((ours.sides, ours.colors), (theirs.sides, theirs.colors));
        let mut lines = [ours.lines, theirs.lines].map(|lines| {
            lines
                .iter()
                .map(|line| {
                    let mut places = line.places.clone();
                    places.sort();
                    (line.side, text(&places))
                })
                .collect::<Vec<_>>()
        });
        for lines in &mut lines {
            lines.sort();
        }
        assert_eq!(lines[0], lines[1], "{position:?}");
    }
}

/// A side can still complete a line in which the other has no mark.
#[test]
fn blocked_lines_are_not_won_any_more() {
    let lines: [[(u8, u8); 3]; 8] = [
        [(0, 0), (0, 1), (0, 2)],
        [(1, 0), (1, 1), (1, 2)],
        [(2, 0), (2, 1), (2, 2)],
        [(0, 0), (1, 0), (2, 0)],
        [(0, 1), (1, 1), (2, 1)],
        [(0, 2), (1, 2), (2, 2)],
        [(0, 0), (1, 1), (2, 2)],
        [(0, 2), (1, 1), (2, 0)],
    ];
    let mut blocked = 0;
    for position in reachable() {
        for side in Side::BOTH {
            let is_open = |&(column, row): &(u8, u8)| {
                let cell = Cell::new(column, row).expect("a cell");
                position.owner(cell) != Some(side.other())
            };
            let can_win = lines.iter().any(|line| line.iter().all(is_open));
            assert_eq!(position.can_still_win(side), can_win, "{position:?}");
            blocked += usize::from(!can_win);
        }
    }
    assert!(blocked > 500, "{blocked}");
}
