//! What the functions of MACs with a type of their own share. Safety of all of them: what wegman.h says under "Memory".

use crate::raw::{array, give_put, name, not_null};
use crate::status::Status;
use core::ffi::c_char;
use core::hint::black_box;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::hazmat::raw;
use wegman::hazmat::wiped::{MOVED, Place, stack_for, with_clean_stack};
use wegman::{Aes128, Cpu, NonceOf, nonce_mac, pmac};
use zeroize::Zeroizing;

/// A key that is made for C.
pub(crate) trait Made: Sized {
    /// The most copies of a key that this leaves on the stack.
    const COPIES: usize;

    /// Makes a key from a secret, where `place` puts it.
    fn made<'p>(cpu: Cpu, secret: &[u8; 16], place: impl FnOnce(Self) -> &'p mut Self)
    where
        Self: 'p;
}

impl<H: HashAndPads<N>, const N: usize, const L: usize> Made for nonce_mac::Key<H, N, L> {
    const COPIES: usize = if H::IN_PLACE { 1 } else { MOVED };

    fn made<'p>(cpu: Cpu, secret: &[u8; 16], place: impl FnOnce(Self) -> &'p mut Self)
    where
        Self: 'p,
    {
        raw::put(cpu, secret, place);
    }
}

impl Made for pmac::Key<Aes128, 16> {
    const COPIES: usize = MOVED;

    fn made<'p>(cpu: Cpu, secret: &[u8; 16], place: impl FnOnce(Self) -> &'p mut Self) {
        place(Self::with_cpu(cpu, secret));
    }
}

/// Makes a key `T` for C from a secret, for a machine with these features.
pub(crate) unsafe fn make<T>(
    cpu: impl FnOnce() -> Result<Cpu, Status>,
    secret: *const u8,
    out: *mut *mut T,
    copies: usize,
    make: impl FnOnce(Cpu, &[u8; 16], Place<'_, T>),
) -> Status {
    let make = |place: Place<'_, T>| {
        let cpu = cpu()?;
        // SAFETY: the caller's promise.
        let secret = Zeroizing::new(unsafe { array(secret) }?);
        make(cpu, &secret, place);
        Ok(())
    };
    // SAFETY: the caller's promise.
    with_clean_stack(stack_for::<T>(copies), || unsafe { give_put(out, make) })
}

/// The machine's features for the kernel that C names.
pub(crate) unsafe fn named(
    kernel: *const c_char,
    mut kernels: impl Iterator<Item = (&'static str, Cpu)>,
) -> Result<Cpu, Status> {
    // SAFETY: the caller's promise.
    let wanted = unsafe { name(kernel) }?;
    let found = kernels.find(|(known, _)| *known == wanted);
    found.map(|(_, cpu)| cpu).ok_or(Status::Name)
}

/// The nonce at `place`.
#[inline(always)]
pub(crate) unsafe fn nonce_at<const L: usize>(place: *const u8) -> Result<NonceOf<L>, Status> {
    not_null(place)?;
    // SAFETY: not NULL, and the caller's promise.
    Ok(unsafe { nonce(place, 0) })
}

/// Nonce number `index` of those at `place`.
#[inline(always)]
pub(crate) unsafe fn nonce<const L: usize>(place: *const u8, index: usize) -> NonceOf<L> {
    let place = place.wrapping_add(L * index);
    // In words and bytes, because C may have stored it so a moment ago: a load of more would wait for the cache. The
    // compiler would join words at places that it knows.
    // SAFETY: the caller's promise.
    let pair = |at| u128::from(unsafe { place.add(at).cast::<u16>().read_unaligned() }.to_le());
    // SAFETY: likewise.
    let byte = |at| u128::from(unsafe { place.add(at).read_volatile() });
    // SAFETY: likewise.
    let word = |at| u128::from(unsafe { place.add(at).cast::<u32>().read_unaligned() }.to_le());
    let end = pair(L - 4) | byte(L - 2) << 16 | byte(L - 1) << 24;
    let words = (4..L - 4).step_by(4).map(|at| word(black_box(at)) << (8 * at));
    let nonce = words.fold(word(0) | end << (8 * (L - 4)), |all, word| all | word).to_le_bytes();
    NonceOf::from(*nonce.first_chunk().expect("a nonce has at most 16 bytes"))
}

/// The nonce `count` places after the first one.
#[inline]
pub(crate) fn advance<const L: usize>(
    first: &NonceOf<L>,
    count: usize,
) -> Result<NonceOf<L>, Status> {
    let first = raw::Nonce::from(first.to_bytes());
    let nonce = first.advance(count as u64).ok_or(Status::NoncesExhausted)?;
    NonceOf::try_from(nonce.as_bytes()).map_err(Status::from)
}
