use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension};
use tokio::sync::oneshot;

use super::Queue;
use crate::MatchId;
use crate::log::LogError;
use crate::replication::Sequence;

/// What is to be read, and who wants to know.
#[derive(Debug)]
pub(super) enum Read {
    Entries {
        id: MatchId,
        after: Sequence,
        limit: usize,
        answer: oneshot::Sender<Result<Vec<Bytes>, LogError>>,
    },
    Notices {
        limit: usize,
        answer: oneshot::Sender<Result<Vec<(MatchId, Bytes)>, LogError>>,
    },
}

/// Answers until the queue is closed.
///
/// A read begins behind every commit that was made before it, on whichever
/// connection: that is what a write-ahead log gives.
pub(super) fn run(connection: &Connection, queue: &Queue<Read>) {
    loop {
        // One at a time, so that another reader can take the next.
        let reads = queue.take(1);
        if reads.is_empty() {
            return;
        }
        for read in reads {
            // Who no longer waits does not want to know.
            match read {
                Read::Entries {
                    id,
                    after,
                    limit,
                    answer,
                } => drop(answer.send(entries(connection, &id, after, limit))),
                Read::Notices { limit, answer } => drop(answer.send(notices(connection, limit))),
            }
        }
    }
}

const INDEXED: &str = "
    SELECT sequence, entry FROM places JOIN entries USING (place, match, sequence)
    WHERE match = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3";

/// They came in the order of their numbers.
const BEHIND: &str = "
    SELECT sequence, entry FROM entries
    WHERE place > (SELECT place FROM indexed) AND match = ?1 AND sequence > ?2
    ORDER BY place LIMIT ?3";

fn entries(
    connection: &Connection,
    id: &MatchId,
    after: Sequence,
    limit: usize,
) -> Result<Vec<Bytes>, LogError> {
    // Beyond that there is nothing.
    let Ok(first) = i64::try_from(after.get()) else {
        return Ok(Vec::new());
    };
    // All of it sees the file as it is now.
    let transaction = connection.unchecked_transaction().map_err(LogError::new)?;
    let number = transaction
        .prepare_cached("SELECT number FROM matches WHERE match = ?1")
        .and_then(|mut select| {
            let number = select.query_row((id.as_str(),), |row| row.get::<_, i64>(0));
            number.optional()
        })
        .map_err(LogError::new)?;
    let Some(number) = number else {
        return Ok(Vec::new());
    };
    let mut entries = Vec::new();
    for select in [INDEXED, BEHIND] {
        let mut select = transaction.prepare_cached(select).map_err(LogError::new)?;
        let known = entries.len();
        let rows = select
            .query_map((number, first, most(limit - known)), |row| {
                Ok((row.get::<_, i64>(0)?, row.get_ref(1)?.as_blob()?.to_vec()))
            })
            .map_err(LogError::new)?;
        for (row, expected) in rows.zip(first + 1 + most(known)..) {
            let (sequence, entry) = row.map_err(LogError::new)?;
            if sequence != expected {
                return Err(LogError::new(format_args!(
                    "the file is damaged: entry {expected} of {id} is missing"
                )));
            }
            entries.push(Bytes::from(entry));
        }
    }
    Ok(entries)
}

fn notices(connection: &Connection, limit: usize) -> Result<Vec<(MatchId, Bytes)>, LogError> {
    let mut select = connection
        .prepare_cached("SELECT match, notice FROM notices ORDER BY posted DESC LIMIT ?1")
        .map_err(LogError::new)?;
    let rows = select
        .query_map((most(limit),), |row| {
            let id = row.get_ref(0)?.as_str()?.to_owned();
            Ok((id, row.get_ref(1)?.as_blob()?.to_vec()))
        })
        .map_err(LogError::new)?;
    rows.map(|row| {
        let (id, notice) = row.map_err(LogError::new)?;
        let id = id
            .parse()
            .map_err(|error| LogError::new(format_args!("the file is damaged: {id:?}: {error}")))?;
        Ok((id, Bytes::from(notice)))
    })
    .collect()
}

fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
