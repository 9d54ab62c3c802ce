use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use open_ttt_lib::games::{Morris, Point};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    Drawing, Heuristic, History, Layout, Notation, Outcome, Place, Reason, Side, Symmetry,
    TwoPlayerGame, perft, play_text,
};

use super::plain::{Plain, PlainMoves, check_plays, plain_perft};

const NINE: &str = "a1 d1 g1, b2 d2 f2, c3 d3 e3, a4 b4 c4, e4 f4 g4, c5 d5 e5, b6 d6 f6, a7 d7 g7, \
                    a1 a4 a7, b2 b4 b6, c3 c4 c5, d1 d2 d3, d5 d6 d7, e3 e4 e5, f2 f4 f6, g1 g4 g7";
const SIX: &str = "a1 c1 e1, b2 c2 d2, b4 c4 d4, a5 c5 e5, a1 a3 a5, b2 b3 b4, d2 d3 d4, e1 e3 e5, \
                   c1 c2, c4 c5, a3 b3, d3 e3";
const THREE: &str =
    "a1 b1 c1, a2 b2 c2, a3 b3 c3, a1 a2 a3, b1 b2 b3, c1 c2 c3, a1 b2 c3, a3 b2 c1";

/// Letters on named points. Its lines are all that it knows of the board: those of three
/// points are mills, and points that follow each other in one are neighbours.
#[derive(Clone, PartialEq, Eq, Hash)]
struct PlainMorris {
    lines: &'static str,
    men: BTreeMap<String, char>,
    plies: usize,
    each: usize,
}

impl PlainMorris {
    fn new(each: usize) -> Self {
        let lines = match each {
            3 => THREE,
            6 => SIX,
            _ => NINE,
        };
        Self {
            lines,
            men: BTreeMap::new(),
            plies: 0,
            each,
        }
    }

    fn lines(&self) -> Vec<Vec<&'static str>> {
        self.lines
            .split(", ")
            .map(|line| line.split(' ').collect())
            .collect()
    }

    fn points(&self) -> Vec<&'static str> {
        let mut points: Vec<_> = self.lines().concat();
        points.sort_unstable();
        points.dedup();
        points
    }

    fn letter(&self) -> char {
        ['w', 'b'][self.plies % 2]
    }

    fn opponent(&self) -> char {
        ['b', 'w'][self.plies % 2]
    }

    fn men(&self, letter: char) -> Vec<String> {
        let men = self.men.iter().filter(|&(_, &man)| man == letter);
        men.map(|(point, _)| point.clone()).collect()
    }

    fn in_mill(&self, point: &str) -> bool {
        let letter = self.men[point];
        self.lines().iter().any(|line| {
            line.len() == 3
                && line.contains(&point)
                && line.iter().all(|&one| self.men.get(one) == Some(&letter))
        })
    }

    fn has_mill(&self, letter: char) -> bool {
        self.men(letter).iter().any(|man| self.in_mill(man))
    }

    fn places_men(&self) -> bool {
        self.plies < 2 * self.each
    }

    /// The moves without regard to the end of the game.
    fn all_moves(&self) -> Vec<String> {
        let own = self.men(self.letter());
        let mut pairs = Vec::new();
        for to in self.points() {
            if self.men.contains_key(to) {
                continue;
            }
            if self.places_men() {
                pairs.push((None, to));
                continue;
            }
            for from in &own {
                let linked = self.lines().iter().any(|line| {
                    line.windows(2)
                        .any(|pair| pair == [to, from] || pair == [from, to])
                });
                if linked || self.each == 9 && own.len() == 3 {
                    pairs.push((Some(from.clone()), to));
                }
            }
        }
        let mut moves = Vec::new();
        for (from, to) in pairs {
            let text = match &from {
                Some(from) => format!("{from}-{to}"),
                None => to.to_owned(),
            };
            let mut next = self.clone();
            if let Some(from) = from {
                next.men.remove(&from);
            }
            next.men.insert(to.to_owned(), self.letter());
            if self.each == 3 || !next.in_mill(to) {
                moves.push(text);
                continue;
            }
            let mut prey = next.men(self.opponent());
            if !prey.iter().all(|man| next.in_mill(man)) {
                prey.retain(|man| !next.in_mill(man));
            }
            moves.extend(prey.into_iter().map(|man| format!("{text}x{man}")));
        }
        moves
    }

    /// The position without the number of moves, which doesn't matter after the placing.
    fn forgetful(mut self) -> Self {
        let placing = 2 * self.each;
        self.plies = self.plies.min(placing + self.plies % 2);
        self
    }
}

impl PlainMoves for PlainMorris {
    fn moves(&self) -> Vec<String> {
        if self.outcome().is_some() {
            Vec::new()
        } else {
            self.all_moves()
        }
    }

    fn play(&mut self, text: &str) {
        let (moved, captured) = match text.split_once('x') {
            Some((moved, captured)) => (moved, Some(captured)),
            None => (text, None),
        };
        let to = match moved.split_once('-') {
            Some((from, to)) => {
                self.men.remove(from);
                to
            }
            None => moved,
        };
        self.men.insert(to.to_owned(), self.letter());
        if let Some(captured) = captured {
            self.men.remove(captured);
        }
        self.plies += 1;
    }
}

impl Plain for PlainMorris {
    fn to_move(&self) -> Side {
        Side::BOTH[self.plies % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        let few = self.each > 3 && !self.places_men() && self.men(self.letter()).len() < 3;
        let mill = self.each == 3 && self.has_mill(self.opponent());
        let lost = few || mill || self.all_moves().is_empty();
        lost.then(|| Outcome::Win(!self.to_move()))
    }
}

const VARIANTS: [(Morris, usize); 3] = [
    (Morris::three(), 3),
    (Morris::six(), 6),
    (Morris::nine(), 9),
];

#[test]
fn counts_as_the_plain_board_does() {
    for (game, men) in VARIANTS {
        let deepest = if men == 3 { 6 } else { 3 };
        for depth in 0..=deepest {
            let expected = plain_perft(&PlainMorris::new(men), depth);
            assert_eq!(perft(&game, depth), expected, "{men} men, depth {depth}");
        }
    }
}

#[test]
fn plays_as_the_plain_board_does() {
    for (game, men) in VARIANTS {
        check_plays(&game, &PlainMorris::new(men), 25, 200);
    }
}

#[test]
fn plays_as_open_spiel_does() {
    let mut played = 0;
    for line in include_str!("../data/morris_openspiel.txt").lines() {
        if line.starts_with('#') {
            continue;
        }
        let (result, moves) = line.split_once(' ').expect("a result and moves");
        let mut game = Morris::nine();
        play_text(&mut game, moves).unwrap_or_else(|error| panic!("{error}: {moves}"));
        let expected = match result {
            "W" => Some(Outcome::Win(Side::First)),
            "B" => Some(Outcome::Win(Side::Second)),
            _ => None,
        };
        assert_eq!(game.outcome(), expected, "{moves}");
        played += 1;
    }
    assert_eq!(played, 24);
}

/// The outcomes that the sides can force, from every position within reach; where neither
/// can force a win the game is a draw.
fn forced_wins<P: Clone + Eq + Hash>(
    start: &P,
    outcome: impl Fn(&P) -> Option<Outcome>,
    to_move: impl Fn(&P) -> Side,
    next: impl Fn(&P) -> Vec<P>,
) -> HashMap<P, Side> {
    let mut positions = vec![start.clone()];
    let mut numbers = HashMap::from([(start.clone(), 0)]);
    let mut replies: Vec<Vec<usize>> = Vec::new();
    while replies.len() < positions.len() {
        let mut after = Vec::new();
        for position in next(&positions[replies.len()]) {
            let number = *numbers.entry(position.clone()).or_insert_with(|| {
                positions.push(position);
                positions.len() - 1
            });
            after.push(number);
        }
        replies.push(after);
    }
    let ended = |position: &P| outcome(position).and_then(Outcome::winner);
    let mut winners: Vec<_> = positions.iter().map(ended).collect();
    loop {
        let mut changed = false;
        for number in 0..positions.len() {
            let side = to_move(&positions[number]);
            let wins_for = |side| move |winner: Option<Side>| winner == Some(side);
            let results = || replies[number].iter().map(|&reply| winners[reply]);
            let winner = if results().any(wins_for(side)) {
                Some(side)
            } else if !replies[number].is_empty() && results().all(wins_for(!side)) {
                Some(!side)
            } else {
                None
            };
            if winners[number].is_none() && winner.is_some() {
                winners[number] = winner;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let won = positions.into_iter().zip(winners);
    won.filter_map(|(position, winner)| Some((position, winner?)))
        .collect()
}

fn after_all(game: &Morris) -> Vec<Morris> {
    game.moves().map(|m| game.after(m)).collect()
}

/// Three men's morris is solved on both boards: the first side wins from the centre, as is
/// well known, and every opening has the same value on both.
#[test]
fn three_mens_morris_is_won_from_the_centre() {
    let start = Morris::three();
    let wins = forced_wins(&start, Morris::outcome, Morris::to_move, after_all);
    let plain_start = PlainMorris::new(3);
    let plain_after = |position: &PlainMorris| {
        let play = |text: String| {
            let mut next = position.clone();
            next.play(&text);
            next.forgetful()
        };
        position.moves().into_iter().map(play).collect()
    };
    let plain_wins = forced_wins(
        &plain_start,
        PlainMorris::outcome,
        PlainMorris::to_move,
        plain_after,
    );
    assert_eq!(wins.len(), plain_wins.len());
    assert_eq!(wins.get(&start), Some(&Side::First));
    let mut winning = Vec::new();
    for m in start.moves() {
        let text = start.move_text(m);
        let mut plain = plain_start.clone();
        plain.play(&text);
        let winner = wins.get(&start.after(m));
        assert_eq!(winner, plain_wins.get(&plain), "{text}");
        if winner == Some(&Side::First) {
            winning.push(text);
        }
    }
    assert_eq!(winning, ["b2"]);
}

#[test]
fn a_mill_captures_men_outside_of_mills_first() {
    let mut game = Morris::nine();
    // Black has a mill on the lower side and one man beside it.
    play_text(&mut game, "a7 a1 d7 d1 b6 g1xb6 b6 f4").expect("legal moves");
    let captures: Vec<_> = game.moves().filter_map(|m| m.captured).collect();
    assert_eq!(
        captures.iter().map(Point::to_string).collect::<Vec<_>>(),
        ["f4"]
    );
    for (text, reason) in [
        ("g7", Reason::Forbidden),
        ("g7xa1", Reason::Forbidden),
        ("g7xa7", Reason::Forbidden),
        ("g4xf4", Reason::Forbidden),
        ("a7-a4", Reason::Forbidden),
        ("f4", Reason::Occupied),
    ] {
        let m = game.parse_move(text).expect("a move");
        assert_eq!(
            game.check(m).map_err(|error| error.reason),
            Err(reason),
            "{text}"
        );
    }
    let six = Morris::six();
    let outside = game.parse_move("g7xf4").expect("a move");
    assert_eq!(
        six.check(outside).map_err(|error| error.reason),
        Err(Reason::OffBoard)
    );
    assert_eq!(game.play(outside), Ok(()));
}

/// The number of positions in some random games in which the side to move flies; its men
/// can reach every free point in them.
fn flights(start: Morris) -> usize {
    let mut flights = 0;
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let mut game = start;
        for _ in 0..400 {
            let moves: Vec<_> = game.moves().collect();
            if game.flies() {
                let places = (0..49).map(|n| Point {
                    column: n % 7,
                    row: n / 7,
                });
                let men = places.filter(|&at| game.owner(at).is_some()).count();
                let reached: HashSet<_> = moves.iter().map(|m| (m.from, m.to)).collect();
                assert!(
                    moves.is_empty() || reached.len() == 3 * (24 - men),
                    "{game:?}"
                );
                flights += 1;
            }
            let Some(m) = rng.pick(moves) else {
                break;
            };
            game.play_unchecked(m);
        }
    }
    flights
}

#[test]
fn a_side_with_three_men_flies_in_nine_mens_morris() {
    assert!(flights(Morris::nine()) > 0);
    assert_eq!(flights(Morris::six()) + flights(Morris::three()), 0);
}

#[test]
fn text_names_points_of_the_board() {
    let nine = Morris::nine();
    for text in ["d6", "a1-a4", "a1-a4xd6", "d6xa1"] {
        let m = nine.parse_move(&format!(" {} ", text.to_uppercase()));
        assert_eq!(m.map(|m| nine.move_text(m)).as_deref(), Ok(text));
    }
    for text in [
        "d4", "a2", "h1", "a1-", "-a1", "a1x", "xa1", "a1xa4xa7", "a1-a4-a7", "a1a4",
    ] {
        assert!(nine.parse_move(text).is_err(), "{text}");
    }
    assert!(Morris::three().parse_move("b2").is_ok());
    assert!(Morris::six().parse_move("c3").is_err());
}

#[test]
fn the_third_occurrence_of_a_position_is_a_draw() {
    let mut game = History::new(Morris::three());
    let opening = ["a1", "b2", "c3", "a2", "c2", "c1"];
    let cycle = ["c3-b3", "c1-b1", "b3-c3", "b1-c1"];
    let mut plies = 0;
    for text in opening.into_iter().chain(cycle.into_iter().cycle()) {
        if game.outcome().is_some() {
            break;
        }
        let m = game.position().parse_move(text).expect("a move");
        game.play(m).unwrap_or_else(|error| panic!("{error}"));
        plies += 1;
    }
    assert_eq!((plies, game.outcome()), (6 + 8, Some(Outcome::Draw)));
}

#[test]
fn the_heuristic_counts_men_mills_and_room() {
    let mut game = Morris::nine();
    assert_eq!(game.heuristic(), 0);
    // One man at a corner has two free neighbours, the other has three.
    play_text(&mut game, "a1 d7").expect("legal moves");
    assert_eq!(game.heuristic(), 3 * (2 - 3));
    // White: a1, a4, a mill to come, free a7, d1 and b4. Black: d7 and g7 with free a7
    // beside d7, d6 and g4.
    play_text(&mut game, "a4 g7").expect("legal moves");
    assert_eq!(game.heuristic(), 12 + 3 * 3 - (12 + 3 * 3));
    // White closes the mill and captures g7: d1, d7 is Black's, b4 are free neighbours.
    play_text(&mut game, "a7xg7").expect("a mill");
    let white = 100 * 9 + 25 + 3 * 2;
    let black = 100 * 8 + 3 * 2;
    assert_eq!(game.heuristic(), black - white);
}

#[test]
fn inside_out_is_a_symmetry() {
    let mut game = Morris::nine();
    play_text(&mut game, "a1 c3").expect("legal moves");
    let swapped: Vec<_> = game
        .symmetries()
        .iter()
        .map(|&transform| game.image(transform))
        .filter(|image| {
            let owner = |column, row| image.owner(Point { column, row });
            owner(0, 0) == Some(Side::Second) && owner(2, 2) == Some(Side::First)
        })
        .collect();
    // With and without the reflection in the diagonal through both men.
    assert_eq!(swapped.len(), 2);
}

/// The points that a picture of the game links, by name, in order.
fn drawn_links(game: &Morris) -> Vec<[String; 2]> {
    let Layout::Points {
        columns,
        rows,
        links,
    } = game.picture().layout
    else {
        panic!("the board has points");
    };
    let name = |at: Place| format!("{}{}", columns[usize::from(at.x)], rows[usize::from(at.y)]);
    let mut links: Vec<_> = links.iter().map(|ends| ends.map(name)).collect();
    for ends in &mut links {
        ends.sort();
    }
    links.sort();
    links
}

#[test]
fn neighbours_are_linked_once() {
    for (game, men) in VARIANTS {
        let lines = PlainMorris::new(men).lines();
        let pairs = lines.iter().flat_map(|line| line.windows(2));
        let mut expected: Vec<_> = pairs
            .map(|ends| [ends[0], ends[1]].map(str::to_owned))
            .collect();
        for ends in &mut expected {
            ends.sort();
        }
        expected.sort();
        assert_eq!(drawn_links(&game), expected, "{men} men");
    }
}

#[test]
fn the_picture_shows_mills_hands_and_what_to_do() {
    let hands = |game: &Morris| {
        let trays = game.picture().trays;
        let counts = trays.iter().map(|tray| tray.cells[0].piece);
        counts
            .map(|men| men.map_or(0, |men| men.count))
            .collect::<Vec<_>>()
    };
    let mut game = Morris::nine();
    play_text(&mut game, "a7 a1 d7 d1 b6 g1xb6 b6").expect("legal moves");
    let [mill] = &game.picture().lines[..] else {
        panic!("Black alone has a mill");
    };
    let points = [0, 3, 6].map(|column| Place::flat(column, 0));
    assert_eq!(
        (mill.side, &*mill.places),
        (Some(Side::Second), &points[..])
    );
    assert_eq!(hands(&game), [5, 6]);
    assert_eq!(game.picture().status.as_deref(), Some("Place a man"));

    let mut game = Morris::three();
    play_text(&mut game, "b2 a1 c1 a3 a2 c2").expect("legal moves");
    assert_eq!(hands(&game), [0, 0]);
    assert_eq!(game.picture().status.as_deref(), Some("Move a man"));
}
