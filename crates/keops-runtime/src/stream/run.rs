//! [`Settings`] of a call, and [`Run`]: what one run of it shares between its reductions.

use core::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a call that was given no limit.
const LIMIT: usize = 1 << 30;

type Watcher = Arc<dyn Fn(Progress) + Send + Sync>;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Number of the reduction: a call runs one, gradients of reductions that are not sums run two, gradients of batched calls
    /// more.
    pub reduction: usize,
    /// Pairs of this reduction that are done.
    pub done: u64,
    /// Its pairs in all.
    pub pairs: u64,
}

/// What a call was told about running in pieces.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub(crate) limit: Option<usize>,
    pub(crate) watcher: Option<Watcher>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl Settings {
    /// Do they ask for a run in pieces?
    pub(crate) fn any(&self) -> bool {
        self.limit.is_some() || self.watcher.is_some()
    }
}

/// One run of a call in pieces.
#[derive(Debug)]
pub(crate) struct Run {
    settings: Settings,
    reductions: AtomicUsize,
}

impl Run {
    pub(crate) fn new(settings: Settings) -> Self {
        Run { settings, reductions: AtomicUsize::new(0) }
    }

    /// Bytes that buffers and states may take.
    pub(crate) fn limit(&self) -> usize {
        self.settings.limit.unwrap_or(LIMIT)
    }

    /// Counts reductions, which run one after the other.
    pub(super) fn next_reduction(&self) -> usize {
        self.reductions.fetch_add(1, Ordering::Relaxed)
    }

    /// Tells the one who watches.
    pub(super) fn report(&self, progress: Progress) {
        if let Some(watcher) = &self.settings.watcher {
            watcher(progress);
        }
    }
}
