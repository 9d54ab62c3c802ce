//! The code on the tutorial's page is the code of this crate.

const PAGE: &str = include_str!("../../../../docs/your-own-game.md");

/// The blocks of code in this language, in order.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let blocks = PAGE.split(fence.as_str()).skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap())
        .collect()
}

#[test]
fn the_page_has_the_code() {
    let blocks = blocks("rust,ignore");
    let [game @ .., tests, main] = &*blocks else {
        panic!("some blocks")
    };
    assert_eq!(game.join("\n"), include_str!("../../src/game.rs"));
    let file = include_str!("rules.rs").replace("crate::game", "game");
    assert!(
        tests.contains(file.split_once("#[test]").unwrap().1),
        "{tests}"
    );
    assert_eq!(*main, include_str!("../../src/main.rs"));
}

#[test]
fn the_game_is_as_short_as_the_page_says() {
    let game = include_str!("../../src/game.rs").lines().count();
    let main = include_str!("../../src/main.rs").lines().count();
    assert!(game + main <= 200, "{game} + {main} lines");
    let (rules, _) = include_str!("../../src/game.rs")
        .split_once("impl Notation")
        .unwrap();
    let rules = rules.split_once("/// A position.").unwrap().1;
    assert!(
        rules.lines().count() < 100,
        "{} lines",
        rules.lines().count()
    );
}
