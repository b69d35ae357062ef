//! What the tests on random input stand on: starts in memory, and what holds of all of them. The fuzz targets use it, too.

pub mod case;
pub mod invariants;
pub mod judge;
pub mod secret;
pub mod starts;
pub mod world;
