//! A MAC of randomly chosen parts of the message, after US patent 6,976,168 (Branstad and Carman). By
//! its claim 1, the message is divided into regions of several parts, and one part of each region is
//! authenticated.
//!
//! No exact definition is published; this one is our own. By design, a change may go
//! undetected.

use crate::aes::Aes;
use crate::hmac::hmac;
use crate::sha1::sha1;

/// How a message is divided.
#[derive(Clone, Copy, Debug)]
pub struct Division {
    /// Bytes in a part; the last one may be shorter.
    pub part: usize,
    /// Parts in a region; the last one may be smaller.
    pub region: usize,
}

/// The parts of one region: `count` parts, the first of which is part number `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    first: usize,
    count: usize,
}

/// The regions of a message of `message_len` bytes.
fn regions(division: Division, message_len: usize) -> Vec<Region> {
    assert!(division.part > 0 && division.region > 0, "parts and regions are not empty");
    let parts = message_len.div_ceil(division.part);
    let firsts = (0..parts).step_by(division.region);
    firsts.map(|first| Region { first, count: division.region.min(parts - first) }).collect()
}

/// The first `count` numbers of the selection stream: two bytes each, big-endian, of
/// AES_ks(nonce || j) for j = 0, 1, ...
fn selection_stream(ks: &[u8; 16], nonce: &[u8; 8], count: usize) -> Vec<u16> {
    let aes = Aes::new(ks);
    let mut bytes = Vec::new();
    let mut j: u64 = 0;
    while bytes.len() < 2 * count {
        let mut block = [0; 16];
        block[..8].copy_from_slice(nonce);
        block[8..].copy_from_slice(&j.to_be_bytes());
        bytes.extend(aes.encrypt(&block));
        j += 1;
    }
    bytes.chunks(2).take(count).map(|v| u16::from_be_bytes([v[0], v[1]])).collect()
}

/// The part that the number v chooses among s: floor(v s / 65536).
fn choice(v: u16, s: usize) -> usize {
    usize::from(v) * s / 65536
}

/// The numbers of the chosen parts, one of each region.
pub fn selected_parts(
    division: Division,
    ks: &[u8; 16],
    nonce: &[u8; 8],
    message_len: usize,
) -> Vec<usize> {
    let regions = regions(division, message_len);
    let stream = selection_stream(ks, nonce, regions.len());
    regions.iter().zip(stream).map(|(region, v)| region.first + choice(v, region.count)).collect()
}

/// The tag: the first 12 bytes of HMAC-SHA1_km(nonce || length of M || chosen parts in order).
pub fn partial_mac(
    division: Division,
    ks: &[u8; 16],
    km: &[u8],
    nonce: &[u8; 8],
    message: &[u8],
) -> Vec<u8> {
    let parts: Vec<&[u8]> = message.chunks(division.part).collect();
    let mut text = nonce.to_vec();
    text.extend((message.len() as u64).to_be_bytes());
    for number in selected_parts(division, ks, nonce, message.len()) {
        text.extend(parts[number]);
    }
    hmac(sha1, km, &text)[..12].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KS: [u8; 16] = [5; 16];

    #[test]
    fn the_last_part_and_the_last_region_are_smaller() {
        let division = Division { part: 4, region: 3 };
        assert_eq!(regions(division, 0), []);
        assert_eq!(regions(division, 1), [Region { first: 0, count: 1 }]);
        let two = [Region { first: 0, count: 3 }, Region { first: 3, count: 2 }];
        assert_eq!(regions(division, 17), two);
        assert_eq!(regions(division, 20), two);
    }

    #[test]
    fn every_part_is_chosen_about_equally_often() {
        for s in 1..=40 {
            let mut times = vec![0; s];
            (0..=u16::MAX).for_each(|v| times[choice(v, s)] += 1);
            let even = 65536 / s;
            assert!(times.iter().all(|&n| n == even || n == even + 1), "{s} parts");
        }
    }

    #[test]
    fn a_change_of_length_is_noticed() {
        let division = Division { part: 4, region: 100 };
        let tag = |message: &[u8]| partial_mac(division, &KS, &[1; 20], &[0; 8], message);
        assert_ne!(tag(&[0; 399]), tag(&[0; 400]));
    }
}
