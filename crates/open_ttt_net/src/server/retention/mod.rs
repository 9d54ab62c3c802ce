//! Deletes matches that nobody has changed for long, and archives their games.

mod archive;
#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use open_ttt_catalog::Catalog;
use open_ttt_lib::rules::{Outcome, Side};
use open_ttt_players::{Termination, TextRecord, TextRecordError};
use open_ttt_search::StopFlag;
use tokio::time::sleep;

use super::clock::milliseconds;
use super::replay::{Replay, created_at};
use super::{OWN_ADDRESS, Shared};
use crate::MatchId;
use crate::answers::frames::last_states;
use crate::log::LogError;
use crate::matches::{DynMatch, Ending};
use crate::replication::Sequence;
pub(super) use archive::Archive;

/// Pause between two passes over the store.
const INTERVAL: Duration = Duration::from_hours(6);

/// Pause after a pass that failed.
const RETRY_PAUSE: Duration = Duration::from_mins(10);

/// Pause after each match, so that a pass takes little of the store's time.
const PAUSE: Duration = Duration::from_millis(10);

/// Number of ids per read. A store may list all matches for each.
const PAGE: usize = 10_000;

/// A match that has not changed for long.
#[derive(Debug)]
struct Expired {
    /// When it last changed, in milliseconds since 1970.
    at: u64,
    /// A line for each of its games.
    lines: String,
}

/// Deletes old matches until the shutdown.
pub(super) async fn run(shared: Arc<Shared>) {
    let Some(keep) = shared.config.keep_matches else {
        return;
    };
    if !shared.log.can_remove() {
        tracing::error!(
            "old matches are kept: this store was made by a version that can't delete matches"
        );
        return;
    }
    let mut shutdown = pin!(shared.shutdown());
    // The server may have to set its clock first.
    shared.outages().await;
    let mut last_cause = None;
    loop {
        let passed = tokio::select! {
            passed = pass(&shared, keep) => passed,
            () = &mut shutdown => return,
        };
        let pause = match passed {
            Ok(()) => {
                last_cause = None;
                INTERVAL
            }
            Err(cause) => {
                let cause = Some(cause);
                if last_cause != cause {
                    let cause = cause.as_ref().map(LogError::to_string).unwrap_or_default();
                    tracing::warn!(cause, "old matches are kept until this works again");
                }
                last_cause = cause;
                RETRY_PAUSE
            }
        };
        tokio::select! {
            () = sleep(pause) => {}
            () = &mut shutdown => return,
        }
    }
}

/// Archives and deletes all matches that have not changed for the time `keep`.
async fn pass(shared: &Shared, keep: Duration) -> Result<(), LogError> {
    settle(shared).await?;
    let oldest = shared.clock.now_ms().saturating_sub(milliseconds(keep));
    let mut after = None;
    loop {
        let page = shared.log.matches(after.as_ref(), PAGE).await?;
        for id in page.iter().filter(|id| !id.is_reserved()) {
            sleep(PAUSE).await;
            let first = shared.log.read(id, Sequence::START, 1).await?;
            let created = first.first().and_then(|header| created_at(header));
            if created.is_none_or(|created| created >= oldest) {
                continue;
            }
            let deleting = delete_if_older(shared, id, oldest);
            if let Some(deleted) = shared.matches.while_unloaded(id, deleting).await {
                deleted?;
            }
        }
        if page.len() < PAGE {
            return Ok(());
        }
        after = page.last().cloned();
    }
}

/// Completes what a killed server, or a failing store, has left.
async fn settle(shared: &Shared) -> Result<(), LogError> {
    let unsettled = with_archive(shared, Archive::unsettled).await?;
    if let Some(id) = unsettled.flatten() {
        settle_match(shared, &id).await?;
    }
    Ok(())
}

/// Keeps the archived games of a match exactly if it is no longer in the store. Returns
/// whether it was deleted.
async fn settle_match(shared: &Shared, id: &MatchId) -> Result<bool, LogError> {
    let was_deleted = shared.log.read(id, Sequence::START, 1).await?.is_empty();
    with_archive(shared, move |archive| {
        if was_deleted {
            archive.keep()
        } else {
            archive.take_back()
        }
    })
    .await?;
    Ok(was_deleted)
}

/// Deletes a match if it has not changed since `oldest`.
async fn delete_if_older(shared: &Shared, id: &MatchId, oldest: u64) -> Result<(), LogError> {
    let entries = shared.entries(id).await?;
    let end = Sequence::new(entries.len() as u64);
    let (catalog, match_id) = (shared.catalog.clone(), id.clone());
    let job = move |_: &StopFlag| expired(&catalog, &match_id, &entries, oldest);
    let replayed = shared.requests.run(OWN_ADDRESS, job).await;
    let expired = match replayed.map_err(|_| LogError::new("the server is busy"))? {
        Ok(Some(expired)) => expired,
        Ok(None) => return Ok(()),
        Err(cause) => {
            // The operator may want to restore it from a backup.
            tracing::debug!(%id, %cause, "an old match is kept");
            return Ok(());
        }
    };
    let Expired { at, lines } = expired;
    let is_archived = shared.archive.is_some() && !lines.is_empty();
    if is_archived {
        let id = id.clone();
        with_archive(shared, move |archive| archive.append(&id, at, &lines)).await?;
    }
    // Another server may have stored a change meanwhile.
    let is_changed = shared.log.is_shared() && !shared.log.read(id, end, 1).await?.is_empty();
    let removed = if is_changed {
        Ok(())
    } else {
        shared.log.remove(id).await
    };
    // A failed removal may have removed the match all the same.
    if is_archived && settle_match(shared, id).await? {
        shared.metrics.archived.inc();
    }
    removed?;
    if !is_changed {
        shared.metrics.removed.inc();
    }
    Ok(())
}

/// Works on the archive, if there is one, on a thread for blocking work.
async fn with_archive<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce(&Archive) -> io::Result<T> + Send + 'static,
) -> Result<Option<T>, LogError> {
    let Some(archive) = shared.archive.clone() else {
        return Ok(None);
    };
    let worked = tokio::task::spawn_blocking(move || work(&archive)).await;
    let failed = |error| LogError::new(format_args!("the archive can't be written: {error}"));
    let worked = worked.map_err(LogError::new)?;
    worked.map(Some).map_err(failed)
}

/// The games of a match that has not changed since `oldest`; `None` if it has.
fn expired(
    catalog: &Catalog,
    id: &MatchId,
    entries: &[Bytes],
    oldest: u64,
) -> Result<Option<Expired>, LogError> {
    let replay = Replay::of(catalog, id, entries)?;
    let history = replay.sequencer();
    // A match that nobody has joined has only the time of its creation.
    let at = history.state().at().max(replay.created_at());
    if at >= oldest {
        return Ok(None);
    }
    let mut lines = String::new();
    // Whole or not at all, however long it takes.
    for state in last_states(history, &StopFlag::new()) {
        if let Some(record) = record(&state).transpose() {
            let failed = |error| LogError::new(format_args!("match {id}: {error}"));
            let record = record.map_err(failed)?;
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{record}");
        }
    }
    Ok(Some(Expired { at, lines }))
}

/// The record of a game, by its last state; `None` if nobody has moved in it, however it
/// ended.
fn record(state: &DynMatch) -> Result<Option<TextRecord>, TextRecordError> {
    if !state.has_moves() {
        return Ok(None);
    }
    let moves = state.game().moves();
    let end = match state.verdict() {
        None => (None, Termination::Unfinished),
        Some(verdict) => {
            let winner = verdict.winner.map(|seat| state.side_of(seat));
            let termination = match verdict.by {
                Ending::Rules => Termination::Finished,
                Ending::Resignation => Termination::Resigned,
                Ending::Agreement => Termination::Agreed,
                Ending::Time => Termination::Time,
                Ending::Abandonment => Termination::Abandoned,
            };
            (
                Some(winner.map_or(Outcome::Draw, Outcome::Win)),
                termination,
            )
        }
    };
    let name = |side| {
        state
            .player(state.seat_of(side))
            .map_or("", |player| &player.name)
    };
    let players = Side::BOTH.map(name);
    TextRecord::of_moves(state.game().start(), moves, players, end).map(Some)
}
