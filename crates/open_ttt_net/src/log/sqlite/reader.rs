use bytes::Bytes;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, Transaction};

use super::Queue;
use crate::MatchId;
use crate::log::LogError;
use crate::replication::Sequence;

/// A queued read, which sends its own result.
pub(super) type ReadRequest = Box<dyn FnOnce(&Connection) + Send>;

/// Serves reads until the queue is closed.
///
/// A read sees every commit made before it on any connection: the write-ahead
/// log guarantees it.
pub(super) fn run(connection: &Connection, queue: &Queue<ReadRequest>) {
    // One at a time: another reader thread may take the next.
    while let Some(request) = queue.take(1).pop() {
        request(connection);
    }
}

const NUMBER_OF_MATCH: &str = "SELECT number FROM matches WHERE match = ?1";

const INDEXED: &str = "
    SELECT sequence, entry FROM places LEFT JOIN entries USING (place, match, sequence)
    WHERE match = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3";

/// Entries of one match are inserted in the order of their sequence numbers.
const NOT_INDEXED: &str = "
    SELECT sequence, entry FROM entries
    WHERE place > (SELECT place FROM indexed) AND match = ?1 AND sequence > ?2
    ORDER BY place LIMIT ?3";

/// The last entry: of those that are not indexed, or else of those that are.
const LAST: &str = "
    WITH of AS (SELECT number FROM matches WHERE match = ?1)
    SELECT * FROM (
        SELECT sequence, entry FROM entries
        WHERE place > (SELECT place FROM indexed) AND match = (SELECT number FROM of)
        ORDER BY place DESC LIMIT 1)
    UNION ALL SELECT * FROM (
        SELECT sequence, entry FROM places LEFT JOIN entries USING (place, match, sequence)
        WHERE match = (SELECT number FROM of) ORDER BY sequence DESC LIMIT 1)
    ORDER BY sequence DESC LIMIT 1";

const MATCHES: &str = "SELECT match FROM matches WHERE match > ?1 ORDER BY match LIMIT ?2";

const NOTICES: &str = "SELECT match, notice FROM notices ORDER BY posted DESC LIMIT ?1";

/// Entries with their sequence numbers; `None` for one that only the index has.
type Rows = Vec<(i64, Option<Bytes>)>;

pub(super) fn entries(
    connection: &Connection,
    id: &MatchId,
    after: Sequence,
    limit: usize,
) -> Result<Vec<Bytes>, LogError> {
    // SQLite's integers are signed: no entry has a larger number.
    let Ok(after) = i64::try_from(after.get()) else {
        return Ok(Vec::new());
    };
    let rows = select_entries(connection, id, after, limit).map_err(read_error)?;
    let entry = |((sequence, entry), expected): ((i64, Option<Bytes>), i64)| {
        entry.filter(|_| sequence == expected).ok_or_else(|| {
            let cause = format_args!("the file is damaged: entry {expected} of {id} is missing");
            LogError::damaged(cause)
        })
    };
    rows.into_iter().zip(after + 1..).map(entry).collect()
}

/// The last entry and its number; `None` if there is no such match.
pub(super) fn last(
    connection: &Connection,
    id: &MatchId,
) -> Result<Option<(Sequence, Bytes)>, LogError> {
    let Some((sequence, entry)) = select_last(connection, id).map_err(read_error)? else {
        return Ok(None);
    };
    let missing = || {
        let cause = format_args!("the file is damaged: entry {sequence} of {id} is missing");
        LogError::damaged(cause)
    };
    let entry = entry.ok_or_else(missing)?;
    // A number is positive, which the file checks.
    Ok(Some((Sequence::new(sequence.unsigned_abs()), entry)))
}

fn select_last(
    connection: &Connection,
    id: &MatchId,
) -> rusqlite::Result<Option<(i64, Option<Bytes>)>> {
    let mut select = connection.prepare_cached(LAST)?;
    let last = select.query_row((id.as_str(),), row_of_entry);
    last.optional()
}

fn row_of_entry(row: &Row<'_>) -> rusqlite::Result<(i64, Option<Bytes>)> {
    let entry = row.get_ref(1)?.as_blob_or_null()?;
    Ok((row.get(0)?, entry.map(Bytes::copy_from_slice)))
}

fn select_entries(
    connection: &Connection,
    id: &MatchId,
    after: i64,
    limit: usize,
) -> rusqlite::Result<Rows> {
    // Both selects see the same snapshot of the file.
    let transaction = connection.unchecked_transaction()?;
    let Some(number) = match_number(&transaction, id)? else {
        return Ok(Vec::new());
    };
    let mut rows = Rows::new();
    for select in [INDEXED, NOT_INDEXED] {
        let mut select = transaction.prepare_cached(select)?;
        let limit = sql_limit(limit - rows.len());
        let found = select.query_map((number, after, limit), row_of_entry)?;
        for row in found {
            rows.push(row?);
        }
    }
    Ok(rows)
}

fn match_number(transaction: &Transaction<'_>, id: &MatchId) -> rusqlite::Result<Option<i64>> {
    let mut select = transaction.prepare_cached(NUMBER_OF_MATCH)?;
    select
        .query_row((id.as_str(),), |row| row.get(0))
        .optional()
}

/// The matches behind `after`, at most `limit`.
pub(super) fn matches(
    connection: &Connection,
    after: Option<&MatchId>,
    limit: usize,
) -> Result<Vec<MatchId>, LogError> {
    // No identifier is empty.
    let after = after.map_or("", MatchId::as_str);
    let rows = select_matches(connection, after, limit).map_err(read_error)?;
    rows.into_iter().map(|id| parse_id(&id)).collect()
}

fn select_matches(
    connection: &Connection,
    after: &str,
    limit: usize,
) -> rusqlite::Result<Vec<String>> {
    let mut select = connection.prepare_cached(MATCHES)?;
    let rows = select.query_map((after, sql_limit(limit)), |row| row.get(0))?;
    rows.collect()
}

pub(super) fn notices(
    connection: &Connection,
    limit: usize,
) -> Result<Vec<(MatchId, Bytes)>, LogError> {
    let rows = select_notices(connection, limit).map_err(read_error)?;
    let parse = |(id, notice): (String, Bytes)| Ok((parse_id(&id)?, notice));
    rows.into_iter().map(parse).collect()
}

fn select_notices(connection: &Connection, limit: usize) -> rusqlite::Result<Vec<(String, Bytes)>> {
    let mut select = connection.prepare_cached(NOTICES)?;
    let rows = select.query_map((sql_limit(limit),), |row| {
        let notice = row.get_ref(1)?.as_blob()?;
        Ok((row.get(0)?, Bytes::copy_from_slice(notice)))
    })?;
    rows.collect()
}

fn parse_id(id: &str) -> Result<MatchId, LogError> {
    let damaged = |error| {
        let cause = format_args!("the file is damaged: {id:?}: {error}");
        LogError::damaged(cause)
    };
    id.parse().map_err(damaged)
}

/// Why a select failed.
pub(super) fn read_error(error: rusqlite::Error) -> LogError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            LogError::damaged(format_args!("the file is damaged: {error}"))
        }
        _ => LogError::new(error),
    }
}

fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
