//! Directory handles where there is no `openat`: cap-std, which confines every path below the handle.
//!
//! Links are refused by a look before the open; a link swapped in between could lead elsewhere below the notes folder,
//! but not out of it.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::time::UNIX_EPOCH;

use cap_std::ambient_authority;

use super::{Kind, Moment, OpenError, Stamp};

/// An open directory.
#[derive(Debug)]
pub struct Dir {
    handle: cap_std::fs::Dir,
}

impl Dir {
    /// Opens a directory by its path on the machine; here alone are links followed.
    pub fn open_root(path: &Path) -> Result<Self, OpenError> {
        cap_std::fs::Dir::open_ambient_dir(path, ambient_authority())
            .map(|handle| Self { handle })
            .map_err(|error| OpenError::from(&error))
    }

    /// A second handle on the same directory.
    pub fn again(&self) -> Result<Self, OpenError> {
        self.handle.try_clone().map(|handle| Self { handle }).map_err(|error| OpenError::from(&error))
    }

    /// The directory of this name in it.
    pub fn folder(&self, name: &OsStr) -> Result<Self, OpenError> {
        match self.stat(name)?.kind {
            Kind::Folder => self
                .handle
                .open_dir(Path::new(name))
                .map(|handle| Self { handle })
                .map_err(|error| OpenError::from(&error)),
            Kind::Link => Err(OpenError::Link),
            Kind::File | Kind::Other => Err(OpenError::NotAFolder),
        }
    }

    /// What stands at this name, links not followed.
    pub fn stat(&self, name: &OsStr) -> Result<Stamp, OpenError> {
        self.handle
            .symlink_metadata(Path::new(name))
            .map(|metadata| stamp(&metadata))
            .map_err(|error| OpenError::from(&error))
    }

    /// The stamp of the directory itself.
    pub fn stamp(&self) -> Result<Stamp, OpenError> {
        self.handle.dir_metadata().map(|metadata| stamp(&metadata)).map_err(|error| OpenError::from(&error))
    }

    /// Whether that stamp changes whenever a name in the directory comes, goes or is replaced: not known here.
    #[allow(clippy::unused_self, reason = "as on systems where it is known")]
    pub fn tells_changes(&self) -> bool {
        false
    }

    /// Whether a link of this name leads to a directory below the handle. Nothing is opened.
    pub fn leads_to_folder(&self, name: &OsStr) -> bool {
        self.handle.metadata(Path::new(name)).is_ok_and(|metadata| metadata.is_dir())
    }

    /// Opens what stands at this name for reading, without going through a link. The stamp says what was opened: only a
    /// regular file should be read.
    pub fn open(&self, name: &OsStr) -> Result<(Stamp, File), OpenError> {
        match self.stat(name)?.kind {
            Kind::File => {}
            Kind::Link => return Err(OpenError::Link),
            Kind::Folder => return Err(OpenError::IsAFolder),
            Kind::Other => return Err(OpenError::Unreadable(std::io::ErrorKind::Unsupported)),
        }
        let file = self.handle.open(Path::new(name)).map_err(|error| OpenError::from(&error))?;
        let stamp = file.metadata().map(|metadata| stamp(&metadata)).map_err(|error| OpenError::from(&error))?;
        Ok((stamp, file.into_std()))
    }
}

fn stamp(metadata: &cap_std::fs::Metadata) -> Stamp {
    let kind = if metadata.is_symlink() {
        Kind::Link
    } else if metadata.is_dir() {
        Kind::Folder
    } else if metadata.is_file() {
        Kind::File
    } else {
        Kind::Other
    };
    let modified =
        metadata.modified().ok().map(cap_std::time::SystemTime::into_std).map_or(Moment::default(), |time| match time
            .duration_since(UNIX_EPOCH)
        {
            Ok(since) => Moment {
                seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
                nanoseconds: i32::try_from(since.subsec_nanos()).unwrap_or(0),
            },
            Err(before) => {
                Moment { seconds: -i64::try_from(before.duration().as_secs()).unwrap_or(i64::MAX), nanoseconds: 0 }
            }
        });
    Stamp { kind, size: metadata.len(), modified, changed: modified, inode: 0 }
}
