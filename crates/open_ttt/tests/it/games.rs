use serde_json::json;

use crate::program::{run, run_json, words};

#[test]
fn the_catalog_as_text() {
    let expected = "\
ttt        Tic-tac-toe
pegs       Eight pegs
             lines=34 or 38 (default 34): number of lines that score; 34 leaves out the diagonals within A B C and F G H
connect4   Connect Four
mnk        K in a row
             m=1 to 19 (default 15): number of columns
             n=1 to 19 (default 15): number of rows
             k=1 to 19 (default 5): number in a row to win; at most the longer side of the board
qubic      Qubic
ultimate   Ultimate tic-tac-toe
reversi    Reversi
             size=4 or 6 or 8 (default 8): number of columns and rows
dots       Dots and Boxes
             m=1 to 7 (default 5): number of boxes in a row
             n=1 to 7 (default 5): number of boxes in a column
hex        Hex
             size=3 to 13 (default 11): number of columns and rows
             swap=0 or 1 (default 1): 1 if Blue may swap, 0 if not
lines      Lines of any kind
             m=1 to 19 (default 3): number of columns
             n=1 to 19 (default 3): number of rows
             k=1 to 19 (default 3): number in a line, at most the longest line of the board
             layers=1 to 8 (default 1): number of layers, for a third dimension
             blocks=1 to 8 (default 1): number of blocks of layers, for a fourth dimension
             boards=1 to 8 (default 1): number of boards; more than one need same=1
             wrap=0 to 4 (default 0): number of dimensions whose edges meet: 1 for a cylinder, 2 for a torus
             gravity=0 or 1 (default 0): 1 if marks fall
             misere=0 or 1 (default 0): 1 if a line loses
             wild=0 or 1 (default 0): 1 if a side marks X or O as it likes
             same=0 or 1 (default 0): 1 if both sides mark X
             exact=0 or 1 (default 0): 1 if more than k in a line don't count
             stones=1 to 4 (default 1): number of marks in a turn, except the first
quarto     Quarto
draughts   English draughts (checkers)
morris     Morris (mill)
             men=3 or 6 or 9 (default 9): number of men of each side
";
    assert_eq!(run(["games"], ""), expected);
}

#[test]
fn the_catalog_as_json() {
    let games = run_json(["games", "--json"], "");
    let keys: Vec<_> = games.iter().map(|game| &game["key"]).collect();
    assert_eq!(
        keys,
        [
            "ttt", "pegs", "connect4", "mnk", "qubic", "ultimate", "reversi", "dots", "hex",
            "lines", "quarto", "draughts", "morris"
        ]
    );
    for game in &games {
        assert!(!game["title"].as_str().unwrap().is_empty());
        assert!(game["rules"].as_str().unwrap().lines().count() > 1);
    }
    assert_eq!(games[0]["parameters"], json!([]));
    assert_eq!(
        games[1]["parameters"][0]["allowed"],
        json!({"one_of": [34, 38]})
    );
    assert_eq!(
        games[3]["parameters"][0]["allowed"],
        json!({"range": [1, 19]})
    );
    assert_eq!(games[3]["parameters"][2]["default"], 5);
    assert_eq!(games[3]["parameters"][2]["name"], "k");
}

#[test]
fn every_game_of_the_catalog_has_an_analysis() {
    for game in run_json(["games", "--json"], "") {
        let key = game["key"].as_str().unwrap();
        let args = ["analyze", "--json", "--time", "1ms", "--game", key];
        let report = &run_json(args, "")[0];
        assert_eq!(report["game"], key);
        assert!(!words(report, "best").is_empty());
    }
}

#[test]
fn parameters_can_have_any_order_and_case() {
    let name = |written| {
        let args = ["perft", "--json", "--depth", "0", "--game", written];
        run_json(args, "").remove(0)["game"].clone()
    };
    assert_eq!(name("MNK( K = 4, n=6 ,m=5 )"), "mnk(m=5,n=6,k=4)");
    assert_eq!(name("pegs(lines=34)"), "pegs");
    assert_eq!(name("Pegs(lines=38)"), "pegs(lines=38)");
    assert_eq!(name("mnk()"), "mnk");
}
