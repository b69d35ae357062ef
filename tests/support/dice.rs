//! Numbers by chance that are the same in each run (SplitMix64): a failure comes back under its number.
#![allow(dead_code)]

/// A generator, from its seed.
pub struct Dice(pub u64);

impl Dice {
    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `sides`; 0 where there is none.
    pub fn roll(&mut self, sides: usize) -> usize {
        (self.next() % sides.max(1) as u64) as usize
    }

    /// One of these.
    pub fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.roll(all.len())]
    }

    /// True once in so many times.
    pub fn rarely(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }
}
