//! What time it is, and where: the one source of "today" for arguments, dates of notes and hints.
//!
//! Passed in from outside, so that tests can fix the day. It does no parsing and no formatting.

use std::sync::Arc;

use jiff::{Timestamp, ZonedDateTime, civil::Date, tz::TimeZone};

/// A source of the current time in the time zone of the notes' owner.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> ZonedDateTime + Send + Sync>,
}

impl Clock {
    /// The machine's clock in its local time zone.
    pub fn system() -> Self {
        Self { now: Arc::new(ZonedDateTime::now) }
    }

    /// A clock that stands still, for tests.
    pub fn fixed(now: ZonedDateTime) -> Self {
        Self { now: Arc::new(move || now.clone()) }
    }

    /// This moment.
    pub fn now(&self) -> ZonedDateTime {
        (self.now)()
    }

    /// The calendar day it is now.
    pub fn today(&self) -> Date {
        self.now().date()
    }

    /// The time zone in which days are counted.
    pub fn time_zone(&self) -> TimeZone {
        self.now().time_zone().clone()
    }

    /// The calendar day of a moment in this clock's time zone.
    pub fn day_of(&self, moment: Timestamp) -> Date {
        moment.to_zoned_datetime(self.time_zone()).date()
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Clock").finish_non_exhaustive()
    }
}
