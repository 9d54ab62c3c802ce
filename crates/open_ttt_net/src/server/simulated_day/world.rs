use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use open_ttt_catalog::Catalog;
use open_ttt_lib::random::Rng;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::ledger::Ledger;
use super::node::{Node, Socket, work_in_no_time};
use super::store::{Store, StoreLink};
use crate::log::MatchLog;
use crate::replication::Sequence;
use crate::server::Shared;
use crate::{ClientId, MatchId};

/// The first of January 2026, in milliseconds since 1970.
const START: u64 = 1_767_225_600_000;

/// How far the clock of a server is ahead at most, in milliseconds.
pub(super) const MAX_AHEAD_MS: u64 = 100;

/// The simulated time, in milliseconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    started: Instant,
}

/// What a day is like.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) seed: u64,
    /// The number of servers that share the store.
    pub(super) nodes: usize,
    pub(super) persons: usize,
    pub(super) length: Duration,
}

/// Servers, their store, and what everybody knows.
pub(super) struct World {
    pub(super) time: Time,
    pub(super) plan: Plan,
    pub(super) catalog: Catalog,
    pub(super) store: Arc<Store>,
    pub(super) ledger: RefCell<Ledger>,
    /// The servers; `None` while one is down.
    nodes: RefCell<Vec<Option<Node>>>,
    /// Since when no server serves.
    dark_since: Cell<Option<u64>>,
    /// When a server was last killed.
    pub(super) killed_at: Cell<u64>,
    invitations: Vec<mpsc::UnboundedSender<MatchId>>,
    rng: RefCell<Rng>,
    last_client: Cell<u64>,
    archive: PathBuf,
    /// When a request or a connection last used a match.
    pub(super) used: RefCell<BTreeMap<MatchId, u64>>,
}

impl Time {
    pub(super) fn start() -> Self {
        Self {
            started: Instant::now(),
        }
    }

    pub(super) fn now(self) -> u64 {
        START + self.started.elapsed().as_millis() as u64
    }

    pub(super) async fn sleep_until(self, at: u64) {
        let at = Duration::from_millis(at.saturating_sub(START));
        tokio::time::sleep_until(self.started + at).await;
    }
}

impl World {
    pub(super) fn new(
        plan: Plan,
        archive: PathBuf,
        invitations: Vec<mpsc::UnboundedSender<MatchId>>,
    ) -> Rc<Self> {
        Rc::new(Self {
            time: Time::start(),
            rng: RefCell::new(Rng::new(plan.seed)),
            nodes: RefCell::new((0..plan.nodes).map(|_| None).collect()),
            catalog: Catalog::bundled(),
            store: Arc::new(Store::new()),
            ledger: RefCell::new(Ledger::new(plan.nodes > 1)),
            dark_since: Cell::new(Some(START)),
            killed_at: Cell::new(0),
            invitations,
            last_client: Cell::new(0),
            archive,
            used: RefCell::default(),
            plan,
        })
    }

    /// Whether the day is over.
    pub(super) fn is_over(&self) -> bool {
        self.time.started.elapsed() >= self.plan.length
    }

    pub(super) fn new_client_id(&self) -> ClientId {
        let number = self.last_client.get() + 1;
        self.last_client.set(number);
        format!("client-{number}").parse().expect("an identifier")
    }

    /// Sends the link to a private match to somebody else.
    pub(super) fn invite(&self, from: usize, id: MatchId, rng: &mut Rng) {
        let others = (0..self.invitations.len()).filter(|&other| other != from);
        let other = rng.pick(others).expect("another person");
        // Nobody reads it in the evening.
        let _ = self.invitations[other].send(id);
    }

    /// Looks at the servers that serve.
    pub(super) fn serving<T>(&self, look: impl FnMut(&Node) -> T) -> Vec<T> {
        self.nodes.borrow().iter().flatten().map(look).collect()
    }

    /// Any server that serves, through a balancer.
    fn any_node<T>(&self, use_it: impl FnOnce(&Node) -> T) -> Option<T> {
        let nodes = self.nodes.borrow();
        let node = self.rng.borrow_mut().pick(nodes.iter().flatten())?;
        Some(use_it(node))
    }

    pub(super) fn connect(
        &self,
        id: &MatchId,
        address: IpAddr,
    ) -> Option<impl Future<Output = Option<Socket>> + use<>> {
        self.used.borrow_mut().insert(id.clone(), self.time.now());
        self.any_node(|node| node.connect(id, address))
    }

    async fn request(
        &self,
        address: IpAddr,
        request: Request<Body>,
    ) -> Option<(StatusCode, Value)> {
        let requesting = self.any_node(|node| node.request(request, address))?;
        requesting.await
    }

    pub(super) async fn post(
        &self,
        address: IpAddr,
        path: &str,
        body: &Value,
    ) -> Option<(StatusCode, Value)> {
        let request = Request::post(path).header("content-type", "application/json");
        let request = request.body(body.to_string().into()).expect("a request");
        let answer = self.request(address, request).await;
        // Whichever match the request was about may be in memory now.
        let now = self.time.now();
        let ids = [
            path.split('/').nth(4),
            body["match"].as_str(),
            body["waiting"].as_str(),
        ];
        let answered = answer
            .as_ref()
            .and_then(|(_, answer)| answer["match"].as_str());
        let ids = ids.into_iter().chain([answered]).flatten();
        let mut used = self.used.borrow_mut();
        used.extend(ids.filter_map(|id| Some((id.parse().ok()?, now))));
        drop(used);
        answer
    }

    /// The answer to a request that must succeed; `None` without a server.
    pub(super) async fn get(&self, address: IpAddr, path: &str) -> Option<Value> {
        let request = Request::get(path).body(Body::empty()).expect("a request");
        let (status, answer) = self.request(address, request).await?;
        if status == StatusCode::SERVICE_UNAVAILABLE {
            return None;
        }
        assert_eq!(status, 200, "{path}: {answer}");
        Some(answer)
    }

    /// The ids of all stored matches.
    pub(super) async fn stored(&self) -> Vec<MatchId> {
        let ids = self
            .store
            .log
            .matches(None, usize::MAX)
            .await
            .expect("a list");
        ids.into_iter().filter(|id| !id.is_reserved()).collect()
    }

    /// A match with two players that was used lately.
    pub(super) async fn running(&self, rng: &mut Rng) -> Option<MatchId> {
        let now = self.time.now();
        let mut recent = |used: &BTreeMap<MatchId, u64>| {
            let recent = used.iter().filter(|(_, at)| **at + 600_000 > now);
            rng.pick(recent).map(|(id, _)| id.clone())
        };
        let id = recent(&self.used.borrow())?;
        let entries = self.store.log.read(&id, Sequence::START, 3).await;
        (entries.expect("entries").len() == 3).then_some(id)
    }

    /// Waits, while no time passes, until the computers have moved.
    pub(super) async fn settle(&self) {
        for shared in self.serving(|node| Arc::clone(node.shared())) {
            work_in_no_time(&shared).await;
        }
    }

    pub(super) async fn start_node(&self, index: usize) {
        let seed = self.rng.borrow_mut().next_u64();
        let store = Arc::clone(&self.store);
        let link = StoreLink::new(store, self.plan.nodes > 1, seed, self.time);
        let archive = (index == 0).then(|| self.archive.clone());
        let ahead = self.rng.borrow_mut().below(MAX_AHEAD_MS as usize + 1) as u64;
        let now = self.time.now() + ahead;
        let node = Node::start(&self.catalog, link, now, archive).await;
        let shared = Arc::clone(node.shared());
        self.nodes.borrow_mut()[index] = Some(node);
        // A server knows the time only then.
        shared.outages().await;
        if let Some(since) = self.dark_since.take() {
            let outage = (since, self.time.now());
            self.ledger.borrow_mut().outages.push(outage);
        }
    }

    /// Ends a server, and waits until nothing is left of it.
    async fn end_node(&self, index: usize, is_kill: bool) {
        let node = self.nodes.borrow_mut()[index].take();
        let Some(node) = node else { return };
        let is_last = self.serving(|_| ()).is_empty();
        let left = if is_kill {
            self.killed_at.set(self.time.now());
            self.ledger.borrow_mut().count("killed");
            if is_last {
                self.dark_since.set(Some(self.time.now()));
            }
            node.kill()
        } else {
            self.ledger.borrow_mut().count("stopped");
            let left = node.stop().await;
            if is_last && self.serving(|_| ()).is_empty() {
                self.dark_since.set(Some(self.time.now()));
            }
            left
        };
        self.is_gone(&left, index).await;
    }

    async fn is_gone(&self, left: &Weak<Shared>, index: usize) {
        let mut waits = 0;
        while left.strong_count() > 0 {
            sleep(Duration::from_millis(100)).await;
            waits += 1;
            assert!(waits < 1_200, "server {index} has ended, but not its tasks");
        }
    }

    /// Restarts servers, and fills the store for moments, until the end of the day.
    pub(super) async fn operate(self: Rc<Self>) {
        let mut rng = Rng::new(self.rng.borrow_mut().next_u64());
        let mut between = |low: u64, high: u64| {
            Duration::from_millis(low + rng.below((high - low) as usize) as u64)
        };
        while !self.is_over() {
            sleep(between(5 * 60_000, 60 * 60_000)).await;
            let roll = between(0, 100).as_millis();
            if roll < 20 {
                let from = self.time.now();
                self.store.is_full.store(true, Ordering::Relaxed);
                sleep(between(500, 8_000)).await;
                self.store.is_full.store(false, Ordering::Relaxed);
                let mut ledger = self.ledger.borrow_mut();
                ledger.count("store full");
                ledger.full.push((from, self.time.now()));
                continue;
            }
            let index = between(0, self.plan.nodes as u64).as_millis() as usize;
            self.end_node(index, roll < 60).await;
            if self.plan.nodes > 1 && roll % 4 == 0 {
                // A blackout of the whole house.
                for other in 0..self.plan.nodes {
                    self.end_node(other, true).await;
                }
            }
            let is_short = roll % 3 > 0;
            sleep(if is_short {
                between(500, 20_000)
            } else {
                between(60_000, 15 * 60_000)
            })
            .await;
            for index in 0..self.plan.nodes {
                if self.nodes.borrow()[index].is_none() {
                    self.start_node(index).await;
                }
            }
            self.load_all().await;
        }
    }

    /// Looks at all matches: whoever loads a match completes what a killed server has
    /// left.
    pub(super) async fn load_all(&self) {
        for id in self.stored().await {
            let path = format!("/api/v1/matches/{id}");
            let now = self.time.now();
            let request = Request::get(&path).body(Body::empty()).expect("a request");
            let answer = self.request(IpAddr::from([192, 0, 2, 254]), request).await;
            self.used.borrow_mut().insert(id.clone(), now);
            let Some((status, answer)) = answer else {
                continue;
            };
            if status == StatusCode::OK {
                let status: crate::protocol::MatchStatus =
                    serde_json::from_value(answer).expect("a status");
                let face = super::model::Face::of_view(&status.view);
                let mut ledger = self.ledger.borrow_mut();
                ledger.told(&id).face(status.sequence.get(), &face);
            } else {
                // It was deleted meanwhile, or the server stops.
                assert!(status == 404 || status == 503, "{path}: {status} {answer}");
            }
            sleep(Duration::from_millis(500)).await;
        }
    }

    /// All servers end as by Ctrl-C, and nothing is left of them.
    pub(super) async fn end(&self) {
        for index in 0..self.plan.nodes {
            self.end_node(index, false).await;
        }
    }
}
