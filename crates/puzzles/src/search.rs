use core::num::NonZero;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_catalog::DynGame;
use open_ttt_search::{Budget, StopFlag};

use crate::collection::Collection;

/// When the search for puzzles of a game ends, and how it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The number of puzzles.
    pub(crate) puzzles: usize,
    pub(crate) time: Duration,
    /// The positions searched to judge one.
    pub(crate) nodes: u64,
    pub(crate) threads: NonZero<usize>,
}

/// Adds puzzles of games that haven't been searched yet.
pub(crate) fn search(
    start: &DynGame,
    collection: &mut Collection,
    limits: &Limits,
) -> io::Result<()> {
    let bar = progress_bar(start, limits.puzzles, ", {msg} games");
    let stop = StopFlag::new();
    let next = AtomicU64::new(collection.games());
    let started = Instant::now();
    let is_over = |collection: &Collection| {
        collection.len() >= limits.puzzles || started.elapsed() >= limits.time
    };
    let (sender, games) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..limits.threads.get() {
            let (sender, stop, next) = (sender.clone(), &stop, &next);
            scope.spawn(move || {
                let mut finder = start.puzzle_finder();
                let budget = Budget::nodes(limits.nodes);
                while !stop.is_raised() {
                    let game = next.fetch_add(1, Ordering::Relaxed);
                    let found = finder.game(game, &budget, stop);
                    // What was interrupted is searched again.
                    if stop.is_raised() || sender.send((game, found)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        while !is_over(collection) {
            let left = limits.time.saturating_sub(started.elapsed());
            match games.recv_timeout(left) {
                Ok((game, found)) => {
                    collection.append_game(game, &found)?;
                    bar.set_position(collection.len() as u64);
                    bar.set_message(collection.games().to_string());
                }
                Err(_) => break,
            }
        }
        stop.raise();
        bar.finish();
        Ok(())
    })
}

/// A bar that counts puzzles of a game.
pub(crate) fn progress_bar(start: &DynGame, puzzles: usize, more: &str) -> ProgressBar {
    let bar = ProgressBar::new(puzzles as u64);
    let title = start.entry().title;
    let template = format!("{title} {{wide_bar}} {{pos}}/{{len}} puzzles{more}, {{elapsed}}");
    match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
