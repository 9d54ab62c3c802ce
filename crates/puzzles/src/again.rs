use std::fs;
use std::io::{self, ErrorKind};
use std::num::NonZero;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use open_ttt_catalog::{DynGame, Puzzles};
use open_ttt_coach::puzzle;
use open_ttt_lib::rules::History;
use open_ttt_players::Turn;
use open_ttt_search::{Budget, StopFlag};

use crate::collection::Collection;
use crate::search::{Limits, progress_bar};

/// The puzzles of a file as they are judged and rated now, without those that aren't any more.
/// They take the place of what earlier runs have found.
pub(crate) fn judge_again(
    start: &DynGame,
    shipped: &Path,
    found: &Path,
    limits: &Limits,
) -> io::Result<Collection> {
    let text = fs::read_to_string(shipped)?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let read = |line| Puzzles::read(start, line);
    let puzzles = lines.map(read).collect::<Result<Vec<_>, _>>();
    let puzzles = puzzles.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    match fs::remove_file(found) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let collection = Mutex::new(Collection::open(start, found)?);
    let bar = progress_bar(start, puzzles.len(), "");
    let (next, budget) = (AtomicUsize::new(0), Budget::nodes(limits.nodes));
    let judge_some = || {
        let mut judge = start.judge(NonZero::<usize>::MIN);
        // One that solves whole games does so now, not from a later position.
        let _ = judge.prove(&Turn::new(start), &Budget::nodes(1));
        while let Some(old) = puzzles.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut game = History::new(start.clone());
            for &m in &old.moves {
                game.play_unchecked(m);
            }
            if let Some(new) = puzzle(&game, &mut *judge, &budget, &StopFlag::new()) {
                let mut collection = collection.lock().map_err(|_| ErrorKind::Other)?;
                collection.append(&new)?;
            }
            bar.inc(1);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads = (0..limits.threads.get()).map(|_| scope.spawn(judge_some));
        let threads = threads.collect::<Vec<_>>();
        let ended = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ended.collect::<io::Result<()>>()
    })?;
    bar.finish();
    collection.into_inner().map_err(|_| ErrorKind::Other.into())
}
