//! The manifests for registries and bundles.
