use core::fmt;
use core::num::NonZero;
use core::time::Duration;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};
use std::time::Instant;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull::{MessagesError, Stream};
use async_nats::jetstream::consumer::{Consumer, pull};
use futures_util::StreamExt;
use futures_util::future::join_all;
use open_ttt_lib::random::Rng;
use open_ttt_search::StopFlag;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::answer::{self, Part, Parts};
use super::broker::Broker;
use super::ledger::{Heard, Ledger, Lie};
use super::options::{BrokerOptions, ConnectError};
use super::roster::Roster;
use super::task::{Sum, Task, TaskId, Terms, Unreadable, VERSION};
use crate::{Harvest, Interrupted, Learnable, Notice, Order, Record, Source};

/// How games are had from others.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TeamOptions {
    /// Where they are asked for.
    pub broker: BrokerOptions,
    /// When nothing has come for so long, the learner plays as well: what nobody has
    /// taken, and then what others are at. Whoever is first counts.
    pub plays_after: Duration,
    /// One task in so many is played again here, to see whether the games are right,
    /// beside the first of each worker, as far as the learner keeps up with that.
    pub checks_one_in: NonZero<u32>,
    /// A worker that is not heard of for so long is taken for dead, and its task given
    /// to others.
    pub dead_after: Duration,
    /// When nothing has come for so long, that is [told](Notice::Silence).
    pub silent_after: Duration,
}

/// A learner's workers, wherever they are.
///
/// It plays as well, with as many threads as it is given, so nothing has to be waited
/// for: not for workers that do not come or have died, and not for a broker that has
/// gone. Then it plays alone.
pub struct Team {
    options: TeamOptions,
    runtime: Runtime,
    broker: Broker,
    run: u64,
    /// None before the first iteration and after a failure.
    prepared: Arc<Mutex<Option<Prepared>>>,
    roster: Roster,
    parts: Parts,
    /// Draws what is played again: nobody else knows its seed.
    dice: Rng,
    /// Who was told to be unusable.
    strangers: HashSet<String>,
    /// What takes away what is left of an iteration.
    clearing: Option<JoinHandle<()>>,
    /// How long nothing has come, without the time between iterations; none once that
    /// was told.
    silent: Option<Duration>,
}

/// How often it is looked whether it is to stop.
const TICK: Duration = Duration::from_millis(50);

/// How many tasks there are for one that is played again.
const ONE_IN: NonZero<u32> = NonZero::<u32>::MIN.saturating_add(15);

/// So many unusable senders are told of.
const MOST_STRANGERS: usize = 100;

/// What the broker has for a whole run.
struct Prepared {
    answers: Consumer<pull::Config>,
    terms: (Terms, Sum),
}

/// What the broker has for an iteration.
struct Offer {
    answers: Stream,
    terms: Sum,
    model: Sum,
    /// Where each task stands in the stream.
    places: Vec<u64>,
}

/// A task that was played here.
type Played = (usize, Result<Vec<Record>, Interrupted>);

impl TeamOptions {
    /// With this broker and the usual choices for everything else.
    pub const fn new(broker: BrokerOptions) -> Self {
        Self {
            broker,
            plays_after: Duration::ZERO,
            checks_one_in: ONE_IN,
            dead_after: Duration::from_secs(30),
            silent_after: Duration::from_secs(10),
        }
    }
}

impl Team {
    /// Connects to the broker, and makes there what is needed.
    ///
    /// # Errors
    ///
    /// [`ConnectError`], if there is no broker, or it does not do that.
    ///
    /// # Panics
    ///
    /// In an asynchronous function: it waits, as everything here does.
    pub fn connect(options: TeamOptions) -> Result<Self, ConnectError> {
        let failed = |error: &dyn fmt::Display| ConnectError::Options(error.to_string());
        let mut chance = [[0; 8]; 2];
        getrandom::fill(chance.as_flattened_mut()).map_err(|error| failed(&error))?;
        let [run, seed] = chance.map(u64::from_le_bytes);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| failed(&error))?;
        let broker = runtime.block_on(async {
            let broker = Broker::connect(&options.broker).await?;
            let made = broker.make(options.dead_after).await;
            made.map_err(ConnectError::Refused)?;
            Ok(broker)
        })?;
        Ok(Self {
            options,
            runtime,
            broker,
            run,
            prepared: Arc::default(),
            roster: Roster::default(),
            parts: Parts::default(),
            dice: Rng::new(seed),
            strangers: HashSet::new(),
            clearing: None,
            silent: Some(Duration::ZERO),
        })
    }

    /// Puts network and tasks where workers find them, as soon as what is left of the
    /// iteration before is gone.
    fn offer(
        &mut self,
        model: Vec<u8>,
        terms: Terms,
        tasks: Vec<(TaskId, core::ops::Range<u64>)>,
    ) -> JoinHandle<Result<Offer, String>> {
        let clearing = self.clearing.take();
        let (broker, run) = (self.broker.clone(), self.run);
        let dead_after = self.options.dead_after;
        let prepared = Arc::clone(&self.prepared);
        self.runtime.spawn(async move {
            if let Some(clearing) = clearing {
                // It has nothing to say.
                let _ = clearing.await;
            }
            // What fails is prepared again.
            let known = lock(&prepared).take();
            let known = if let Some(known) = known.filter(|known| known.terms.0 == terms) {
                known
            } else {
                broker.make(dead_after).await?;
                let sum = broker.put(&terms.to_bytes()).await?;
                Prepared {
                    answers: broker.answers(run).await?,
                    terms: (terms, sum),
                }
            };
            let answers = known.answers.stream().messages().await;
            let answers =
                answers.map_err(|error| format!("the broker hands out no answers: {error}"))?;
            let (model, terms) = (broker.put(&model).await?, known.terms.1.clone());
            let given = tasks.into_iter().map(|(id, numbers)| {
                let task = task(id, &numbers, &model, &terms);
                broker.give(run, id.to_string(), task.to_bytes())
            });
            let places: Result<Vec<_>, _> = join_all(given).await.into_iter().collect();
            let places = places?;
            *lock(&prepared) = Some(known);
            Ok(Offer {
                answers,
                terms,
                model,
                places,
            })
        })
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn task(id: TaskId, numbers: &core::ops::Range<u64>, model: &Sum, terms: &Sum) -> Task {
    Task {
        version: VERSION.to_owned(),
        id,
        model: model.clone(),
        terms: terms.clone(),
        first: numbers.start,
        games: (numbers.end - numbers.start) as u32,
    }
}

impl<G: Learnable> Source<G> for Team {
    fn play(
        &mut self,
        order: &Order<'_, G>,
        threads: NonZero<usize>,
        stop: &StopFlag,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Harvest, Interrupted> {
        let begun = Instant::now();
        let model = order.network.to_bytes();
        let sum = Sum::of(&model);
        let terms = Terms {
            game: order.start.name(),
            seed: order.seed,
            self_play: order.self_play.clone(),
        };
        let ledger = Ledger::new(self.run, order.iteration, order.numbers.clone());
        let numbers = |id: TaskId| (id, ledger.numbers(id.index as usize));
        let tasks = ledger.ids().into_iter().map(numbers).collect();
        let mut offering = self.offer(model, terms, tasks);
        self.parts.clear();
        let runtime = self.runtime.handle().clone();
        let mut round = Round {
            team: self,
            order,
            ledger,
            offer: None,
            is_offered: false,
            is_alone: false,
            running: HashMap::new(),
            heard: begun,
            looked: begun,
            tell,
            runtime: runtime.clone(),
        };
        let ended = thread::scope(|scope| {
            runtime.block_on(round.go(scope, &mut offering, threads.get(), stop))
        });
        let Round {
            ledger, is_offered, ..
        } = round;
        let harvest = ledger.harvest(&mut self.roster);
        let (broker, run) = (self.broker.clone(), self.run);
        self.clearing = Some(runtime.spawn(async move {
            if !is_offered {
                // All was played before it was there.
                let _ = offering.await;
            }
            // What cannot be taken away now is gone after a while.
            let _ = broker.withdraw(run).await;
            broker.forget(&sum).await;
        }));
        ended.map(|()| harvest)
    }
}

/// An iteration's games as they come.
struct Round<'a, G> {
    team: &'a mut Team,
    order: &'a Order<'a, G>,
    ledger: Ledger,
    offer: Option<Offer>,
    /// Whether it is known what has become of the offer.
    is_offered: bool,
    /// The broker has failed.
    is_alone: bool,
    /// What is played here.
    running: HashMap<usize, StopFlag>,
    /// When something came last.
    heard: Instant,
    /// When it was looked last how long nothing has come.
    looked: Instant,
    tell: &'a mut dyn FnMut(Notice),
    runtime: Handle,
}

impl<'a, G: Learnable> Round<'a, G> {
    async fn go<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        offering: &mut JoinHandle<Result<Offer, String>>,
        threads: usize,
        stop: &StopFlag,
    ) -> Result<(), Interrupted>
    where
        'a: 'scope,
    {
        let (sender, mut played): (UnboundedSender<Played>, UnboundedReceiver<Played>) =
            unbounded_channel();
        let ended = loop {
            if stop.is_raised() {
                break Err(Interrupted::Stopped);
            }
            while self.running.len() < threads
                && let Some(index) = self.next_here()
            {
                self.begin(index, scope, sender.clone());
            }
            if self.ledger.is_done() {
                break Ok(());
            }
            self.listen();
            let answers = self.offer.as_mut().map(|offer| &mut offer.answers);
            tokio::select! {
                offered = &mut *offering, if !self.is_offered => {
                    self.is_offered = true;
                    let lost = |error: tokio::task::JoinError| error.to_string();
                    self.offered(offered.map_err(lost).flatten());
                }
                Some((index, records)) = played.recv() => match records {
                    Ok(records) => {
                        self.running.remove(&index);
                        let lie = self.ledger.know(index, records, &mut self.team.roster);
                        self.caught(lie);
                    }
                    Err(Interrupted::Stopped) => {
                        self.running.remove(&index);
                    }
                    Err(error) => break Err(error),
                },
                message = next(answers) => self.hear(message),
                () = sleep(TICK) => {}
            }
        };
        for flag in self.running.values() {
            flag.raise();
        }
        ended
    }

    /// What is to be played here now: what is to be checked, and if it may be, the
    /// last of what nobody has given. Workers begin with the first.
    fn next_here(&self) -> Option<usize> {
        let is_free = |index: &usize| !self.running.contains_key(index);
        let to_check = self.ledger.to_check().find(is_free);
        let may_play = self.is_alone || self.heard.elapsed() >= self.team.options.plays_after;
        let open = || self.ledger.open().rev().find(is_free);
        to_check.or_else(|| may_play.then(open).flatten())
    }

    fn begin<'scope>(
        &mut self,
        index: usize,
        scope: &'scope Scope<'scope, '_>,
        sender: UnboundedSender<Played>,
    ) where
        'a: 'scope,
    {
        let flag = StopFlag::new();
        self.running.insert(index, flag.clone());
        self.take_away(index);
        let (order, numbers) = (self.order, self.ledger.numbers(index));
        scope.spawn(move || {
            let records = order.play(numbers, NonZero::<usize>::MIN, &flag);
            // If nobody listens any more, it is over.
            let _ = sender.send((index, records));
        });
    }

    /// Takes a task back that nobody may have begun.
    fn take_away(&self, index: usize) {
        let places = self.offer.as_ref().map(|offer| &offer.places);
        if let Some(&place) = places.and_then(|places| places.get(index)) {
            let broker = self.team.broker.clone();
            self.runtime
                .spawn(async move { broker.take_away(place).await });
        }
    }

    fn offered(&mut self, offer: Result<Offer, String>) {
        match offer {
            Ok(offer) => {
                self.offer = Some(offer);
                let open: HashSet<_> = self.ledger.open().collect();
                for index in 0..self.ledger.ids().len() {
                    if self.running.contains_key(&index) || !open.contains(&index) {
                        self.take_away(index);
                    }
                }
            }
            Err(cause) => self.fall_out(cause),
        }
    }

    /// From here on alone.
    fn fall_out(&mut self, cause: String) {
        self.offer = None;
        self.is_alone = true;
        *lock(&self.team.prepared) = None;
        (self.tell)(Notice::Broker(cause));
    }

    fn hear(&mut self, message: Option<Result<Message, MessagesError>>) {
        match message {
            Some(Ok(message)) => self.read(&message.payload),
            // It asks again by itself.
            Some(Err(error)) if error.kind() == pull::MessagesErrorKind::MissingHeartbeat => {}
            Some(Err(error)) => self.fall_out(format!("the broker gives no answers: {error}")),
            None => self.fall_out("the broker gives no answers".to_owned()),
        }
    }

    fn read(&mut self, message: &[u8]) {
        let part = match Part::read(message) {
            Ok(part) => part,
            Err(cause) => return self.refuse("somebody", &cause),
        };
        if !self.ledger.expects(part.task) {
            return;
        }
        if !self.team.roster.admits(&part.worker) {
            let again = self.ledger.renew(part.task);
            self.give(again);
            return;
        }
        let Some(answer) = self.team.parts.add(part) else {
            return;
        };
        let Order {
            start, self_play, ..
        } = self.order;
        let one_in = self.team.options.checks_one_in.get() as usize;
        let (index, dice) = (answer.task.index as usize, &mut self.team.dice);
        let read = |bytes: &[u8], games| answer::read(bytes, games, *start, self_play.random_plies);
        // More than can be checked in time would hold up everybody.
        let is_behind = self.ledger.to_check().count() > self.running.len();
        let sample = || !is_behind && dice.below(one_in) == 0;
        match self
            .ledger
            .hear(answer, &mut self.team.roster, read, sample)
        {
            Heard::Ignored => {}
            Heard::Taken { check } => {
                self.heard = Instant::now();
                self.team.silent = Some(Duration::ZERO);
                if !check && let Some(flag) = self.running.get(&index) {
                    // What is begun here is a check now, and not needed.
                    flag.raise();
                }
                (self.tell)(Notice::Help(self.ledger.help()));
            }
            Heard::Lie(lie) => self.caught(Some(lie)),
        }
    }

    /// A worker of another version, or somebody who is none.
    fn refuse(&mut self, worker: &str, cause: &Unreadable) {
        let strangers = &mut self.team.strangers;
        let cause = cause.to_string();
        if strangers.len() < MOST_STRANGERS && strangers.insert(cause.clone()) {
            let worker = worker.to_owned();
            (self.tell)(Notice::Refused { worker, cause });
        }
    }

    fn caught(&mut self, lie: Option<Lie>) {
        let Some(lie) = lie else { return };
        let Lie {
            worker,
            cause,
            unchecked,
            again,
        } = lie;
        let (broker, name, word) = (self.team.broker.clone(), worker.clone(), cause.clone());
        self.runtime
            .spawn(async move { broker.tell(&name, &word).await });
        self.give(again);
        (self.tell)(Notice::Liar {
            worker,
            cause,
            unchecked,
        });
    }

    /// Gives tasks out again.
    fn give(&self, again: impl IntoIterator<Item = TaskId>) {
        let Some(offer) = &self.offer else { return };
        for id in again {
            let numbers = self.ledger.numbers(id.index as usize);
            let task = task(id, &numbers, &offer.model, &offer.terms);
            let (broker, run) = (self.team.broker.clone(), self.team.run);
            self.runtime.spawn(async move {
                // If nobody gets it, it is played here.
                let _ = broker.give(run, id.to_string(), task.to_bytes()).await;
            });
        }
    }

    /// Tells if nothing has come for long.
    fn listen(&mut self) {
        let passed = self.looked.elapsed();
        self.looked = Instant::now();
        if let Some(before) = self.team.silent {
            let silent = before + passed;
            self.team.silent = Some(silent);
            if silent >= self.team.options.silent_after && !self.is_alone {
                self.team.silent = None;
                (self.tell)(Notice::Silence(silent));
            }
        }
    }
}

/// The next answer; where there are none to come, it never does.
async fn next(stream: Option<&mut Stream>) -> Option<Result<Message, MessagesError>> {
    match stream {
        Some(stream) => stream.next().await,
        None => core::future::pending().await,
    }
}

impl Drop for Team {
    /// What is left at the broker is taken away, if that can be done soon.
    fn drop(&mut self) {
        if Handle::try_current().is_err()
            && let Some(clearing) = self.clearing.take()
        {
            let patience = self.options.broker.patience;
            // What is not taken away is gone after a while.
            let _ = self
                .runtime
                .block_on(async { timeout(patience, clearing).await });
        }
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team")
            .field("run", &self.run)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
