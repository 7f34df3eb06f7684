//! Requests to valgrind's memcheck, which are instructions without effect outside of it: its manual's
//! "Client Requests". It tracks which bits are undefined through every instruction, and reports each
//! jump and each address that depends on one: what is secret here is undefined there.
#![allow(unsafe_code)]

const RUNNING: usize = 0x1001;
const CHANGE_ERROR_DISABLEMENT: usize = 0x1801;
const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;
const MAKE_UNDEFINED: usize = MEMCHECK + 1;
const MAKE_DEFINED: usize = MEMCHECK + 2;
const GET_BITS: usize = MEMCHECK + 8;

/// 0 outside of valgrind.
fn request(code: usize, arguments: [usize; 3]) -> usize {
    let [a, b, c] = arguments;
    let words: [usize; 6] = [code, a, b, c, 0, 0];
    let result;
    // SAFETY: rotations by one turn in all and an exchange of a register with itself change nothing
    // but flags. Valgrind reads `words`, and writes only where the callers below allow.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") words.as_ptr(),
            inout("rdx") 0usize => result,
            options(nostack),
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!(
            "ror x12, x12, #3",
            "ror x12, x12, #13",
            "ror x12, x12, #51",
            "ror x12, x12, #61",
            "orr x10, x10, x10",
            in("x4") words.as_ptr(),
            inout("x3") 0usize => result,
            options(nostack),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = words;
        result = 0;
    }
    result
}

/// Whether valgrind runs this program.
pub fn is_running() -> bool {
    request(RUNNING, [0; 3]) != 0
}

/// From here on these bytes, and all that is computed from them, are secret.
pub fn hide(bytes: &mut [u8]) {
    // From here on the compiler must not know the content.
    let bytes = std::hint::black_box(bytes);
    request(MAKE_UNDEFINED, [bytes.as_ptr() as usize, bytes.len(), 0]);
}

/// These bytes are public from here on.
pub fn reveal(bytes: &mut [u8]) {
    let bytes = std::hint::black_box(bytes);
    request(MAKE_DEFINED, [bytes.as_ptr() as usize, bytes.len(), 0]);
}

/// Whether every bit of these bytes is secret.
pub fn is_hidden(bytes: &[u8]) -> bool {
    hidden_bits(bytes).iter().all(|&bits| bits == 0xff)
}

/// Whether any bit of these bytes is secret.
pub fn has_hidden(bytes: &[u8]) -> bool {
    hidden_bits(bytes).iter().any(|&bits| bits != 0)
}

fn hidden_bits(bytes: &[u8]) -> Vec<u8> {
    let mut bits = vec![0u8; bytes.len()];
    // It writes one byte for each byte.
    request(GET_BITS, [bytes.as_ptr() as usize, bits.as_mut_ptr() as usize, bytes.len()]);
    std::hint::black_box(bits)
}

/// Runs code whose branches are not reported, because its outcome is public.
pub fn unreported<T>(make: impl FnOnce() -> T) -> T {
    request(CHANGE_ERROR_DISABLEMENT, [1, 0, 0]);
    let made = make();
    request(CHANGE_ERROR_DISABLEMENT, [1_usize.wrapping_neg(), 0, 0]);
    made
}

/// Makes a value public, such as the outcome of a verification; not what it points to.
pub fn revealed<T: Copy>(mut value: T) -> T {
    let place = std::hint::black_box(&mut value);
    request(MAKE_DEFINED, [std::ptr::from_mut(place) as usize, size_of::<T>(), 0]);
    *std::hint::black_box(place)
}
