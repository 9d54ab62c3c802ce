//! A year of play, in simulated time, and what can go wrong in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use axum::body::Body;
use axum::http::Request;
use futures_util::future::{FutureExt, join_all, ready};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use open_ttt_lib::state_machine::{GameMove, StateMachine};
use tower::ServiceExt;

use super::*;
use crate::log::{ForwardingLog, LogFuture, MatchLog, MemoryLog};
use crate::matches::{Act, Actor, Player, Seat, Settings, TimeControl, Transition};
use crate::replication::{Proposal, ProposalVerdict};
use crate::server::secrets::Credentials;
use crate::server::stored_match::StoredMatch;
use crate::server::{Config, RateLimit, Server, app};

const DAY_MS: u64 = 86_400_000;

/// The first of January 2026.
const START: u64 = 1_767_225_600_000;

const KEEP: Duration = Duration::from_hours(30 * 24);

/// A folder that is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let name = format!("open_ttt-retention-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn archive(&self) -> PathBuf {
        self.0.join("archive")
    }

    /// The archive's files with their lines.
    fn archived(&self) -> Vec<(String, Vec<String>)> {
        let files = fs::read_dir(self.archive()).expect("the archive");
        let files = files.map(|file| file.expect("a file").path());
        let mut files: Vec<_> = files
            .filter(|path| path.extension().is_some_and(|extension| extension == "tsv"))
            .map(|path| {
                let text = fs::read_to_string(&path).expect("text");
                assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
                let name = path.file_stem().expect("a name").to_string_lossy();
                (name.into_owned(), text.lines().map(str::to_owned).collect())
            })
            .collect();
        files.sort();
        files
    }

    fn lines(&self) -> Vec<String> {
        let files = self.archived().into_iter();
        files.flat_map(|(_, lines)| lines).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn server(scratch: &Scratch, log: Arc<dyn MatchLog>) -> Server {
    let config = Config {
        archive: Some(scratch.archive()),
        keep_matches: Some(KEEP),
        create_rate: RateLimit::UNLIMITED,
        ..Config::default()
    };
    Server::new(Catalog::bundled(), config, log).expect("a server")
}

/// How a played match ends.
#[derive(Clone, Copy)]
enum End {
    ByRules,
    ByResignation,
    ByAgreement,
    InTime,
    /// The players leave in the middle.
    Left,
}

/// Plays a match as the server does, at this time. Returns the expected line.
async fn play(shared: &Shared, number: u64, at: u64, end: End) -> String {
    let mut rng = Rng::new(number);
    let game = ["ttt", "connect4", "dots(m=2,n=2)", "hex(size=4,swap=1)"][number as usize % 4];
    let mut settings = Settings::of_game(game);
    if let End::InTime = end {
        settings.clock = Some(TimeControl {
            initial_ms: 60_000,
            increment_ms: 0,
        });
    }
    let start = DynMatch::new(settings, |name| shared.catalog.game(name)).expect("a game");
    let id: MatchId = format!("match{number}").parse().expect("an id");
    let created = StoredMatch::create(Arc::clone(&shared.log), id, start, false, at);
    let mut stored = created.await.expect("stored");
    let mut now = at;
    let mut names = [String::new(), String::new()];
    let act = async |stored: &mut StoredMatch, now, by, act| {
        let proposal = Proposal {
            number: shared.next_number(),
            base: stored.sequencer().sequence(),
            transition: stored.stamp(by, act, now),
        };
        let mut changes = Vec::new();
        let proposing = stored.propose(
            &shared.client,
            &proposal,
            Credentials::default(),
            &mut changes,
        );
        assert!(matches!(
            proposing.await,
            Some(ProposalVerdict::Accepted(_))
        ));
    };
    for seat in Seat::ALL {
        let name = format!("{} {number}", ["Ann", "Bob"][seat.index()]);
        names[seat.index()].clone_from(&name);
        let player = Player::person(name);
        act(&mut stored, now, Actor::Server, Act::Join { seat, player }).await;
    }
    let mut moves = Vec::new();
    while stored.state().is_running() {
        let state = stored.state();
        let mover = state.to_move().expect("somebody's turn");
        let winner = |loser: Seat| state.side_of(loser).other();
        let mut over = None;
        if moves.len() == 2 {
            over = match end {
                End::ByRules => None,
                // Also out of turn.
                End::ByResignation => Some((mover, Act::Resign, winner(mover), "resigned")),
                End::InTime => Some((mover, Act::TimeOut, winner(mover), "time")),
                End::ByAgreement => Some((mover, Act::OfferDraw, Side::First, "agreed")),
                End::Left => {
                    return line(game, &names, &moves, "*");
                }
            };
        }
        if let Some((loser, last, winner, how)) = over {
            let loser = if number.is_multiple_of(2) {
                loser
            } else {
                !loser
            };
            let result = match last {
                Act::OfferDraw => {
                    act(&mut stored, now, Actor::Seat(loser), last).await;
                    act(&mut stored, now, Actor::Seat(!loser), Act::AcceptDraw).await;
                    "1/2-1/2"
                }
                Act::TimeOut => {
                    act(&mut stored, now + 70_000, Actor::Server, last).await;
                    ["1-0", "0-1"][winner.index()]
                }
                last => {
                    let winner = stored.state().side_of(!loser);
                    act(&mut stored, now, Actor::Seat(loser), last).await;
                    ["1-0", "0-1"][winner.index()]
                }
            };
            return line(game, &names, &moves, &format!("{result} {how}"));
        }
        let position = state.game().position();
        let m = rng.pick(position.moves()).expect("a move");
        let text = position.move_text(m);
        now += 1_000;
        act(&mut stored, now, Actor::Seat(mover), Act::play(&text)).await;
        moves.push(text);
    }
    let result = match stored.state().game().outcome() {
        Some(Outcome::Win(side)) => ["1-0", "0-1"][side.index()],
        _ => "1/2-1/2",
    };
    line(game, &names, &moves, result)
}

/// In the first game, seat A is the first side.
fn line(game: &str, [first, second]: &[String; 2], moves: &[String], result: &str) -> String {
    let is_short = moves.iter().all(|text| text.chars().count() == 1);
    let moves = moves.join(if is_short { "" } else { " " });
    format!("{game}\t{first}\t{second}\t{moves}\t{result}")
}

/// Creates a match that waits for an opponent, through the server's interface.
async fn create_listed(server: &Server) {
    let body = r#"{"game":"ttt","seats":[{"person":"Ann"},null],"listed":true}"#;
    let request = Request::post("/api/v1/matches").header("content-type", "application/json");
    let request = request.body(Body::from(body)).expect("a request");
    let response = app(server).oneshot(request).await.expect("a response");
    assert_eq!(response.status(), 201);
}

/// Plays so many matches on each of 400 days. `size` measures the store.
async fn year(log: Arc<dyn MatchLog>, per_day: u64, pass_every: u64, size: impl AsyncFn() -> u64) {
    let scratch = Scratch::new();
    let server = server(&scratch, log);
    let shared = &server.shared;
    let (mut played, mut sizes, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for last in (0..400)
        .skip(pass_every as usize - 1)
        .step_by(pass_every as usize)
    {
        let days = last + 1 - pass_every..=last;
        shared.clock.set(START + last * DAY_MS);
        let matches = days.flat_map(|day| (0..per_day).map(move |index| (day, index)));
        let matches = matches.map(async |(day, index)| {
            let number = day * per_day + index;
            let end = match number % 7 {
                0 => End::ByResignation,
                1 => End::ByAgreement,
                2 => End::InTime,
                3 => End::Left,
                _ => End::ByRules,
            };
            let at = START + day * DAY_MS + index;
            (day, play(shared, number, at, end).await)
        });
        played.extend(join_all(matches).await);
        // Virtual time runs out for a request while a thread of a store works.
        if pass_every == 1 {
            create_listed(&server).await;
        }
        // All games end, and the actor of the created match unloads it.
        sleep(Duration::from_mins(2)).await;
        assert_eq!(shared.matches.count(), 0, "matches in memory on day {last}");
        pass(shared, KEEP).await.expect("a working store");
        let matches = shared.log.matches(None, usize::MAX).await;
        counts.push(matches.expect("a list").len() as u64);
        sizes.push((last, size().await));
        let notices = shared.log.notices(usize::MAX).await.expect("a list");
        assert!(
            notices.is_empty(),
            "{} notices on day {last}",
            notices.len()
        );
    }
    // The matches of the last 30 days, and those that the next pass deletes.
    let most = (per_day + 1) * (31 + pass_every);
    assert!(counts.iter().all(|&count| count <= most), "{counts:?}");
    let largest = |days: std::ops::Range<u64>| {
        let sizes = sizes.iter().filter(|(day, _)| days.contains(day));
        sizes.map(|&(_, size)| size).max().expect("a size")
    };
    let (early, late) = (largest(0..100), largest(100..400));
    assert!(
        early > 50_000 && late <= early + early / 5,
        "from {early} to {late} bytes"
    );
    // A thread of the pool counts a job as finished just after its result arrives.
    while shared.requests.unfinished() > 0 {
        std::thread::yield_now();
    }
    assert_eq!(shared.listed.total(), 0);

    let archived = scratch.archived();
    let months: Vec<_> = archived.iter().map(|(month, _)| month.as_str()).collect();
    let expected = (1..=12).map(|month| format!("2026-{month:02}"));
    let expected: Vec<_> = expected.chain(["2027-01".to_owned()]).collect();
    assert_eq!(months, expected);
    let lines = scratch.lines();
    for line in &lines {
        let record: TextRecord = line.parse().expect("a record");
        let replayed = record.replay(|name| shared.catalog.game(name));
        replayed.unwrap_or_else(|error| panic!("{error}: {line}"));
    }
    // A pass begins when the games of its day have ended.
    let expected = played.iter().filter(|(day, _)| day + 30 < 400);
    let expected: BTreeSet<_> = expected.map(|(_, line)| line).collect();
    assert_eq!(lines.len(), expected.len(), "each exactly once");
    let found: BTreeSet<_> = lines.iter().collect();
    let [missing, unexpected] = [(&expected, &found), (&found, &expected)]
        .map(|(one, other)| one.difference(other).take(3).collect::<Vec<_>>());
    assert!(
        missing.is_empty(),
        "{missing:?} missing, {unexpected:?} instead"
    );
    let metrics = shared.metrics.to_text();
    let counts = |name: &str, count: usize| {
        let line = format!("open_ttt_matches_{name}_total {count}\n");
        assert!(metrics.contains(&line), "{line} in {metrics}");
    };
    counts("archived", lines.len());
    let created = if pass_every == 1 { 400 - 30 } else { 0 };
    counts("removed", lines.len() + created as usize);
}

#[tokio::test(start_paused = true)]
async fn memory_stays_level_over_a_year() {
    let log = Arc::new(MemoryLog::new());
    let size = async || {
        let mut size = 0;
        for id in log.matches(None, usize::MAX).await.expect("a list") {
            let entries = log.read(&id, Sequence::START, usize::MAX).await;
            size += entries
                .expect("entries")
                .iter()
                .map(Bytes::len)
                .sum::<usize>();
        }
        size as u64
    };
    year(log.clone(), 4, 1, size).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test(start_paused = true)]
async fn the_file_stays_level_over_a_year() {
    let scratch = Scratch::new();
    let path = scratch.0.join("matches.db");
    let log = crate::log::SqliteLog::open(&path).expect("a store");
    // Including the pages that are free for new matches. The write-ahead log has a
    // length of its own.
    let size = async || {
        let connection = rusqlite::Connection::open(&path).expect("the store");
        let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        let size: i64 = connection
            .query_row(size, (), |row| row.get(0))
            .expect("a size");
        size.cast_unsigned()
    };
    year(Arc::new(log), 2, 10, size).await;
}

/// A store that can't remove matches for a while.
#[derive(Debug, Default)]
struct KeepingLog {
    log: MemoryLog,
    keeps: AtomicBool,
}

impl ForwardingLog for KeepingLog {
    fn inner(&self) -> &dyn MatchLog {
        &self.log
    }

    fn remove(&self, id: &MatchId) -> LogFuture<'_, ()> {
        if self.keeps.load(Ordering::Relaxed) {
            return ready(Err(LogError::new("no space"))).boxed();
        }
        self.log.remove(id)
    }

    fn can_remove(&self) -> bool {
        !self.keeps.load(Ordering::Relaxed)
    }
}

/// A server with one finished match, 40 days later.
async fn with_old_match(scratch: &Scratch) -> (Server, Arc<KeepingLog>, String) {
    let log = Arc::new(KeepingLog::default());
    let server = server(scratch, log.clone());
    let line = play(&server.shared, 1, START, End::ByRules).await;
    server.shared.clock.set(START + 40 * DAY_MS);
    (server, log, line)
}

async fn count(log: &impl MatchLog) -> usize {
    log.matches(None, usize::MAX).await.expect("a list").len()
}

#[tokio::test(start_paused = true)]
async fn a_match_that_cannot_be_removed_is_not_archived() {
    let scratch = Scratch::new();
    let (server, log, line) = with_old_match(&scratch).await;
    log.keeps.store(true, Ordering::Relaxed);
    for _ in 0..2 {
        let error = pass(&server.shared, KEEP).await.expect_err("a failure");
        assert_eq!(error.to_string(), "no space");
        assert_eq!((count(&*log).await, scratch.lines()), (1, Vec::new()));
    }
    // A server of a store that never removes anything does not try.
    run(Arc::clone(&server.shared)).await;
    log.keeps.store(false, Ordering::Relaxed);
    pass(&server.shared, KEEP).await.expect("a working store");
    assert_eq!((count(&*log).await, scratch.lines()), (0, vec![line]));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_deleted_while_the_archive_cannot_be_written() {
    let scratch = Scratch::new();
    let (server, log, line) = with_old_match(&scratch).await;
    let month = scratch.archive().join("2026-01.tsv");
    fs::create_dir(&month).expect("a folder");
    let error = pass(&server.shared, KEEP).await.expect_err("a failure");
    let text = error.to_string();
    assert!(text.starts_with("the archive can't be written: "), "{text}");
    assert_eq!(count(&*log).await, 1);
    fs::remove_dir(&month).expect("the folder");
    pass(&server.shared, KEEP).await.expect("a working archive");
    assert_eq!((count(&*log).await, scratch.lines()), (0, vec![line]));
}

/// The server is killed after each step.
#[tokio::test(start_paused = true)]
async fn a_killed_server_archives_each_game_once() {
    let id: MatchId = "match1".parse().expect("an id");
    for steps in 0..4 {
        let scratch = Scratch::new();
        let (server, log, line) = with_old_match(&scratch).await;
        let archive = server.shared.archive.as_ref().expect("an archive");
        let before = play(&server.shared, 2, START, End::ByRules).await;
        if steps > 0 {
            archive
                .append(
                    &"gone".parse().expect("an id"),
                    START,
                    &format!("{before}\n"),
                )
                .expect("room");
            archive.keep().expect("room");
            log.inner()
                .remove(&"match2".parse().expect("an id"))
                .await
                .expect("removed");
        }
        if steps > 1 {
            archive
                .append(&id, START, &format!("{line}\n"))
                .expect("room");
        }
        if steps > 2 {
            log.inner().remove(&id).await.expect("removed");
        }
        pass(&server.shared, KEEP).await.expect("a working store");
        let mut lines = scratch.lines();
        lines.sort();
        let mut expected = vec![line, before];
        expected.sort();
        assert_eq!(lines, expected, "after {steps} steps");
        assert_eq!(count(&*log).await, 0);
        assert_eq!(archive.unsettled().expect("readable"), None);
    }
}

/// Virtual time would unload the match while another is replayed on a thread.
#[tokio::test]
async fn matches_in_memory_and_young_ones_are_kept() {
    let scratch = Scratch::new();
    let (server, log, old) = with_old_match(&scratch).await;
    let shared = &server.shared;
    // Changed 29 days ago.
    play(shared, 2, START + 11 * DAY_MS, End::Left).await;
    // Damaged.
    let damaged = "damaged".parse().expect("an id");
    let header =
        format!(r#"{{"version":2,"settings":{{"game":"ttt"}},"listed":false,"at":{START}}}"#);
    for (entry, last) in [header, "{}".to_owned()].into_iter().zip(0..) {
        let appended = log
            .inner()
            .append(&damaged, Sequence::new(last), entry.into())
            .await;
        appended.expect("stored");
    }
    // In memory.
    shared.clock.set(START);
    create_listed(&server).await;
    assert_eq!(shared.matches.count(), 1);
    shared.clock.set(START + 40 * DAY_MS);
    pass(shared, KEEP).await.expect("a working store");
    assert_eq!((count(&*log).await, scratch.lines()), (3, vec![old]));
    tokio::time::pause();
    sleep(Duration::from_mins(2)).await;
    assert_eq!(shared.matches.count(), 0);
    pass(shared, KEEP).await.expect("a working store");
    assert_eq!(count(&*log).await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_match_from_a_position_that_nobody_joined_is_deleted() {
    let scratch = Scratch::new();
    let log = Arc::new(MemoryLog::new());
    let server = server(&scratch, Arc::clone(&log) as _);
    let shared = &server.shared;
    let mut settings = Settings::of_game("ttt");
    settings.moves = ["b2", "a1"].map(|text| GameMove(text.to_owned())).to_vec();
    let start = DynMatch::new(settings, |name| shared.catalog.game(name)).expect("a game");
    let id: MatchId = "match".parse().expect("an id");
    let created = StoredMatch::create(Arc::clone(&shared.log), id, start, false, START);
    created.await.expect("stored");
    shared.clock.set(START + milliseconds(KEEP) + DAY_MS);
    pass(shared, KEEP).await.expect("passed");
    assert_eq!(count(&*log).await, 0);
    assert_eq!(scratch.lines(), [""; 0]);
}

#[test]
fn a_game_in_which_nobody_has_moved_is_not_archived() {
    let mut settings = Settings::of_game("ttt");
    settings.moves = vec![GameMove("b2".to_owned())];
    let start = DynMatch::new(settings, |name| Catalog::bundled().game(name)).expect("a game");
    let join = |seat| {
        let player = Player::person("Ann");
        (Actor::Server, Act::Join { seat, player })
    };
    let after = |state: &DynMatch, by, act| {
        let at = state.at();
        state.apply(&Transition { at, by, act }).expect("possible")
    };
    let joined = Seat::ALL.map(join).into_iter();
    let begun = joined.fold(start, |state, (by, act)| after(&state, by, act));
    let mover = Actor::Seat(Seat::B);
    assert_eq!(record(&begun), Ok(None));
    assert_eq!(record(&after(&begun, mover, Act::Resign)), Ok(None));
    let moved = after(&begun, mover, Act::play("a1"));
    for state in [moved.clone(), after(&moved, mover, Act::Resign)] {
        assert!(matches!(record(&state), Ok(Some(_))), "{state:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_is_not_loaded_while_it_is_deleted() {
    let scratch = Scratch::new();
    let (server, _log, _) = with_old_match(&scratch).await;
    let shared = &server.shared;
    let id: MatchId = "match1".parse().expect("an id");
    let status = async || {
        let request = Request::get(format!("/api/v1/matches/{id}")).body(Body::empty());
        let response = app(&server).oneshot(request.expect("a request")).await;
        response.expect("a response").status().as_u16()
    };
    // The work keeps the match: the waiting request gets it.
    let work = async || {
        sleep(Duration::from_secs(1)).await;
        shared.matches.count()
    };
    let (kept, found) = tokio::join!(shared.matches.while_unloaded(&id, work()), status());
    assert_eq!((kept, found), (Some(1), 200));
    assert_eq!(shared.matches.while_unloaded(&id, work()).await, None);
    sleep(Duration::from_mins(2)).await;
    // The work deletes the match.
    let work = async {
        sleep(Duration::from_secs(1)).await;
        shared.log.remove(&id).await
    };
    let (deleted, found) = tokio::join!(shared.matches.while_unloaded(&id, work), status());
    assert_eq!((deleted, found), (Some(Ok(())), 404));
    assert_eq!(shared.matches.count(), 0, "empty slots are dropped");
    // A cancelled request leaves no slot either.
    let waiting = tokio::time::timeout(
        Duration::from_secs(1),
        shared
            .matches
            .while_unloaded(&id, std::future::pending::<()>()),
    );
    waiting.await.expect_err("cancelled");
    assert_eq!(shared.matches.count(), 0);
}

#[tokio::test]
async fn an_archive_belongs_to_one_server() {
    let scratch = Scratch::new();
    let first = server(&scratch, Arc::new(MemoryLog::new()));
    let config = first.shared.config.clone();
    let second = || {
        Server::new(
            Catalog::bundled(),
            config.clone(),
            Arc::new(MemoryLog::new()),
        )
    };
    let error = second().expect_err("the folder is in use").to_string();
    assert!(error.contains("another server uses it"), "{error}");
    drop(first);
    second().expect("a server");
}
