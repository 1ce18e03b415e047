//! Folders to try the tools on: a copy of `notes-fixtures`, or one that a test writes note by note.
//!
//! A checkout and a copy set the time of last modification to now, so every file here gets a fixed one: what is said of
//! a note is the same on every machine and every day.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use note_search_mcp::clock::Clock;
use note_search_mcp::notes::Settings;
use tempfile::TempDir;

/// 1 November 2026, noon, in seconds: when all files here were last modified, unless a test says otherwise.
const MODIFIED: u64 = 1_793_534_400;

/// 30 November 2026, noon: when all tests take place.
const NOW: i64 = 1_796_040_000;

/// A notes folder that goes when the test is over. There is room beside it, for what lies outside.
pub struct Folder {
    around: TempDir,
}

impl Folder {
    /// A folder without notes.
    pub fn empty() -> Self {
        let around = TempDir::new().unwrap();
        fs::create_dir(around.path().join("notes")).unwrap();
        Self { around }
    }

    /// A copy of the notebook that comes with the program.
    pub fn of_fixtures() -> Self {
        let folder = Self::empty();
        folder.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("notes-fixtures"), &folder.path());
        folder
    }

    /// A folder with these notes.
    pub fn with<N: AsRef<str>, T: AsRef<[u8]>>(notes: impl IntoIterator<Item = (N, T)>) -> Self {
        let folder = Self::empty();
        for (name, bytes) in notes {
            folder.write(name.as_ref(), bytes.as_ref());
        }
        folder
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.around.path().join("notes")
    }

    /// The place of a file in it; `../x` is beside it.
    pub fn place(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        self.write_at(name, bytes, Duration::from_secs(MODIFIED));
    }

    /// Writes a file that was last modified at this time since 1970.
    pub fn write_at(&self, name: &str, bytes: &[u8], modified: Duration) {
        let place = self.place(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, bytes).unwrap();
        set_modified(&place, modified);
    }

    /// Settings for this folder, all else as by default.
    pub fn settings(&self) -> Settings {
        Settings::of(self.path())
    }

    fn copy(&self, from: &Path, to: &Path) {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                fs::create_dir(&target).unwrap();
                self.copy(&entry.path(), &target);
            } else {
                fs::copy(entry.path(), &target).unwrap();
                set_modified(&target, Duration::from_secs(MODIFIED));
            }
        }
    }
}

/// Special files, where the system has them.
#[cfg(unix)]
impl Folder {
    /// A symbolic link to `target`, which is taken from the link's own folder.
    pub fn link(&self, name: &str, target: impl AsRef<Path>) {
        let place = self.place(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, place).unwrap();
    }

    /// A named pipe that nobody writes to: opening it would hang.
    pub fn pipe(&self, name: &str) {
        let made = std::process::Command::new("mkfifo").arg(self.place(name)).status().unwrap();
        assert!(made.success(), "mkfifo {name}");
    }

    /// Takes all rights from a file or folder, or gives them back. Root reads it all the same.
    pub fn forbid(&self, name: &str, forbidden: bool) {
        use std::os::unix::fs::PermissionsExt;
        let mode = if forbidden { 0o000 } else { 0o755 };
        fs::set_permissions(self.place(name), fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn set_modified(place: &Path, since_1970: Duration) {
    let file = File::options().write(true).open(place).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + since_1970).unwrap();
}

/// A clock that stands at noon on 30 November 2026, in UTC.
pub fn clock() -> Clock {
    Clock::fixed(Timestamp::from_second(NOW).unwrap().to_zoned_datetime(TimeZone::UTC))
}
