//! Does another program disturb a measurement? As the operating system counts, where it does (`/proc`).

use std::fs;
use std::time::Instant;

/// Cores that other programs may use while a tool has its turn.
pub(crate) const TOLERATED: f64 = 0.2;

/// Ticks of processor time per second; Linux shows them so on every architecture that it runs on today.
const TICKS: f64 = 100.0;

/// A watch over one process.
pub(crate) struct Watch {
    process: u32,
    start: Instant,
    all: Option<f64>,
    own: Option<f64>,
}

impl Watch {
    /// Starts watching.
    pub(crate) fn start(process: u32) -> Watch {
        Watch { process, start: Instant::now(), all: all(), own: own(process) }
    }

    /// Cores that other programs have used since the start, on average; 0 where it is not known.
    pub(crate) fn foreign_cores(&self) -> f64 {
        let used = |before: Option<f64>, now: Option<f64>| Some(now? - before?);
        let foreign = used(self.all, all()).zip(used(self.own, own(self.process))).map_or(0.0, |(all, own)| all - own);
        foreign.max(0.0) / TICKS / self.start.elapsed().as_secs_f64().max(0.01)
    }
}

/// Ticks that all processors have been busy: all but idle and waiting for disks.
fn all() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let numbers: Vec<f64> =
        stat.lines().next()?.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
    let [user, nice, system, _idle, _waiting, interrupts, soft_interrupts, stolen, ..] = numbers[..] else {
        return None;
    };
    Some(user + nice + system + interrupts + soft_interrupts + stolen)
}

/// Ticks that a process has run.
fn own(process: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is the name in brackets, which may hold anything; user and system time are fields 14 and 15.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn own_time_is_counted() {
        let id = std::process::id();
        let before = own(id).expect("/proc");
        let start = Instant::now();
        while own(id).expect("/proc") < before + 3.0 {
            assert!(start.elapsed().as_secs() < 60, "three ticks of work within a minute");
        }
        assert!(all().expect("/proc") >= own(id).expect("/proc"));
    }
}
