//! What the fuzz targets do, from the files that the tests use, too.
#![allow(missing_docs)]

pub mod functions;

#[path = "../support"]
pub mod support {
    /// All of it but the starts for proptest.
    pub mod random {
        pub mod case;
        pub mod invariants;
        pub mod judge;
        pub mod secret;
        pub mod world;
    }
}
