//! One list of promises for every registered algorithm on every kernel of this machine, then the
//! promises of the typed face and of the `digest` traits. The public face only.

#[cfg(feature = "digest")]
#[path = "contract/digest_traits.rs"]
mod digest_traits;
#[cfg(feature = "alloc")]
#[path = "contract/every_algorithm.rs"]
mod every_algorithm;
#[path = "common/random.rs"]
mod random;
#[path = "contract/the_registry.rs"]
mod the_registry;
#[path = "contract/typed.rs"]
mod typed;

use random::Random;

/// Around everything that is cut into parts: nothing, blocks of 16 bytes, units of 32, PMAC's buffer
/// (512), chunks and groups of blocks (1024), groups of 16 chunks.
const LENGTHS: [usize; 30] = [
    0, 1, 2, 15, 16, 17, 31, 32, 33, 48, 64, 255, 256, 257, 511, 512, 513, 1008, 1023, 1024, 1025,
    1040, 1536, 2047, 2048, 2049, 3079, 4096, 16385, 17409,
];

/// Every message that differs from this one in one bit.
fn bit_flips(message: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..8 * message.len()).map(|bit| {
        let mut flipped = message.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped
    })
}

/// The message cut at random: about one piece in four is empty, most are short, a few are long.
fn random_pieces<'m>(random: &mut Random, mut message: &'m [u8]) -> Vec<&'m [u8]> {
    let mut pieces = Vec::new();
    while !message.is_empty() {
        let most = [0, 40, 600, message.len()][random.upto(3)].min(message.len());
        let (piece, rest) = message.split_at(random.upto(most));
        pieces.push(piece);
        message = rest;
    }
    pieces
}
