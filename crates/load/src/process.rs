use core::time::Duration;
use std::fs;

/// The resource usage of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The CPU time of all threads, in user and system mode.
    pub cpu: Duration,
    /// The resident memory, in KiB.
    pub memory_kib: u64,
}

/// Linux reports a process's CPU time in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// The usage of a process, on Linux; `None` on other systems.
pub fn usage(id: u32) -> Option<Usage> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The program's name, in parentheses, can contain any character.
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_and_memory_are_reported() {
        let id = std::process::id();
        let before = usage(id).expect("this process exists");
        let memory = std::hint::black_box(vec![1_u8; 64 << 20]);
        let after = loop {
            let sum: u64 = memory.iter().map(|&byte| u64::from(byte)).sum();
            assert_eq!(sum, 64 << 20);
            let now = usage(id).expect("this process exists");
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
