//! Handles on directories, below which nothing can be opened that leaves them.
//!
//! A path is opened one name at a time, each through the handle of the directory before and never through a symbolic
//! link. So `..`, absolute paths, links, and links swapped in between a check and an open cannot lead out: there is no
//! step at which they could. Which names may be opened at all is the business of `rule`.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use portable::Dir;
#[cfg(unix)]
pub use unix::Dir;

use std::fs::File;
use std::io::{self, Read};

use super::path::NotePath;

/// What stands at a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// A moment as the file system keeps it: seconds since 1970 and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Moment {
    /// Seconds since 1970-01-01 UTC.
    pub seconds: i64,
    /// Nanoseconds in that second.
    pub nanoseconds: i32,
}

/// What identifies a version of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// What it is.
    pub kind: Kind,
    /// Length in bytes.
    pub size: u64,
    /// When its content was last written, as its owner may set it.
    pub modified: Moment,
    /// When anything about it last changed, as only the kernel sets it (the same as `modified` where there is none).
    pub changed: Moment,
    /// Which file it is on its device, 0 where that is unknown.
    pub inode: u64,
}

/// Why something could not be opened. Carries no path and no text of the system's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenError {
    /// Nothing stands there.
    Missing,
    /// A symbolic link stands there or on the way.
    Link,
    /// A file stands where a folder is needed.
    NotAFolder,
    /// A folder stands where a file is needed.
    IsAFolder,
    /// The system refuses: permissions, a failing disk, too many open files.
    Unreadable(io::ErrorKind),
}

impl From<&io::Error> for OpenError {
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            // A name that is too long or holds a NUL is the name of nothing.
            io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput => Self::Missing,
            io::ErrorKind::NotADirectory => Self::NotAFolder,
            io::ErrorKind::IsADirectory => Self::IsAFolder,
            kind => Self::Unreadable(kind),
        }
    }
}

impl Dir {
    /// The directory at a path below this one, opened name by name.
    pub fn descend(&self, path: &NotePath) -> Result<Self, OpenError> {
        let mut dir = self.again()?;
        for name in path.names() {
            dir = dir.folder(name)?;
        }
        Ok(dir)
    }
}

/// Reads a whole file that its stamp says is of this size into `bytes` (cleared first). Stops just past `most` bytes: the
/// caller sees by the length that there is more. One read when the size is right, which spares a second that finds the end.
pub fn read_whole(file: &mut File, size: u64, most: u64, bytes: &mut Vec<u8>) -> Result<(), OpenError> {
    read_all(file, size, most, bytes).map_err(|error| OpenError::from(&error))
}

fn read_all(file: &mut File, size: u64, most: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let size = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.clear();
    bytes.resize(size + 1, 0);
    let mut filled = 0;
    loop {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if filled == size || filled as u64 > most {
            break;
        }
        if filled == bytes.len() {
            bytes.resize(filled * 2, 0); // it grows while it is read
        }
    }
    bytes.truncate(filled);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;

    use super::*;

    #[test]
    fn a_link_is_never_gone_through() {
        let base = tempfile::tempdir().expect("a temporary directory");
        let root = base.path().join("root");
        fs::create_dir_all(root.join("sub")).expect("a directory");
        fs::create_dir(base.path().join("outside")).expect("a directory");
        fs::write(base.path().join("outside/secret.md"), "secret").expect("a file");
        fs::write(root.join("sub/a.md"), "text").expect("a file");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../outside", root.join("out")).expect("a link");
            std::os::unix::fs::symlink("sub", root.join("in")).expect("a link");
            std::os::unix::fs::symlink("sub/a.md", root.join("note.md")).expect("a link");
            let dir = Dir::open_root(&root).expect("the root opens");
            for name in ["out", "in"] {
                assert_eq!(dir.folder(OsStr::new(name)).err(), Some(OpenError::Link), "{name}");
            }
            assert_eq!(dir.open(OsStr::new("note.md")).err(), Some(OpenError::Link));
            assert_eq!(dir.stat(OsStr::new("note.md")).map(|stamp| stamp.kind), Ok(Kind::Link));
        }
        let dir = Dir::open_root(&root).expect("the root opens");
        let sub = dir.descend(&NotePath::parse("sub").expect("a path")).expect("it opens");
        let mut bytes = Vec::new();
        let (stamp, mut file) = sub.open(OsStr::new("a.md")).expect("it opens");
        read_whole(&mut file, stamp.size, u64::MAX, &mut bytes).expect("it is read");
        assert_eq!((stamp.size, &bytes[..]), (4, &b"text"[..]));
        assert_eq!(sub.open(OsStr::new("nope.md")).err(), Some(OpenError::Missing));
    }
}
