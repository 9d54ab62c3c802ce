use core::time::Duration;

use open_ttt_search::Budget;

/// What is left of a budget that several searches share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remaining {
    budget: Budget,
    started: Duration,
}

impl Remaining {
    /// The whole budget, from now on.
    pub(crate) fn new(budget: &Budget) -> Self {
        Self {
            budget: *budget,
            started: budget.time.map_or(Duration::ZERO, |time| time.clock.now()),
        }
    }

    /// The budget after so many positions were searched; `None` if it is spent.
    pub(crate) fn after(&self, nodes: u64) -> Option<Budget> {
        let mut left = self.budget;
        if let Some(all) = &mut left.nodes {
            *all = all.checked_sub(nodes).filter(|&left| left > 0)?;
        }
        if let Some(time) = &mut left.time {
            let passed = time.clock.now().saturating_sub(self.started);
            time.limit = time
                .limit
                .checked_sub(passed)
                .filter(|left| !left.is_zero())?;
        }
        Some(left)
    }

    /// As [`after`](Self::after), and at most so many positions more.
    pub(crate) fn slice(&self, nodes: u64, at_most: u64) -> Option<Budget> {
        let left = self.after(nodes)?;
        Some(Budget {
            nodes: Some(left.nodes.map_or(at_most, |left| left.min(at_most))),
            ..left
        })
    }
}
