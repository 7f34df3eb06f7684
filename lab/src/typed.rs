//! Typed keys, as programs have them, under one trait: what [`ways`](crate::ways) call.

use crate::through_c;
use wegman::cipher::Aes128;
use wegman::{Cpu, NonceOf, Tag, pmac, umac};
use wegman_carter::Carter128;

/// A key of 16 bytes on any row.
pub trait Typed<const N: usize>: Sized + 'static {
    /// Its name in the catalogue.
    const NAME: &'static str;
    /// What is verified.
    type Packet<'m>;

    /// The best row that a key has here.
    fn best() -> (&'static str, Cpu);
    fn on(cpu: Cpu, secret: &[u8; 16]) -> Self;
    /// The tag under a counter; without a nonce the count is nothing.
    fn tag(&self, count: u64, message: &[u8]) -> Tag<N>;
    fn tag_parts(&self, count: u64, parts: &[&[u8]]) -> Tag<N>;
    fn tag_many(&self, first: u64, messages: &[&[u8]], tags: &mut [Tag<N>]);
    fn packet(count: u64, message: &[u8], tag: Tag<N>) -> Self::Packet<'_>;
    fn verify(&self, packet: &Self::Packet<'_>) -> bool;
    fn verify_many(&self, packets: &[Self::Packet<'_>], valid: &mut [bool]) -> bool;
    /// The function for C, under a key of the library for C.
    fn through_c(kernel: &str, secret: &[u8; 16]) -> impl Fn(u64, &[u8]) -> Tag<N> + 'static;
}

/// A key's functions under a nonce (the type and a function that makes it of a count), or without one. Those that are
/// inlined are timed: a call of them would count as the library's.
macro_rules! typed {
    ($name:literal, $key:ty, $tag:literal, $c:path, $($nonce:ty)?) => {
        impl Typed<$tag> for $key {
            const NAME: &'static str = $name;
            type Packet<'m> = ($($nonce,)? &'m [u8], Tag<$tag>);

            fn best() -> (&'static str, Cpu) {
                Self::kernels(Cpu::detect()).last().expect("there is a portable row")
            }
            fn on(cpu: Cpu, secret: &[u8; 16]) -> Self {
                Self::with_cpu(cpu, secret)
            }
            #[inline(always)]
            fn tag(&self, _count: u64, message: &[u8]) -> Tag<$tag> {
                self.tag($(<$nonce>::counter(_count),)? message)
            }
            #[inline(always)]
            fn tag_parts(&self, _count: u64, parts: &[&[u8]]) -> Tag<$tag> {
                self.tag_parts($(<$nonce>::counter(_count),)? parts)
            }
            #[inline(always)]
            fn tag_many(&self, _first: u64, messages: &[&[u8]], tags: &mut [Tag<$tag>]) {
                typed!(@many self _first messages tags $($nonce)?);
            }
            fn packet(_count: u64, message: &[u8], tag: Tag<$tag>) -> Self::Packet<'_> {
                ($(<$nonce>::counter(_count),)? message, tag)
            }
            #[inline(always)]
            fn verify(&self, packet: &Self::Packet<'_>) -> bool {
                typed!(@verify self packet $($nonce)?).is_ok()
            }
            #[inline(always)]
            fn verify_many(&self, packets: &[Self::Packet<'_>], valid: &mut [bool]) -> bool {
                self.verify_many(packets, valid).is_ok()
            }
            fn through_c(
                kernel: &str,
                secret: &[u8; 16],
            ) -> impl Fn(u64, &[u8]) -> Tag<$tag> + 'static {
                $c(kernel, secret)
            }
        }
    };
    (@many $key:ident $first:ident $messages:ident $tags:ident $nonce:ty) => {
        $key.tag_many(<$nonce>::counter($first), $messages, $tags).expect("enough nonces")
    };
    (@many $key:ident $first:ident $messages:ident $tags:ident) => { $key.tag_many($messages, $tags) };
    (@verify $key:ident $packet:ident $nonce:ty) => { $key.verify(&$packet.0, $packet.1, &$packet.2) };
    (@verify $key:ident $packet:ident) => { $key.verify($packet.0, &$packet.1) };
}

typed!("UMAC-64", umac::Key<8>, 8, through_c::umac64, NonceOf<8>);
typed!("UMAC-128", umac::Key<16>, 16, through_c::umac128, NonceOf<8>);
typed!("Carter-128", Carter128<Aes128, 12>, 16, through_c::carter128, NonceOf<12>);
typed!("PMAC-AES128", pmac::Key<Aes128, 16>, 16, through_c::pmac_aes128,);

/// Calls a function for each of them.
macro_rules! each {
    ($function:ident($($argument:expr),*)) => {
        $function::<::wegman::umac::Key<8>, 8>($($argument),*);
        $function::<::wegman::umac::Key<16>, 16>($($argument),*);
        $function::<::wegman_carter::Carter128<::wegman::Aes128, 12>, 16>($($argument),*);
        $function::<::wegman::pmac::Key<::wegman::Aes128, 16>, 16>($($argument),*);
    };
}
pub(crate) use each;
