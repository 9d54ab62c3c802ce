//! `teach` trains the tutorial's game and resumes.

use std::fs;

use open_ttt_learn::{Symmetries, TeachError, teach};
use open_ttt_lib::rules::TwoPlayerGame;

use crate::learner::Folder;
use example::{Notakto, lines_lost};

#[path = "../../examples/teach.rs"]
mod example;

#[test]
fn one_call_teaches_a_custom_game() {
    let scratch = Folder::new();
    let folder = scratch.path().join("notakto");
    let mut iterations = 0;
    let network = teach(
        &Notakto::default(),
        Symmetries::none(),
        &folder,
        |metrics| {
            iterations = metrics.last().unwrap().iteration;
        },
    )
    .unwrap();
    assert_eq!(iterations, 24);
    // The first player wins: in the centre, then a knight's move away from each reply.
    assert_eq!(lines_lost(&network), 0);
    let report = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(report.contains("<h1>notakto</h1>"));

    let again = teach(&Notakto::default(), Symmetries::none(), &folder, |_| {
        panic!("training is complete");
    });
    assert_eq!(again.unwrap().parameters(), network.parameters());

    let file = scratch.path().join("file");
    fs::write(&file, "").unwrap();
    let error = teach(&Notakto::default(), Symmetries::none(), &file, |_| {});
    assert!(matches!(error, Err(TeachError::Checkpoint(_))), "{error:?}");
}

#[test]
fn an_unreadable_checkpoint_isnt_overwritten() {
    let folder = Folder::new();
    let state = folder.path().join("checkpoint-00000001/state.json");
    fs::create_dir(state.parent().unwrap()).unwrap();
    fs::write(&state, "{").unwrap();
    let error = teach(
        &Notakto::default(),
        Symmetries::none(),
        folder.path(),
        |_| {
            panic!("training began anew");
        },
    );
    assert!(matches!(error, Err(TeachError::Checkpoint(_))), "{error:?}");
    assert_eq!(fs::read_to_string(&state).unwrap(), "{");
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
