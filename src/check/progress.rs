//! A progress bar on a terminal while something counts, and nothing elsewhere.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How often the bar moves; nobody reads more numbers a second.
const EVERY: Duration = Duration::from_millis(100);

/// Runs `work`, and shows on stderr how far it has come, as long as stderr is a terminal and it takes longer than a moment.
pub(super) fn while_counting<T: Send>(
    what: &'static str,
    expected: u64,
    done: impl Fn() -> u64,
    work: impl FnOnce() -> T + Send,
) -> T {
    thread::scope(|scope| {
        let (done_sender, ends) = channel();
        let worker = scope.spawn(move || {
            let result = work();
            let _ = done_sender.send(());
            result
        });
        let mut bar = None;
        while ends.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
            bar.get_or_insert_with(|| self::bar(what, expected)).set_position(done());
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// A bar with an end, or without one when nothing is expected. indicatif draws on stderr, and only on a terminal.
pub(super) fn bar(what: &'static str, expected: u64) -> ProgressBar {
    let (bar, template) = match expected {
        0 => (ProgressBar::no_length(), "{msg} {human_pos} notes"),
        expected => (ProgressBar::new(expected), "{msg} {wide_bar} {human_pos} of {human_len} notes"),
    };
    bar.with_style(ProgressStyle::with_template(template).expect("the templates above are well formed"))
        .with_message(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_comes_through_with_and_without_a_bar() {
        assert_eq!(while_counting("Counting", 0, || 0, || 7), 7);
        let (started, starts) = channel();
        // The bar is asked how far it is before the work ends.
        let result = while_counting(
            "Counting",
            3,
            move || {
                started.send(()).unwrap();
                2
            },
            move || starts.recv().is_ok(),
        );
        assert!(result);
    }
}
