use core::time::Duration;
use std::fs;

/// What the system counts for a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The time its threads have run, for itself and in the system.
    pub cpu: Duration,
    /// The memory it has at the moment, in KiB.
    pub memory_kib: u64,
}

/// Linux counts a process's time in hundredths of a second, wherever a program
/// can see it.
const TICK: Duration = Duration::from_millis(10);

/// What a process has used until now, on Linux; `None` elsewhere.
pub fn usage(id: u32) -> Option<Usage> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name, in parentheses, may contain anything.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(11);
    let user: u32 = times.next()?.parse().ok()?;
    let system: u32 = times.next()?.parse().ok()?;
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let memory = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(Usage {
        cpu: TICK * (user + system),
        memory_kib: memory.trim().strip_suffix(" kB")?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn time_and_memory_are_counted() {
        let id = std::process::id();
        let before = usage(id).expect("this process is there");
        let memory = std::hint::black_box(vec![1_u8; 64 << 20]);
        let after = loop {
            let sum: u64 = memory.iter().map(|&byte| u64::from(byte)).sum();
            assert_eq!(sum, 64 << 20);
            let now = usage(id).expect("it still is");
            // A process that works and never counts would work for good.
            if now.cpu >= before.cpu + 3 * TICK {
                break now;
            }
        };
        drop(std::hint::black_box(memory));
        assert!(
            after.memory_kib > before.memory_kib + (60 << 10),
            "{after:?}"
        );
    }
}
