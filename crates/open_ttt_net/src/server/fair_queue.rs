use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

/// The jobs of many addresses, taken so that every address with jobs gets the same
/// share of the threads' time, however many jobs it has.
///
/// Start-time fair queueing (Goyal, Vin and Cheng, 1996): the next job is one of the
/// address that has used the least time. An address that had no jobs begins at the
/// queue's virtual time, so it neither saves time up nor pays for long ago.
#[derive(Debug)]
pub(super) struct FairQueue<J> {
    by_address: HashMap<IpAddr, Flow<J>>,
    /// The addresses with waiting jobs, by their virtual time.
    waiting: BTreeSet<(Duration, IpAddr)>,
    /// The virtual time: that of the address whose job was taken last.
    now: Duration,
    /// The latest time of any address.
    latest: Duration,
    length: usize,
    max_length: usize,
    max_per_address: usize,
}

/// The jobs of one address.
#[derive(Debug)]
struct Flow<J> {
    jobs: VecDeque<J>,
    /// The time used, counted from the virtual time at which the flow began.
    time: Duration,
}

/// The number of addresses without jobs above which those that owe nothing are
/// forgotten.
const MAX_IDLE: usize = 1_024;

impl<J> FairQueue<J> {
    /// A queue for at most so many jobs, in total and of each address.
    pub(super) fn new(max_length: usize, max_per_address: usize) -> Self {
        Self {
            by_address: HashMap::new(),
            waiting: BTreeSet::new(),
            now: Duration::ZERO,
            latest: Duration::ZERO,
            length: 0,
            max_length: max_length.max(1),
            max_per_address: max_per_address.max(1),
        }
    }

    /// Adds a job; returns it if there is no room.
    pub(super) fn push(&mut self, address: IpAddr, job: J) -> Result<(), J> {
        if self.length >= self.max_length || self.count(address) >= self.max_per_address {
            return Err(job);
        }
        if self.waiting.is_empty() {
            // Nobody waits, so nobody owes anything.
            self.now = self.latest;
        }
        if self.by_address.len() >= 2 * self.waiting.len() + MAX_IDLE {
            let now = self.now;
            self.by_address
                .retain(|_, flow| !flow.jobs.is_empty() || flow.time > now);
        }
        let flow = self.by_address.entry(address).or_insert_with(|| Flow {
            jobs: VecDeque::new(),
            time: self.now,
        });
        if flow.jobs.is_empty() {
            flow.time = flow.time.max(self.now);
            self.waiting.insert((flow.time, address));
        }
        flow.jobs.push_back(job);
        self.length += 1;
        Ok(())
    }

    /// Takes the next job, and the address to [charge](Self::charge) for it.
    pub(super) fn take(&mut self) -> Option<(IpAddr, J)> {
        let &(time, address) = self.waiting.first()?;
        let flow = self.by_address.get_mut(&address)?;
        let job = flow.jobs.pop_front()?;
        if flow.jobs.is_empty() {
            self.waiting.remove(&(time, address));
        }
        self.now = self.now.max(time);
        self.length -= 1;
        Some((address, job))
    }

    /// Charges an address for the time that a job took.
    pub(super) fn charge(&mut self, address: IpAddr, used: Duration) {
        if let Some(flow) = self.by_address.get_mut(&address) {
            let before = flow.time;
            flow.time = before.saturating_add(used);
            self.latest = self.latest.max(flow.time);
            if self.waiting.remove(&(before, address)) {
                self.waiting.insert((flow.time, address));
            }
        }
    }

    /// The number of waiting jobs of an address.
    pub(super) fn count(&self, address: IpAddr) -> usize {
        self.by_address
            .get(&address)
            .map_or(0, |flow| flow.jobs.len())
    }

    /// The number of addresses with waiting jobs.
    pub(super) fn addresses(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn address(number: u8) -> IpAddr {
        [10, 0, 0, number].into()
    }

    /// The addresses of the next jobs, each of which takes a second.
    fn take<const N: usize>(queue: &mut FairQueue<u32>) -> [u8; N] {
        [(); N].map(|()| {
            let (address, _) = queue.take().expect("a job");
            queue.charge(address, SECOND);
            let IpAddr::V4(address) = address else {
                panic!("an address of this test");
            };
            address.octets()[3]
        })
    }

    fn push(queue: &mut FairQueue<u32>, number: u8, count: usize) {
        for _ in 0..count {
            queue.push(address(number), 0).expect("room");
        }
    }

    #[test]
    fn an_address_with_many_jobs_does_not_delay_the_others() {
        let mut queue = FairQueue::new(1_000, 500);
        push(&mut queue, 1, 300);
        assert_eq!(take(&mut queue), [1, 1, 1]);
        push(&mut queue, 2, 2);
        push(&mut queue, 3, 1);
        // The newcomers begin where the first address was served last.
        assert_eq!(take(&mut queue), [2, 3, 1, 2]);
        assert_eq!(take(&mut queue), [1, 1]);
    }

    #[test]
    fn an_idle_address_saves_no_time_up() {
        let mut queue = FairQueue::new(1_000, 500);
        push(&mut queue, 1, 1);
        assert_eq!(take(&mut queue), [1]);
        push(&mut queue, 2, 50);
        assert_eq!(take(&mut queue), [2; 20]);
        push(&mut queue, 1, 10);
        // Not ten in a row for the nineteen seconds in which it was idle.
        assert_eq!(take(&mut queue), [1, 1, 2, 1, 2, 1]);
    }

    #[test]
    fn long_jobs_are_paid_for() {
        let mut queue = FairQueue::new(1_000, 500);
        push(&mut queue, 1, 2);
        push(&mut queue, 2, 9);
        let (first, _) = queue.take().expect("a job");
        assert_eq!(first, address(1));
        queue.charge(first, 5 * SECOND);
        assert_eq!(take(&mut queue), [2, 2, 2, 2, 2, 1, 2]);
    }

    #[test]
    fn jobs_are_limited_in_total_and_by_address() {
        let mut queue = FairQueue::new(5, 3);
        push(&mut queue, 1, 3);
        assert_eq!(queue.push(address(1), 7), Err(7));
        push(&mut queue, 2, 2);
        assert_eq!(queue.push(address(3), 8), Err(8));
        assert_eq!((queue.count(address(1)), queue.addresses()), (3, 2));
        take::<1>(&mut queue);
        push(&mut queue, 3, 1);
    }

    #[test]
    fn addresses_that_owe_nothing_are_forgotten() {
        let mut queue = FairQueue::new(10, 10);
        for number in 0..100_000_u32 {
            let address = IpAddr::from(number.to_be_bytes());
            queue.push(address, 0).expect("room");
            let (address, _) = queue.take().expect("a job");
            queue.charge(address, Duration::from_nanos(1));
        }
        assert!(queue.by_address.len() <= MAX_IDLE + 2);
    }
}
