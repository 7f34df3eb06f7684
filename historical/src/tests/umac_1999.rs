//! UMAC of 1999 against the oracle: the hash of a block on every row, tags of all sets in both paddings at edge
//! lengths, nonces, and Figure 1. The catalogue's contract has the streams.

use crate::Umac1999;
use crate::umac_1999::block_hash::{self, BLOCK, BlockHash};
use crate::umac_1999::quirks::{self, Padding};
use crate::umac_1999::{Figure1, Mmx15, Mmx30, Mmx60, Set, Std30, Std60};
use wegman::TagMismatch;
use wegman::cpu::Cpu;
use wegman_reference::inputs::{Placed, Random};
use wegman_reference::umac_1999 as oracle;

/// The secret of every test here; MMX sets take its first 16 bytes.
const SECRET: [u8; 20] = *b"abcdefghijklmnopqrst";

fn of_oracle<S: Set>() -> oracle::Set {
    oracle::Set::parse(S::NAME).unwrap()
}

fn secret<S: Set>() -> &'static [u8] {
    &SECRET[..S::KEY_BYTES]
}

/// A key on each row of this machine.
fn keys<S: Set>(padding: Padding) -> Vec<Umac1999<S>> {
    let key = |(name, cpu)| {
        let key = quirks::key(cpu, secret::<S>(), padding).unwrap();
        assert_eq!(Umac1999::<S>::kernel(&key), name);
        key
    };
    Umac1999::<S>::kernels(Cpu::detect()).map(key).collect()
}

macro_rules! of_every_set {
    ($function:ident) => {
        $function::<Std30>();
        $function::<Std60>();
        $function::<Mmx15>();
        $function::<Mmx30>();
        $function::<Mmx60>();
    };
}

/// Compares the hash of every row with the oracle, with a key of these bytes.
fn check_blocks<H: BlockHash>(set: oracle::Set, fill_key: impl Fn(&mut [u8]), block: &[u8]) {
    let mut key = vec![0; set.hash_key_len()];
    fill_key(&mut key);
    let placed = Placed::new(block);
    let edges = (1..=BLOCK / 256).flat_map(|i| 256 * i - 9..=256 * i + 9);
    for length in (1..=600).chain(edges).filter(|length| *length <= block.len()) {
        let expected = oracle::block_hash(set, &key, &block[..length]);
        for (name, cpu) in H::kernels(Cpu::detect()) {
            let hash = H::derive(cpu, |bytes| bytes.copy_from_slice(&key));
            assert_eq!(hash.kernel(), name);
            let mut out = vec![0xa5; H::BYTES];
            hash.hash(placed.at(length, length), &mut out);
            assert_eq!(out, expected, "{set:?}, {length} bytes on {name}");
        }
    }
}

/// Random keys and blocks, and words and keys whose sums are at the ends of their range.
#[test]
fn blocks() {
    fn check<H: BlockHash>(set: oracle::Set) {
        let mut random = Random(90);
        let block = random.message(BLOCK);
        let key = random.message(set.hash_key_len());
        check_blocks::<H>(set, |bytes| bytes.copy_from_slice(&key), &block);
        for (fill, key) in [(0, 0), (0xff, 0xff), (0, 0x80), (0x80, 0), (0x7f, 0x00), (0xff, 1)] {
            check_blocks::<H>(set, |bytes| bytes.fill(key), &[fill; BLOCK]);
        }
        // Each word is the smallest number: 8000 or 8000 0000, whose square is the largest product.
        let w = if set.family == oracle::Family::Std { 4 } else { 2 };
        let smallest = |i| if i % w == w - 1 { 0x80 } else { 0 };
        let block: Vec<u8> = (0..BLOCK).map(smallest).collect();
        check_blocks::<H>(set, |bytes| bytes.fill(0), &block);
        // The smallest number times -1, times 1 and times the largest, in turn.
        let others: [u32; 3] = [u32::MAX, 1, 0x7fff_ffff];
        let pair = |y: u32| [0x8000_0000, y].map(u32::to_le_bytes).concat();
        let block = others.map(pair).concat().repeat(BLOCK / 24 + 1);
        check_blocks::<H>(set, |bytes| bytes.fill(0), &block[..BLOCK]);
    }
    check::<block_hash::Std<1>>(oracle::STD_30);
    check::<block_hash::Std<2>>(oracle::STD_60);
    check::<block_hash::Mmx<1>>(oracle::MMX_15);
    check::<block_hash::Mmx<2>>(oracle::MMX_30);
    check::<block_hash::Mmx<4>>(oracle::MMX_60);
}

/// Lengths around the shortest message that is hashed, around the 64 bytes where the paddings differ, and around the
/// ends of the PRF's blocks, of chunks and of blocks.
fn edge_lengths() -> impl Iterator<Item = usize> {
    let around = |edge: usize| edge - 2..=edge + 2;
    (0..=140).chain([256, 512, 4096, 8192, 12288].into_iter().flat_map(around))
}

#[test]
fn tags_at_edge_lengths() {
    fn check<S: Set>() {
        let set = of_oracle::<S>();
        let (hash_key, prf_key) =
            (oracle::hash_key(set, secret::<S>()), oracle::prf_key(set, secret::<S>()));
        assert_eq!(S::KEY_BYTES, set.key_len());
        assert_eq!(S::MIN_MESSAGE, set.min_len_to_hash());
        let message = Random(91).message(3 * BLOCK + 2);
        let nonce = 0x0123_4567_89ab_cdef_u64;
        for (padding, mode) in
            [(Padding::Paper, oracle::Mode::Paper), (Padding::Ref02505, oracle::Mode::Ref02505)]
        {
            let keys = keys::<S>(padding);
            for length in edge_lengths() {
                let message = &message[..length];
                let expected =
                    oracle::umac_1999(set, mode, secret::<S>(), message, &nonce.to_be_bytes());
                for key in &keys {
                    let tag = key.tag(nonce, message).to_string();
                    assert_eq!(tag, hex(&expected), "{key:?}, {padding:?}, {length} bytes");
                }
            }
        }
        // The same tag, put together from the oracle's parts.
        let hm = oracle::hash_message(set, &hash_key, &message[..BLOCK]);
        let x = [&hm[..], &[0, 0, 9, 1]].concat();
        let expected = oracle::prf(set, oracle::Mode::Paper, &prf_key, 0, &x);
        for key in keys::<S>(Padding::Paper) {
            assert_eq!(key.tag(9, &message[..BLOCK]).to_string(), hex(&expected));
        }
    }
    of_every_set!(check);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn nonces_of_every_length() {
    fn check<S: Set>() {
        let set = of_oracle::<S>();
        let message = Random(92).message(100);
        let long = [0, 1, 0x80, 0xff].into_iter();
        let nonces = long.flat_map(|n: u64| (0..8).flat_map(move |i| [n << (8 * i), n << (7 * i)]));
        for nonce in nonces.chain([u64::MAX]) {
            for length in [0, 32, 56, 100] {
                let (message, bytes) = (&message[..length], nonce.to_be_bytes());
                let mode = oracle::Mode::Paper;
                let expected = oracle::umac_1999(set, mode, secret::<S>(), message, &bytes);
                let key = Umac1999::<S>::from_slice(secret::<S>()).unwrap();
                assert_eq!(key.tag(nonce, message).to_string(), hex(&expected), "{nonce:x}");
            }
        }
    }
    of_every_set!(check);
}

/// What the module says about the padding of old code: short messages with a zero byte appended.
#[test]
fn the_old_padding_is_no_mac() {
    let [old, new] = [Padding::Ref02505, Padding::Paper]
        .map(|padding| quirks::key::<Mmx60>(Cpu::detect(), secret::<Mmx60>(), padding).unwrap());
    let message = Random(94).message(32);
    for length in 0..32 {
        let (one, other) = (&message[..length], [&message[..length], &[0]].concat());
        let is_whole = length % 16 == 0 || length % 16 == 15;
        assert_eq!(old.tag(1, one) == old.tag(1, &other), !is_whole, "{length}");
        assert_ne!(new.tag(1, one), new.tag(1, &other), "{length}");
    }
}

/// Fourteen hashes of 4 bytes, and nonces of 1 to 8 bytes: the inputs of the CBC-MAC have 60 to 67 bytes.
#[test]
fn where_the_paddings_part() {
    let message = Random(96).message(14 * BLOCK - 5);
    let mut same = 0;
    for nonce in (0..8).map(|i| 0xff_u64 << (8 * i)) {
        let tags =
            [(Padding::Ref02505, oracle::Mode::Ref02505), (Padding::Paper, oracle::Mode::Paper)]
                .map(|(padding, mode)| {
                    let (set, secret) = (oracle::MMX_15, secret::<Mmx15>());
                    let key = quirks::key::<Mmx15>(Cpu::detect(), secret, padding).unwrap();
                    let expected =
                        oracle::umac_1999(set, mode, secret, &message, &nonce.to_be_bytes());
                    assert_eq!(key.tag(nonce, &message).to_string(), hex(&expected), "{nonce:x}");
                    expected
                });
        same += usize::from(tags[0] == tags[1]);
    }
    assert_eq!(same, 4, "those of 64 bytes and more");
}

#[test]
fn figure_1() {
    let mut random = Random(95);
    let (k, a) = (random.bytes(), random.bytes());
    let message = random.message(3 * BLOCK + 2);
    let ones = vec![0xff; message.len()];
    for (k, message) in [(k, message), ([0xff; BLOCK], ones.clone()), ([0; BLOCK], ones)] {
        let key = Figure1::new(&k, &a);
        for length in edge_lengths() {
            let message = &message[..length];
            let nonce = random.word();
            let expected = oracle::figure_1(&k, &a, message, &nonce.to_be_bytes());
            let tag = key.tag(nonce, message);
            assert_eq!(tag.to_bytes().as_slice(), expected, "{length} bytes");
            assert_eq!(key.verify(nonce, message, &tag), Ok(()));
            assert_eq!(key.verify(nonce ^ 1, message, &tag), Err(TagMismatch));
        }
    }
}
