//! [`Mac`]: what the exported functions need of a MAC, with a nonce or without.

use crate::status::Status;
use core::hint::black_box;
use wegman::cipher::BlockCipher;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::hazmat::raw;
use wegman::{Cpu, NonceOf, Tag, TagMismatch, nonce_mac, pmac};

/// A nonce of a MAC; `()` for a MAC without one.
pub(crate) trait Nonce: Sized {
    /// How many bytes one has.
    const BYTES: usize;

    /// Refuses NULL for nonces, if there are any.
    fn check(place: *const u8) -> Result<(), Status>;

    /// Reads nonce number `index` of those at `place`.
    ///
    /// # Safety
    /// `place` points to `index + 1` nonces. Without nonces it is not used.
    unsafe fn read(place: *const u8, index: usize) -> Self;

    /// The nonce `count` places after this one.
    fn advance(&self, count: usize) -> Result<Self, Status>;
}

impl<const L: usize> Nonce for NonceOf<L> {
    const BYTES: usize = L;

    #[inline(always)]
    fn check(place: *const u8) -> Result<(), Status> {
        if place.is_null() { Err(Status::Null) } else { Ok(()) }
    }

    #[inline(always)]
    unsafe fn read(place: *const u8, index: usize) -> Self {
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
        let nonce =
            words.fold(word(0) | end << (8 * (L - 4)), |all, word| all | word).to_le_bytes();
        NonceOf::from(*nonce.first_chunk().expect("a nonce has at most 16 bytes"))
    }

    #[inline]
    fn advance(&self, count: usize) -> Result<Self, Status> {
        let first = raw::Nonce::from(self.to_bytes());
        let nonce = first.advance(count as u64).ok_or(Status::NoncesExhausted)?;
        NonceOf::try_from(nonce.as_bytes()).map_err(Status::from)
    }
}

impl Nonce for () {
    const BYTES: usize = 0;

    #[inline(always)]
    fn check(_: *const u8) -> Result<(), Status> {
        Ok(())
    }

    #[inline(always)]
    unsafe fn read(_: *const u8, _: usize) {}

    #[inline]
    fn advance(&self, _: usize) -> Result<(), Status> {
        Ok(())
    }
}

/// A key with tags of `N` bytes, and its streams.
pub(crate) trait Mac<const N: usize>: Sized + 'static {
    type Nonce: Nonce;
    /// A nonce, a message and its tag.
    type Packet<'m>;
    type Stream;

    fn with_cpu(cpu: Cpu, secret: &[u8; 16]) -> Self;
    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)>;
    fn tag(&self, nonce: Self::Nonce, message: &[u8]) -> Tag<N>;
    fn verify(&self, n: &Self::Nonce, message: &[u8], tag: &Tag<N>) -> Result<(), TagMismatch>;
    fn tag_parts(&self, nonce: Self::Nonce, parts: &[&[u8]]) -> Tag<N>;
    fn verify_parts(&self, n: &Self::Nonce, parts: &[&[u8]], t: &Tag<N>)
    -> Result<(), TagMismatch>;
    fn tag_many(
        &self,
        first: Self::Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), Status>;
    fn packet(nonce: Self::Nonce, message: &[u8], tag: Tag<N>) -> Self::Packet<'_>;
    fn verify_many(&self, packets: &[Self::Packet<'_>], v: &mut [bool]) -> Result<(), TagMismatch>;
    fn stream(&'static self) -> Self::Stream;
    fn update(stream: &mut Self::Stream, piece: &[u8]);
    fn finish(stream: &mut Self::Stream, nonce: Self::Nonce) -> Tag<N>;
    fn verify_stream(s: &Self::Stream, n: &Self::Nonce, tag: &Tag<N>) -> Result<(), TagMismatch>;
}

/// What is the same for every key, but for a nonce that it takes or not.
macro_rules! methods {
    ($Key:ty, $pattern:pat $(, $nonce:ident)?) => {
        fn with_cpu(cpu: Cpu, secret: &[u8; 16]) -> Self {
            <$Key>::with_cpu(cpu, secret)
        }
        fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
            <$Key>::kernels(cpu)
        }
        #[inline(always)]
        fn tag(&self, $pattern: Self::Nonce, message: &[u8]) -> Tag<N> {
            <$Key>::tag(self, $($nonce,)? message)
        }
        #[inline(always)]
        fn verify(&self, $pattern: &Self::Nonce, message: &[u8], tag: &Tag<N>) -> Result<(), TagMismatch> {
            <$Key>::verify(self, $($nonce,)? message, tag)
        }
        fn tag_parts(&self, $pattern: Self::Nonce, parts: &[&[u8]]) -> Tag<N> {
            <$Key>::tag_parts(self, $($nonce,)? parts)
        }
        fn verify_parts(&self, $pattern: &Self::Nonce, parts: &[&[u8]], tag: &Tag<N>) -> Result<(), TagMismatch> {
            <$Key>::verify_parts(self, $($nonce,)? parts, tag)
        }
        #[inline(always)]
        fn verify_many(&self, packets: &[Self::Packet<'_>], v: &mut [bool]) -> Result<(), TagMismatch> {
            <$Key>::verify_many(self, packets, v)
        }
        fn stream(&'static self) -> Self::Stream {
            <$Key>::stream(self)
        }
        fn update(stream: &mut Self::Stream, piece: &[u8]) {
            stream.update(piece);
        }
        fn finish(stream: &mut Self::Stream, $pattern: Self::Nonce) -> Tag<N> {
            stream.finish_reset($($nonce)?)
        }
        fn verify_stream(stream: &Self::Stream, $pattern: &Self::Nonce, tag: &Tag<N>) -> Result<(), TagMismatch> {
            stream.verify($($nonce,)? tag)
        }
    };
}

impl<H, const N: usize, const L: usize> Mac<N> for nonce_mac::Key<H, N, L>
where
    H: HashAndPads<N, Secret = [u8; 16]> + 'static,
{
    type Nonce = NonceOf<L>;
    type Packet<'m> = (NonceOf<L>, &'m [u8], Tag<N>);
    type Stream = nonce_mac::Stream<&'static Self, H, N, L>;

    methods!(nonce_mac::Key<H, N, L>, nonce, nonce);

    #[inline(always)]
    fn tag_many(
        &self,
        first: NonceOf<L>,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), Status> {
        Ok(nonce_mac::Key::tag_many(self, first, messages, tags)?)
    }

    #[inline(always)]
    fn packet(nonce: NonceOf<L>, message: &[u8], tag: Tag<N>) -> Self::Packet<'_> {
        (nonce, message, tag)
    }
}

impl<C: BlockCipher<Key = [u8; 16]> + 'static, const N: usize> Mac<N> for pmac::Key<C, N> {
    type Nonce = ();
    type Packet<'m> = (&'m [u8], Tag<N>);
    type Stream = pmac::Stream<&'static Self, C, N>;

    methods!(pmac::Key<C, N>, ());

    #[inline(always)]
    fn tag_many(&self, (): (), messages: &[&[u8]], tags: &mut [Tag<N>]) -> Result<(), Status> {
        pmac::Key::tag_many(self, messages, tags);
        Ok(())
    }

    #[inline(always)]
    fn packet((): (), message: &[u8], tag: Tag<N>) -> Self::Packet<'_> {
        (message, tag)
    }
}
