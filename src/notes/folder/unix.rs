//! Directory handles on Unix: `openat` with `O_NOFOLLOW`, one name at a time.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};

use super::{Kind, Moment, OpenError, Stamp};

/// An open directory.
#[derive(Debug)]
pub struct Dir {
    handle: OwnedFd,
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

// NONBLOCK: should a pipe be swapped in, opening it must not wait for a writer.
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

impl Dir {
    /// Opens a directory by its path on the machine; here alone are links followed.
    pub fn open_root(path: &Path) -> Result<Self, OpenError> {
        rustix::fs::open(path, FOLDER, Mode::empty()).map(|handle| Self { handle }).map_err(|error| plain(error.into()))
    }

    /// A second handle on the same directory.
    pub fn again(&self) -> Result<Self, OpenError> {
        self.handle.try_clone().map(|handle| Self { handle }).map_err(|error| OpenError::from(&error))
    }

    /// The directory of this name in it.
    pub fn folder(&self, name: &OsStr) -> Result<Self, OpenError> {
        match openat(&self.handle, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(handle) => Ok(Self { handle }),
            Err(error) => Err(self.told_apart(name, error.into())),
        }
    }

    /// What stands at this name, links not followed.
    pub fn stat(&self, name: &OsStr) -> Result<Stamp, OpenError> {
        statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)
            .map(|stat| stamp(&stat))
            .map_err(|error| plain(error.into()))
    }

    /// The stamp of the directory itself: it changes when a name in it comes, goes or is replaced.
    pub fn stamp(&self) -> Result<Stamp, OpenError> {
        fstat(&self.handle).map(|stat| stamp(&stat)).map_err(|error| plain(error.into()))
    }

    /// Whether that can be relied on: on the common local file systems. Others, such as those of network drives, may keep
    /// a directory's time as it is.
    pub fn tells_changes(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            /// ext2 to ext4, XFS, Btrfs, tmpfs, F2FS, ZFS, bcachefs (statfs(2)).
            const LOCAL: [i64; 7] =
                [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E];
            #[allow(
                clippy::unnecessary_cast,
                clippy::cast_lossless,
                reason = "the field's type differs between machines"
            )]
            rustix::fs::fstatfs(&self.handle).is_ok_and(|system| LOCAL.contains(&(system.f_type as i64)))
        }
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Whether a link of this name leads to a directory, wherever that is. Nothing is opened.
    pub fn leads_to_folder(&self, name: &OsStr) -> bool {
        statat(&self.handle, name, AtFlags::empty()).is_ok_and(|stat| stamp(&stat).kind == Kind::Folder)
    }

    /// Opens what stands at this name for reading, without waiting and without going through a link. The stamp says what
    /// was opened: only a regular file should be read.
    pub fn open(&self, name: &OsStr) -> Result<(Stamp, File), OpenError> {
        let handle =
            openat(&self.handle, name, FILE, Mode::empty()).map_err(|error| self.told_apart(name, error.into()))?;
        let stamp = fstat(&handle).map(|stat| stamp(&stat)).map_err(|error| plain(error.into()))?;
        Ok((stamp, File::from(handle)))
    }

    /// A link refused by `O_NOFOLLOW` comes as one of several errors; a look tells them apart.
    fn told_apart(&self, name: &OsStr, error: io::Error) -> OpenError {
        match (OpenError::from(&error), self.stat(name).map(|stamp| stamp.kind)) {
            (_, Ok(Kind::Link)) => OpenError::Link,
            (OpenError::NotAFolder, Ok(Kind::Folder)) => OpenError::Missing, // it changed in between
            (open_error, _) => open_error,
        }
    }
}

fn plain(error: io::Error) -> OpenError {
    OpenError::from(&error)
}

#[allow(clippy::unnecessary_cast, clippy::cast_lossless)] // the fields' types differ between systems
fn stamp(stat: &rustix::fs::Stat) -> Stamp {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    };
    Stamp {
        kind,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        modified: Moment { seconds: stat.st_mtime as i64, nanoseconds: i32::try_from(stat.st_mtime_nsec).unwrap_or(0) },
        changed: Moment { seconds: stat.st_ctime as i64, nanoseconds: i32::try_from(stat.st_ctime_nsec).unwrap_or(0) },
        inode: stat.st_ino as u64,
    }
}
