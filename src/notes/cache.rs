//! Records of notes kept between calls, bounded in bytes and never needed for an answer to be right.
//!
//! A record is used only for the file version its stamp names, so what is cached is always fresh: every call looks at every
//! file's stamp anew. A file that was written within the last two seconds before it was read could change again without its
//! stamp changing (time stamps are that coarse on some file systems), so its record is not trusted next time.
//!
//! The names in a folder are kept likewise, where the file system is known to change a folder's stamp with its names.
//!
//! Every search visits every note, so a least-recently-used cache that is too small would hit nothing. When the budget is
//! used up no more text is admitted; a signature, a tenth of the text, still is.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::folder::{Moment, Stamp};
use super::record::Record;
use super::root::Candidate;
use super::walk::Listing;

/// How long a file must have lain untouched for its stamp to be trusted, in seconds.
const SETTLING_SECONDS: i64 = 2;

/// Of the budget, the part that whole texts may use; the rest is for signatures and metadata.
const TEXT_SHARE: f64 = 0.45;

/// All records of one notes folder.
#[derive(Debug)]
pub struct Cache {
    budget_bytes: usize,
    used_bytes: Arc<AtomicUsize>,
    folders: Mutex<HashMap<PathBuf, Arc<FolderRecords>>>,
    scans: AtomicU64,
    has_refused: AtomicBool,
}

/// The records of the notes directly in one folder, by name.
#[derive(Debug, Default)]
pub struct FolderRecords {
    records: Mutex<HashMap<Arc<OsStr>, Arc<Record>>>,
    listing: Mutex<Option<KeptListing>>,
    last_scan: AtomicU64,
}

/// The names in a folder, of the version of it that the stamp names.
#[derive(Debug)]
struct KeptListing {
    stamp: Stamp,
    listing: Arc<Listing>,
    /// Its cost, given back when it goes.
    _charge: Charge,
}

/// A part of the budget; given back when it is dropped.
#[derive(Debug)]
pub struct Charge {
    used: Arc<AtomicUsize>,
    bytes: usize,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// What a failed thread left behind is a whole map all the same.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    /// An empty cache of at most this many bytes.
    pub fn new(budget_bytes: usize) -> Self {
        Self {
            budget_bytes,
            used_bytes: Arc::default(),
            folders: Mutex::default(),
            scans: AtomicU64::new(0),
            has_refused: AtomicBool::new(false),
        }
    }

    /// A number for a scan of the whole folder that begins now.
    pub fn begin_scan(&self) -> u64 {
        self.scans.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The records of a folder, which this scan has come to.
    pub fn folder(&self, path: &Path, scan: u64) -> Arc<FolderRecords> {
        let mut folders = locked(&self.folders);
        let records = match folders.get(path) {
            Some(records) => Arc::clone(records),
            None => Arc::clone(folders.entry(path.to_owned()).or_default()),
        };
        records.last_scan.fetch_max(scan, Ordering::Relaxed);
        records
    }

    /// Forgets the folders that a scan of everything, now complete, has not come to.
    pub fn end_scan(&self, scan: u64) {
        locked(&self.folders).retain(|_, records| records.last_scan.load(Ordering::Relaxed) >= scan);
    }

    /// The records that are kept, by folder.
    pub fn folders(&self) -> Vec<(PathBuf, Arc<FolderRecords>)> {
        locked(&self.folders).iter().map(|(path, records)| (path.clone(), Arc::clone(records))).collect()
    }

    /// A charge for a whole text of this length, if there is room for it.
    pub fn charge_text(&self, bytes: usize) -> Option<Charge> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of a budget
        self.charge(bytes, (self.budget_bytes as f64 * TEXT_SHARE) as usize)
    }

    /// A charge for metadata or a signature, if there is room for it.
    pub fn charge_small(&self, bytes: usize) -> Option<Charge> {
        let charge = self.charge(bytes, self.budget_bytes);
        if charge.is_none() {
            self.has_refused.store(true, Ordering::Relaxed);
        }
        charge
    }

    /// Whether there was no room left for a record.
    pub fn has_refused(&self) -> bool {
        self.has_refused.load(Ordering::Relaxed)
    }

    fn charge(&self, bytes: usize, most: usize) -> Option<Charge> {
        let before = self.used_bytes.fetch_add(bytes, Ordering::Relaxed);
        let charge = Charge { used: Arc::clone(&self.used_bytes), bytes };
        (before + bytes <= most).then_some(charge)
    }
}

impl FolderRecords {
    /// The names in the folder, if they were read from this very version of it.
    pub fn listing(&self, stamp: &Stamp) -> Option<Arc<Listing>> {
        let listing = locked(&self.listing);
        listing.as_ref().filter(|kept| kept.stamp == *stamp).map(|kept| Arc::clone(&kept.listing))
    }

    /// Keeps the names in the folder, if there is room.
    pub fn keep_listing(&self, stamp: Stamp, listing: Arc<Listing>, cache: &Cache) {
        if let Some(charge) = cache.charge_small(listing.bytes()) {
            *locked(&self.listing) = Some(KeptListing { stamp, listing, _charge: charge });
        }
    }

    /// What is known of a file; of this very version only if its record [is fresh](Record::is_fresh).
    pub fn of(&self, name: &OsStr) -> Option<Arc<Record>> {
        locked(&self.records).get(name).map(Arc::clone)
    }

    /// Shows every record that is kept.
    pub fn each(&self, mut see: impl FnMut(&OsStr, &Record)) {
        locked(&self.records).iter().for_each(|(name, record)| see(name, record));
    }

    /// Keeps a record, in place of an older one.
    pub fn keep(&self, name: &Arc<OsStr>, record: &Arc<Record>) {
        locked(&self.records).insert(Arc::clone(name), Arc::clone(record));
    }

    /// Forgets a file.
    pub fn forget(&self, name: &OsStr) {
        locked(&self.records).remove(name);
    }

    /// Forgets all but these files.
    pub fn keep_only(&self, files: &[Candidate]) {
        let mut records = locked(&self.records);
        if records.len() > files.len() {
            let names: HashSet<&OsStr> = files.iter().map(|file| &*file.name).collect();
            records.retain(|name, _| names.contains(&**name));
        }
    }
}

/// Whether a file that was read at this moment had lain untouched long enough for its stamp to name its content.
pub fn is_settled(stamp: &Stamp, read_at: Moment) -> bool {
    let last = stamp.changed.max(if cfg!(unix) { stamp.changed } else { stamp.modified });
    last.seconds + SETTLING_SECONDS < read_at.seconds
}
