//! Tags as numbers: answers of timed calls, which are added up.

/// A tag of at most 16 bytes as a number, the first byte lowest. Where the length is one of the
/// usual ones, by loads of the size the tag was written with: others wait for the store.
#[must_use]
pub fn number(tag: &[u8]) -> u128 {
    match tag.len() {
        4 => read::<4>(tag),
        8 => read::<8>(tag),
        16 => read::<16>(tag),
        _ => tag.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte)),
    }
}

fn read<const N: usize>(tag: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..N].copy_from_slice(&tag[..N]);
    u128::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_the_same_number_by_any_loads() {
        let tag: [u8; 16] = std::array::from_fn(|i| 16 * i as u8 + 1);
        for length in 0..=16 {
            let number = number(&tag[..length]);
            assert_eq!(number.to_le_bytes()[..length], tag[..length]);
            assert!(length == 16 || number >> (8 * length) == 0);
        }
    }
}
