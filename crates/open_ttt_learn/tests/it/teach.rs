//! The tutorial's game is learned by one call, and gone on with.

use std::fs;

use open_ttt_learn::{Symmetries, TeachError, teach};
use open_ttt_lib::rules::TwoPlayerGame;

use crate::learner::Folder;
use example::{Notakto, lines_lost};

#[path = "../../examples/teach.rs"]
mod example;

#[test]
fn a_game_of_ones_own_is_taught_by_one_call() {
    let scratch = Folder::new();
    let folder = scratch.path().join("notakto");
    let mut told = 0;
    let network = teach(
        &Notakto::default(),
        Symmetries::none(),
        &folder,
        |metrics| {
            told = metrics.last().unwrap().iteration;
        },
    )
    .unwrap();
    assert_eq!(told, 24);
    // Who begins can win: solved by hand, in the centre and then a knight's move
    // away from every reply.
    assert_eq!(lines_lost(&network), 0);
    let report = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(report.contains("<h1>notakto</h1>"));

    let again = teach(&Notakto::default(), Symmetries::none(), &folder, |_| {
        panic!("all is learned");
    });
    assert_eq!(again.unwrap().parameters(), network.parameters());

    let file = scratch.path().join("file");
    fs::write(&file, "").unwrap();
    let error = teach(&Notakto::default(), Symmetries::none(), &file, |_| {});
    assert!(matches!(error, Err(TeachError::Folder(_))), "{error:?}");
}

#[test]
fn the_first_player_of_notakto_wins() {
    fn wins(game: &Notakto) -> bool {
        game.moves().any(|m| {
            let next = game.after(m);
            next.outcome().is_none() && !wins(&next)
        })
    }
    assert!(wins(&Notakto::default()));
}
