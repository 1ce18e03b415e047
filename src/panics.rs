//! Panics as plain facts: where, never what. The payload may hold note text (slicing panics print it), so it is dropped.
//!
//! [`install`] replaces the process's hook; [`caught`] runs something and hands back the place of its panic.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

thread_local! {
    static LAST_PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The place of a panic, `file:line:column` in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanicPlace(pub String);

impl std::fmt::Display for PanicPlace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "panic at {}", self.0)
    }
}

impl std::error::Error for PanicPlace {}

/// Makes panics silent and remembers their place instead of printing their payload.
pub fn install() {
    set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(%place, "panic");
        LAST_PLACE.with(|last| *last.borrow_mut() = Some(place));
    }));
}

/// Runs `work`; a panic becomes its place. State that `work` shares must tolerate being left half-way.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, PanicPlace> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_payload| {
        let place = LAST_PLACE.with(|last| last.borrow_mut().take());
        PanicPlace(place.unwrap_or_else(|| "an unknown place".to_owned()))
    })
}
