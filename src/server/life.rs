//! What ends the process from outside: signals, and the death of the process that started it.
//!
//! It only tells; what is still said before the end is the loop's business.

use std::time::Duration;

/// How often the parent is looked for, so that an orphan is gone within two seconds.
#[cfg(unix)]
const PARENT_EVERY: Duration = Duration::from_secs(1);

/// What asked the process to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// SIGTERM.
    Terminated,
    /// SIGINT, or Ctrl-C.
    Interrupted,
    /// The process that started this one is gone.
    Orphaned,
}

/// The process that started this one.
#[derive(Debug, Clone, Copy)]
pub struct Parent {
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

impl Parent {
    /// The parent at this moment. To be asked for first thing, before it can be gone.
    pub fn now() -> Self {
        Self {
            #[cfg(unix)]
            id: rustix::process::getppid(),
        }
    }

    /// Waits until another process has taken the parent's place, as happens to orphans.
    ///
    /// The parent's id is polled: the kernel's own notice (`PR_SET_PDEATHSIG`) follows the thread that started this
    /// process, which may end long before its process does.
    #[cfg(unix)]
    async fn gone(self) {
        let mut ticks = tokio::time::interval(PARENT_EVERY);
        while rustix::process::getppid() == self.id {
            ticks.tick().await;
        }
    }

    /// Other systems close the pipe of a dead parent, which ends the input.
    #[cfg(not(unix))]
    async fn gone(self) {
        std::future::pending().await
    }
}

/// Waits for a signal or the parent's death. An error when signals cannot be listened for.
#[cfg(unix)]
pub fn asked_to_stop(parent: Parent) -> std::io::Result<impl Future<Output = Stop>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => Stop::Terminated,
            _ = interrupt.recv() => Stop::Interrupted,
            () = parent.gone() => Stop::Orphaned,
        }
    })
}

/// Waits for Ctrl-C. An error when it cannot be listened for.
#[cfg(not(unix))]
pub fn asked_to_stop(parent: Parent) -> std::io::Result<impl Future<Output = Stop>> {
    Ok(async move {
        tokio::select! {
            Ok(()) = tokio::signal::ctrl_c() => Stop::Interrupted,
            () = parent.gone() => Stop::Orphaned,
        }
    })
}
