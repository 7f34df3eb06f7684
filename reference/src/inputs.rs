//! Inputs for the tests of every crate: pseudorandom numbers, and messages at every alignment.

/// Pseudorandom numbers that are the same in every run (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// 128 bits.
    pub fn wide(&mut self) -> u128 {
        u128::from(self.word()) << 64 | u128::from(self.word())
    }

    /// A number from 0 to `most`.
    pub fn upto(&mut self, most: usize) -> usize {
        (self.word() % (most as u64 + 1)) as usize
    }

    /// A number below `end`, almost uniform.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(end)) >> 64) as u64
    }

    /// An array. Each byte uses one word.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        core::array::from_fn(|_| self.word() as u8)
    }

    /// `length` bytes.
    pub fn message(&mut self, length: usize) -> Vec<u8> {
        (0..length.div_ceil(8)).flat_map(|_| self.word().to_le_bytes()).take(length).collect()
    }
}

/// A whole chunk of UMAC whose output of level 1 under the key of a stream is `output`.
#[must_use]
pub fn chunk_with_output(l1_key: &[u8], output: u64) -> Vec<u8> {
    // The length in bits is added to NH.
    let sum = output.wrapping_sub(8 * 1024);
    let (high, low) = ((sum >> 32) as u32, sum as u32);
    // What the words of message and key are together: high (2^32 - 1) + high 1 + low 1, and otherwise 0.
    let mut together = [0; 1024 / 4];
    (together[0], together[4]) = (high, u32::MAX);
    (together[1], together[5]) = (high, 1);
    (together[2], together[6]) = (low, 1);
    let words = together.iter().zip(l1_key.as_chunks().0);
    words.flat_map(|(sum, key)| sum.wrapping_sub(u32::from_be_bytes(*key)).to_le_bytes()).collect()
}

/// A message at each distance from a 64-byte boundary; 64 bytes are a cache line and the widest register.
pub struct Placed(Vec<(Vec<u8>, usize)>);

impl Placed {
    const DISTANCES: usize = 64;

    /// Copies of a message.
    pub fn new(message: &[u8]) -> Placed {
        let place = |distance| {
            let mut bytes = vec![0xa5; message.len() + 2 * Self::DISTANCES];
            let start = bytes.as_ptr().align_offset(Self::DISTANCES) + distance;
            bytes[start..][..message.len()].copy_from_slice(message);
            (bytes, start)
        };
        Placed((0..Self::DISTANCES).map(place).collect())
    }

    /// The first `length` bytes of the message at the given distance.
    pub fn at(&self, distance: usize, length: usize) -> &[u8] {
        let (bytes, start) = &self.0[distance % Self::DISTANCES];
        &bytes[*start..][..length]
    }
}

/// Lengths around everything that is cut into parts: nothing, blocks of 16 bytes, units of 32, PMAC's buffer
/// (512), chunks and groups of blocks (1024), groups of 16 chunks.
pub const LENGTHS: [usize; 30] = [
    0, 1, 2, 15, 16, 17, 31, 32, 33, 48, 64, 255, 256, 257, 511, 512, 513, 1008, 1023, 1024, 1025,
    1040, 1536, 2047, 2048, 2049, 3079, 4096, 16385, 17409,
];

/// Every message that differs from this one in one bit.
pub fn bit_flips(message: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..8 * message.len()).map(|bit| {
        let mut flipped = message.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped
    })
}

/// The message cut at random: about one piece in four is empty, most are short, a few are long.
pub fn random_pieces<'m>(random: &mut Random, mut message: &'m [u8]) -> Vec<&'m [u8]> {
    let mut pieces = Vec::new();
    while !message.is_empty() {
        let most = [0, 40, 600, message.len()][random.upto(3)].min(message.len());
        let (piece, rest) = message.split_at(random.upto(most));
        pieces.push(piece);
        message = rest;
    }
    pieces
}
