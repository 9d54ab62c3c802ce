use std::net::IpAddr;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use open_ttt_search::StopFlag;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::api_error::ApiError;
use super::fair_queue::FairQueue;
use super::limits::network;
use crate::lock::lock;
use crate::protocol::ErrorCode;

/// Threads for work that would block the async threads: searches, solvers, and
/// everything whose cost a client chooses. Each address gets the same share of them.
#[derive(Debug)]
pub(super) struct WorkPool {
    shared: Arc<Shared>,
    threads: NonZero<usize>,
    time_limit: Duration,
}

struct Shared {
    queue: Mutex<FairQueue<Job>>,
    pushed: Condvar,
    unfinished: AtomicUsize,
}

type Job = Box<dyn FnOnce() + Send>;

/// The result of a job. Dropping it cancels the job.
#[derive(Debug)]
pub(super) struct JobResult<T> {
    result: oneshot::Receiver<T>,
    stop: StopFlag,
}

/// The job has panicked, or was cancelled before it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JobFailed;

/// The size of a pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct PoolSize {
    pub(super) threads: NonZero<usize>,
    /// The time limit of a job while nobody else waits.
    pub(super) time_limit: Duration,
    /// The number of waiting jobs, in total and of each address.
    pub(super) max_waiting: usize,
    pub(super) max_per_address: usize,
}

/// The least time for a job, however many others wait.
const MIN_TIME: Duration = Duration::from_millis(20);

impl WorkPool {
    /// Starts the threads, which end with the process.
    pub(super) fn start(name: &str, size: PoolSize) -> Self {
        let shared = Arc::new(Shared {
            queue: Mutex::new(FairQueue::new(size.max_waiting, size.max_per_address)),
            pushed: Condvar::new(),
            unfinished: AtomicUsize::new(0),
        });
        for number in 0..size.threads.get() {
            let shared = Arc::downgrade(&shared);
            // If no thread can be started, jobs wait; the rest of the server
            // works.
            let _ = std::thread::Builder::new()
                .name(format!("{name}-{number}"))
                .spawn(move || {
                    while let Some(shared) = shared.upgrade() {
                        shared.run_next();
                    }
                });
        }
        Self {
            shared,
            threads: size.threads,
            time_limit: size.time_limit,
        }
    }

    /// The number of waiting and running jobs.
    pub(super) fn unfinished(&self) -> usize {
        self.shared.unfinished.load(Ordering::Relaxed)
    }

    /// Queues a job of this address; `None` if there is no room. The flag is raised
    /// when the job's time is up, which is less the more addresses wait and the more
    /// jobs this address has.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        address: IpAddr,
        stop: StopFlag,
        job: impl FnOnce(&StopFlag) -> T + Send + 'static,
    ) -> Option<JobResult<T>> {
        let address = network(address);
        let (reply, result) = oneshot::channel();
        let runtime = Handle::current();
        let mut queue = lock(&self.shared.queue);
        let addresses = queue.addresses() + usize::from(queue.count(address) == 0);
        let rivals = addresses.div_ceil(self.threads.get());
        let share = rivals.saturating_mul(queue.count(address) + 1);
        let time = self.time_limit / u32::try_from(share).unwrap_or(u32::MAX);
        let time = time.max(MIN_TIME);
        let flag = stop.clone();
        let job: Job = Box::new(move || {
            if flag.is_raised() {
                return;
            }
            let raised = flag.clone();
            let timer = runtime.spawn(async move {
                tokio::time::sleep(time).await;
                raised.raise();
            });
            let result = catch_unwind(AssertUnwindSafe(|| job(&flag)));
            timer.abort();
            if let Ok(result) = result {
                // Fails if the receiver was dropped.
                let _ = reply.send(result);
            } else {
                tracing::error!("a job has panicked");
            }
        });
        queue.push(address, job).ok()?;
        self.shared.unfinished.fetch_add(1, Ordering::Relaxed);
        drop(queue);
        self.shared.pushed.notify_one();
        Some(JobResult { result, stop })
    }

    /// Runs a job for a request of this address.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        address: IpAddr,
        job: impl FnOnce(&StopFlag) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let submitted = self.submit(address, StopFlag::new(), job);
        let full = || ApiError::too_many_requests(Duration::from_secs(1));
        submitted.ok_or_else(full)?.await.map_err(|JobFailed| {
            let text = "Something went wrong on the server.";
            ApiError::new(ErrorCode::Unavailable, text)
        })
    }
}

impl Shared {
    /// Waits for a job and runs it, or returns after a while.
    fn run_next(&self) {
        let queue = lock(&self.queue);
        let is_empty = |queue: &mut FairQueue<Job>| queue.addresses() == 0;
        // The pool may be gone when the wait ends.
        let waited = self
            .pushed
            .wait_timeout_while(queue, Duration::from_secs(1), is_empty);
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let Some((address, job)) = queue.take() else {
            return;
        };
        drop(queue);
        let begun = Instant::now();
        job();
        self.unfinished.fetch_sub(1, Ordering::Relaxed);
        lock(&self.queue).charge(address, begun.elapsed());
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl<T> Future for JobResult<T> {
    type Output = Result<T, JobFailed>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.result)
            .poll(context)
            .map_err(|_| JobFailed)
    }
}

impl<T> Drop for JobResult<T> {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const ONE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const TWO: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    fn pool(time_limit: Duration) -> WorkPool {
        let size = PoolSize {
            threads: NonZero::<usize>::MIN,
            time_limit,
            max_waiting: 100,
            max_per_address: 50,
        };
        WorkPool::start("test", size)
    }

    /// Occupies the pool's only thread until the sender is dropped.
    fn occupy(pool: &WorkPool) -> (mpsc::Sender<()>, JobResult<()>) {
        let (release, released) = mpsc::channel::<()>();
        let (begun, has_begun) = mpsc::channel();
        let job = pool.submit(ONE, StopFlag::new(), move |_| {
            begun.send(()).expect("the test waits");
            let _ = released.recv();
        });
        has_begun.recv().expect("the job begins");
        (release, job.expect("room"))
    }

    #[tokio::test]
    async fn other_addresses_come_first() {
        let pool = pool(Duration::MAX);
        let (release, first) = occupy(&pool);
        let (order, finished) = mpsc::channel();
        let submit = |address: IpAddr, name: &'static str| {
            let order = order.clone();
            let job = move |_: &StopFlag| order.send(name).expect("the test waits");
            pool.submit(address, StopFlag::new(), job).expect("room")
        };
        let jobs = [
            submit(ONE, "one"),
            submit(ONE, "one again"),
            submit(TWO, "two"),
        ];
        drop(release);
        first.await.expect("finished");
        for job in jobs {
            job.await.expect("finished");
        }
        let order: Vec<_> = finished.try_iter().collect();
        assert_eq!(order, ["two", "one", "one again"]);
        assert!(pool.run(TWO, |_| 7).await == Ok(7));
    }

    #[tokio::test]
    async fn dropping_the_result_cancels_the_job() {
        let pool = pool(Duration::MAX);
        let (release, first) = occupy(&pool);
        let waiting = pool.submit(TWO, StopFlag::new(), |_| -> () { panic!("cancelled") });
        drop(waiting);
        drop(release);
        first.await.expect("finished");
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let running = pool.submit(TWO, StopFlag::new(), |stop| {
            begun.send(()).expect("the test waits");
            while !stop.is_raised() {
                std::thread::yield_now();
            }
        });
        has_begun.await.expect("begun");
        drop(running);
        // The thread is free again.
        assert!(pool.run(ONE, |_| ()).await == Ok(()));
    }

    #[tokio::test]
    async fn a_panic_fails_only_its_own_job() {
        let pool = pool(Duration::MAX);
        assert!(
            pool.run(ONE, |_| -> () { panic!("expected") })
                .await
                .is_err()
        );
        assert!(pool.run(ONE, |_| 1).await == Ok(1));
        while pool.unfinished() > 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn the_flag_is_raised_when_the_time_is_up() {
        let pool = pool(MIN_TIME);
        let job = |stop: &StopFlag| {
            while !stop.is_raised() {
                std::thread::yield_now();
            }
        };
        assert!(pool.run(ONE, job).await == Ok(()));
    }

    #[tokio::test]
    async fn a_full_queue_refuses() {
        let pool = pool(Duration::MAX);
        let (release, first) = occupy(&pool);
        let mut jobs = Vec::new();
        while let Some(job) = pool.submit(TWO, StopFlag::new(), |_| ()) {
            jobs.push(job);
        }
        assert_eq!(jobs.len(), 50);
        assert!(pool.run(TWO, |_| ()).await.is_err());
        drop(release);
        first.await.expect("finished");
        for job in jobs {
            job.await.expect("finished");
        }
        assert!(pool.run(TWO, |_| ()).await == Ok(()));
    }
}
