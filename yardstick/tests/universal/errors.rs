//! What is refused, and how.

use super::refused;
use wegman_yardstick::universal::{
    Bucket, InvalidInput, LfsrToeplitz, Mh, Mmh16, Mmh32, MmhStar, Nh, Nht, Nht2, Nhx, Nmh32,
    NmhStar, Polynomial, Prime, Sign, Sqh, Tmmh16,
};

const SIGN: Sign = Sign::Unsigned;

#[test]
fn nh() {
    refused(Nh::new(SIGN, 0, &[0; 2]), InvalidInput::WordSize);
    refused(Nh::new(SIGN, 65, &[0; 2]), InvalidInput::WordSize);
    refused(Nh::new(SIGN, 4, &[0, 16]), InvalidInput::Word);
    for n in [0, 1, 3] {
        refused(Nh::new(SIGN, 4, &[0; 4][..n]), InvalidInput::KeyLength);
    }
    let nh = Nh::new(SIGN, 4, &[0; 4]).unwrap();
    refused(nh.hash(&[0, 16]), InvalidInput::Word);
    for l in [0, 1, 3, 5, 6] {
        refused(nh.hash(&[0; 6][..l]), InvalidInput::MessageLength);
    }
    refused(Nht::new(SIGN, 4, 0, &[0; 4]), InvalidInput::Repetitions);
    refused(Nht::new(SIGN, 4, 3, &[0; 4]), InvalidInput::KeyLength);
    refused(Nht::new(SIGN, 4, 4, &[0; 4]), InvalidInput::KeyLength);
    refused(Nht::new(SIGN, 4, usize::MAX, &[0; 4]), InvalidInput::KeyLength);
    let nht = Nht::new(SIGN, 4, 2, &[0; 4]).unwrap();
    refused(nht.hash(&[0; 2], &mut [0; 1]), InvalidInput::OutputLength);
    refused(nht.hash(&[0; 4], &mut [0; 2]), InvalidInput::MessageLength);
}

#[test]
fn nht2_and_nhx() {
    for (k, l) in [(2, 4), (3, 4), (4, 2), (4, 5)] {
        refused(Nht2::new(SIGN, 4, &[0; 5][..k], &[0; 5][..l]), InvalidInput::KeyLength);
    }
    refused(Nht2::new(SIGN, 4, &[0; 4], &[0, 0, 0, 16]), InvalidInput::Word);
    let nht2 = Nht2::new(SIGN, 4, &[0; 4], &[0; 6]).unwrap();
    assert_eq!(nht2.hash(&[0; 4]), Ok([0; 2]));
    for l in [0, 3, 6] {
        refused(nht2.hash(&[0; 6][..l]), InvalidInput::MessageLength);
    }
    refused(nht2.hash(&[16, 0]), InvalidInput::Word);

    refused(Nhx::new(SIGN, 12, 1, &[0; 2], 2), InvalidInput::WordSize);
    // 256 bytes a block: the length modulo that fits one byte; twice as many do not.
    assert!(Nhx::new(SIGN, 8, 1, &[0; 256], 1).is_ok());
    refused(Nhx::new(SIGN, 8, 1, &[0; 512], 1), InvalidInput::OutputLength);
    refused(Nhx::new(SIGN, 8, 1, &[0; 2], 0), InvalidInput::OutputLength);
    let nhx = Nhx::new(SIGN, 8, 1, &[0; 2], 1).unwrap();
    refused(nhx.hash(&[0; 2], &mut [0; 4]), InvalidInput::OutputLength);
}

#[test]
fn sums_of_products() {
    refused(Mh::new(65, &[]), InvalidInput::WordSize);
    refused(Mh::new(1, &[2]), InvalidInput::Word);
    refused(Mh::new(1, &[1]).unwrap().hash(&[2]), InvalidInput::Word);
    refused(Mh::new(1, &[1]).unwrap().hash(&[0, 0]), InvalidInput::MessageLength);

    refused(Prime::new(9), InvalidInput::Modulus);
    let five = Prime::new(5).unwrap();
    refused(Sqh::new(Prime::new(2).unwrap(), &[]), InvalidInput::Modulus);
    refused(MmhStar::new(five, &[5]), InvalidInput::Word);
    refused(NmhStar::new(five, &[5]), InvalidInput::Word);
    refused(Sqh::new(five, &[5]), InvalidInput::Word);
    let key = [4; 3];
    refused(MmhStar::new(five, &key).unwrap().hash(&[5]), InvalidInput::Word);
    refused(NmhStar::new(five, &key).unwrap().hash(&[5, 0]), InvalidInput::Word);
    refused(Sqh::new(five, &key).unwrap().hash(&[5]), InvalidInput::Word);
    refused(MmhStar::new(five, &key).unwrap().hash(&[0; 4]), InvalidInput::MessageLength);
    for l in [1, 3, 4] {
        let hash = NmhStar::new(five, &key).unwrap().hash(&[0; 4][..l]);
        refused(hash, InvalidInput::MessageLength);
        refused(Nmh32::new(&[0; 3]).hash(&[0; 4][..l]), InvalidInput::MessageLength);
    }
    refused(Sqh::new(five, &key).unwrap().hash(&[0; 4]), InvalidInput::MessageLength);
    refused(Mmh32::new(&[0; 3]).hash(&[0; 4]), InvalidInput::MessageLength);
    refused(Mmh16::new(&[0; 3]).hash(&[0; 4]), InvalidInput::MessageLength);

    refused(Tmmh16::new(&[0; 3]), InvalidInput::KeyLength);
    let tmmh = Tmmh16::new(&[0; 6]).unwrap();
    for out in [0, 1, 3] {
        refused(tmmh.hash(&[0], &mut [0; 3][..out]), InvalidInput::OutputLength);
    }
    refused(tmmh.hash(&[0; 5], &mut [0; 2]), InvalidInput::MessageLength);
    refused(tmmh.hash(&[0; 3], &mut [0; 4]), InvalidInput::MessageLength);
    let long = vec![0; 1 << 17];
    let tmmh = Tmmh16::new(&long).unwrap();
    assert!(tmmh.hash(&long[..65535], &mut [0; 2]).is_ok());
    refused(tmmh.hash(&long[..65536], &mut [0; 2]), InvalidInput::MessageLength);
}

#[test]
fn buckets() {
    for key in [[[0, 1, 1], [0, 1, 2]], [[0, 1, 4], [0, 1, 2]], [[0, 1, 2], [2, 0, 1]]] {
        refused(Bucket::new(4, &key), InvalidInput::Triples);
    }
    let key = [[0, 1, 2]];
    let bucket = Bucket::new(4, &key).unwrap();
    refused(bucket.hash(&[0; 2], &mut [0; 4]), InvalidInput::MessageLength);
    refused(bucket.hash(&[0], &mut [0; 3]), InvalidInput::OutputLength);
}

#[test]
fn polynomials_and_states() {
    for (degree, low) in [(0, 0), (129, 3), (3, 0b1011), (2, 1)] {
        refused(Polynomial::new(degree, low), InvalidInput::Polynomial);
    }
    let p = Polynomial::new(3, 0b011).unwrap();
    assert_eq!(p.degree(), 3);
    for state in [0, 8] {
        refused(LfsrToeplitz::new(p.clone(), state), InvalidInput::State);
    }
}

/// No key in what is printed.
#[test]
fn nothing_secret_is_printed() {
    let shown = [
        format!("{:?}", Nh::new(SIGN, 8, &[77; 2]).unwrap()),
        format!("{:?}", Nht::new(SIGN, 8, 2, &[77; 4]).unwrap()),
        format!("{:?}", Nht2::new(SIGN, 8, &[77; 4], &[77; 4]).unwrap()),
        format!("{:?}", Nhx::new(SIGN, 8, 1, &[77; 2], 1).unwrap()),
        format!("{:?}", Mh::new(8, &[77]).unwrap()),
        format!("{:?}", MmhStar::new(Prime::P61, &[77]).unwrap()),
        format!("{:?}", Bucket::new(100, &[[77, 7, 6]]).unwrap()),
        format!("{:?}", Tmmh16::new(&[77; 2]).unwrap()),
        format!("{:?}", LfsrToeplitz::new(Polynomial::new(8, 0x1b).unwrap(), 77).unwrap()),
    ];
    for text in shown {
        assert!(!text.contains("77") && !text.contains("27"), "{text}");
    }
    assert_eq!(InvalidInput::Word.to_string(), "a word is too large");
}
