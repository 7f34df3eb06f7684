//! Numbers that look random and are the same in every run (splitmix64).

pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub fn upto(&mut self, most: usize) -> usize {
        (self.word() % (most as u64 + 1)) as usize
    }

    #[allow(dead_code)] // not every test needs them
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length.div_ceil(8)).flat_map(|_| self.word().to_le_bytes()).take(length).collect()
    }
}
