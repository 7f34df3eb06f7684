//! Libraries in C that have the same MACs: UMAC of Nettle and PMAC of LibTomCrypt.

use crate::input::{Input, umac};
use std::ffi::{CStr, c_char, c_int, c_ulong};
use wegman_catalogue::{Cpu, find};

/// Room for the state of any of these; the largest takes 9 KB.
#[repr(C, align(64))]
struct State([u8; 32 << 10]);

impl State {
    fn new() -> Box<State> {
        Box::new(State([0; 32 << 10]))
    }
}

/// UMAC with tags of each length, and its functions.
macro_rules! nettle {
    ($($name:literal $set_key:ident $set_nonce:ident $update:ident $digest:ident)*) => {
        #[link(name = "nettle")]
        unsafe extern "C" {
            $(
                fn $set_key(state: *mut State, secret: *const u8);
                fn $set_nonce(state: *mut State, length: usize, nonce: *const u8);
                fn $update(state: *mut State, length: usize, message: *const u8);
                fn $digest(state: *mut State, length: usize, tag: *mut u8);
            )*
        }

        const NETTLE: [(&str, SetKey, Give, Give, Digest); 4] =
            [$(($name, $set_key, $set_nonce, $update, $digest)),*];
    };
}

nettle! {
    "UMAC-32" nettle_umac32_set_key nettle_umac32_set_nonce nettle_umac32_update nettle_umac32_digest
    "UMAC-64" nettle_umac64_set_key nettle_umac64_set_nonce nettle_umac64_update nettle_umac64_digest
    "UMAC-96" nettle_umac96_set_key nettle_umac96_set_nonce nettle_umac96_update nettle_umac96_digest
    "UMAC-128" nettle_umac128_set_key nettle_umac128_set_nonce nettle_umac128_update nettle_umac128_digest
}

#[link(name = "tomcrypt")]
unsafe extern "C" {
    static aes_desc: u8;
    fn register_cipher(cipher: *const u8) -> c_int;
    fn find_cipher(name: *const c_char) -> c_int;
    fn pmac_init(state: *mut State, cipher: c_int, key: *const u8, length: c_ulong) -> c_int;
    fn pmac_process(state: *mut State, message: *const u8, length: c_ulong) -> c_int;
    fn pmac_done(state: *mut State, tag: *mut u8, length: *mut c_ulong) -> c_int;
}

type SetKey = unsafe extern "C" fn(*mut State, *const u8);
type Give = unsafe extern "C" fn(*mut State, usize, *const u8);
type Digest = unsafe extern "C" fn(*mut State, usize, *mut u8);

/// UMAC: any key, nonce of 1 to 16 bytes, message, pieces. Nettle counts the nonce up by itself: the next tag is the next
/// nonce's.
pub fn nettle(data: &[u8]) {
    let mut input = Input::new(data);
    let (name, set_key, set_nonce, update, digest) = NETTLE[input.below(4)];
    let (key, secret, nonce) = umac(&mut input, name);
    let message = input.message(40_000);
    let pieces = input.pieces(&message, 8);

    let mut state = State::new();
    // SAFETY: there is room for the state; each function reads or writes as many bytes as it is told, the key has 16.
    unsafe {
        set_key(&mut *state, secret.as_ptr());
        set_nonce(&mut *state, nonce.len(), nonce.as_bytes().as_ptr());
    }
    for count in 0..3 {
        let Some(nonce) = nonce.advance(count) else { break };
        let ours = key.tag(Some(&nonce), &message).expect("its nonce");
        let mut tag = vec![0; ours.to_bytes().len()];
        // SAFETY: as above.
        unsafe {
            pieces.iter().for_each(|piece| update(&mut *state, piece.len(), piece.as_ptr()));
            digest(&mut *state, tag.len(), tag.as_mut_ptr());
        }
        assert_eq!(ours.to_bytes(), tag, "{name}, nonce {nonce:?}, {} bytes", message.len());
    }
}

/// PMAC: any key, message, pieces.
pub fn tomcrypt(data: &[u8]) {
    const AES: &CStr = c"aes";
    let mut input = Input::new(data);
    let name = ["PMAC-AES128", "PMAC-AES192", "PMAC-AES256"][input.below(3)];
    let algorithm = find(name).expect(name);
    let secret = input.bytes(algorithm.key_bytes);
    let message = input.message(40_000);
    let pieces = input.pieces(&message, 8);
    let (mut state, mut tag) = (State::new(), [0; 16]);
    let mut length = tag.len() as c_ulong;
    // SAFETY: the library's own description of AES; there is room for the state; each function reads or writes as many
    // bytes as it is told.
    unsafe {
        register_cipher(&raw const aes_desc);
        let key = (secret.as_ptr(), secret.len() as c_ulong);
        assert_eq!(pmac_init(&mut *state, find_cipher(AES.as_ptr()), key.0, key.1), 0);
        for piece in pieces {
            assert_eq!(pmac_process(&mut *state, piece.as_ptr(), piece.len() as c_ulong), 0);
        }
        assert_eq!(pmac_done(&mut *state, tag.as_mut_ptr(), &mut length), 0);
    }
    let key = algorithm.key(Cpu::detect(), &secret, 16).expect("lengths of the algorithm");
    let ours = key.tag(None, &message).expect("no nonce");
    assert_eq!(ours.to_bytes(), &tag[..length as usize], "{name}, {} bytes", message.len());
}
