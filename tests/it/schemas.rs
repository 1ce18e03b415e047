//! The tools as they are published: kept as files, and held to what all clients can swallow.
