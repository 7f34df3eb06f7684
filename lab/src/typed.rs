//! Typed keys, as programs have them, under one trait: what `names`, `sessions` and `batches` call.

use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::ours::number;
use crate::{oracles, through_c};
use wegman::cipher::Aes128;
use wegman::{Cpu, NonceOf, Tag, pmac, umac};
use wegman_carter::Carter128;

/// A key of 16 bytes on any row.
pub trait Typed<const N: usize>: Sized + 'static {
    /// Its name in the catalogue.
    const NAME: &'static str;
    /// What is verified.
    type Packet<'m>;

    /// The rows that this `Cpu` can run.
    fn rows(cpu: Cpu) -> Vec<(&'static str, Cpu)>;
    fn on(cpu: Cpu, secret: &[u8; 16]) -> Self;
    fn kernel(&self) -> &'static str;
    /// The tag under a counter; without a nonce the count is nothing.
    fn tag(&self, count: u64, message: &[u8]) -> Tag<N>;
    fn tag_parts(&self, count: u64, parts: &[&[u8]]) -> Tag<N>;
    fn tag_many(&self, first: u64, messages: &[&[u8]], tags: &mut [Tag<N>]);
    fn packet(count: u64, message: &[u8], tag: Tag<N>) -> Self::Packet<'_>;
    fn verify(&self, packet: &Self::Packet<'_>) -> bool;
    fn verify_many(&self, packets: &[Self::Packet<'_>], valid: &mut [bool]) -> bool;
    /// The tag by other code: a stream fed in two pieces.
    fn stream(&self, count: u64, one: &[u8], two: &[u8]) -> Tag<N>;
    /// The function for C, under a key of the library for C.
    fn through_c(kernel: &str, secret: &[u8; 16]) -> impl Fn(u64, &[u8]) -> Tag<N> + 'static;
}

/// The functions that are inlined are timed: a call of them would count as the library's.
macro_rules! typed {
    ($name:literal, $key:ty, $tag:literal, $nonce:literal, $c:path) => {
        impl Typed<$tag> for $key {
            const NAME: &'static str = $name;
            type Packet<'m> = (NonceOf<$nonce>, &'m [u8], Tag<$tag>);

            fn rows(cpu: Cpu) -> Vec<(&'static str, Cpu)> {
                Self::kernels(cpu).collect()
            }
            fn on(cpu: Cpu, secret: &[u8; 16]) -> Self {
                Self::with_cpu(cpu, secret)
            }
            fn kernel(&self) -> &'static str {
                self.kernel()
            }
            #[inline(always)]
            fn tag(&self, count: u64, message: &[u8]) -> Tag<$tag> {
                self.tag(NonceOf::counter(count), message)
            }
            #[inline(always)]
            fn tag_parts(&self, count: u64, parts: &[&[u8]]) -> Tag<$tag> {
                self.tag_parts(NonceOf::counter(count), parts)
            }
            #[inline(always)]
            fn tag_many(&self, first: u64, messages: &[&[u8]], tags: &mut [Tag<$tag>]) {
                self.tag_many(NonceOf::counter(first), messages, tags).expect("enough nonces");
            }
            fn packet(count: u64, message: &[u8], tag: Tag<$tag>) -> Self::Packet<'_> {
                (NonceOf::counter(count), message, tag)
            }
            #[inline(always)]
            fn verify(&self, (nonce, message, tag): &Self::Packet<'_>) -> bool {
                self.verify(nonce, message, tag).is_ok()
            }
            #[inline(always)]
            fn verify_many(&self, packets: &[Self::Packet<'_>], valid: &mut [bool]) -> bool {
                self.verify_many(packets, valid).is_ok()
            }
            fn stream(&self, count: u64, one: &[u8], two: &[u8]) -> Tag<$tag> {
                let mut stream = self.stream();
                stream.update(one);
                stream.update(two);
                stream.finish(NonceOf::counter(count))
            }
            fn through_c(
                kernel: &str,
                secret: &[u8; 16],
            ) -> impl Fn(u64, &[u8]) -> Tag<$tag> + 'static {
                $c(kernel, secret)
            }
        }
    };
}

typed!("UMAC-64", umac::Key<8>, 8, 8, through_c::umac64);
typed!("UMAC-128", umac::Key<16>, 16, 8, through_c::umac128);
typed!("Carter-128", Carter128<Aes128, 12>, 16, 12, through_c::carter128);

impl Typed<16> for pmac::Key<Aes128, 16> {
    const NAME: &'static str = "PMAC-AES128";
    type Packet<'m> = (&'m [u8], Tag<16>);

    fn rows(cpu: Cpu) -> Vec<(&'static str, Cpu)> {
        Self::kernels(cpu).collect()
    }
    fn on(cpu: Cpu, secret: &[u8; 16]) -> Self {
        Self::with_cpu(cpu, secret)
    }
    fn kernel(&self) -> &'static str {
        self.kernel()
    }
    #[inline(always)]
    fn tag(&self, _: u64, message: &[u8]) -> Tag<16> {
        self.tag(message)
    }
    #[inline(always)]
    fn tag_parts(&self, _: u64, parts: &[&[u8]]) -> Tag<16> {
        self.tag_parts(parts)
    }
    #[inline(always)]
    fn tag_many(&self, _: u64, messages: &[&[u8]], tags: &mut [Tag<16>]) {
        self.tag_many(messages, tags);
    }
    fn packet(_: u64, message: &[u8], tag: Tag<16>) -> Self::Packet<'_> {
        (message, tag)
    }
    #[inline(always)]
    fn verify(&self, (message, tag): &Self::Packet<'_>) -> bool {
        self.verify(message, tag).is_ok()
    }
    #[inline(always)]
    fn verify_many(&self, packets: &[Self::Packet<'_>], valid: &mut [bool]) -> bool {
        self.verify_many(packets, valid).is_ok()
    }
    fn stream(&self, _: u64, one: &[u8], two: &[u8]) -> Tag<16> {
        let mut stream = self.stream();
        stream.update(one);
        stream.update(two);
        stream.tag()
    }
    fn through_c(kernel: &str, secret: &[u8; 16]) -> impl Fn(u64, &[u8]) -> Tag<16> + 'static {
        through_c::pmac_aes128(kernel, secret)
    }
}

/// The recommended MACs by the functions for C, held to a class of instructions.
pub fn engines_through_c(class: Class) -> Vec<Engine> {
    fn of<K: Typed<N>, const N: usize>(class: Class, group: Group) -> Engine {
        let (row, _) = *K::rows(class.cpu()).last().expect("there is a portable row");
        let tag = K::through_c(row, KEY);
        let origin = concat!("libwegman ", env!("CARGO_PKG_VERSION"));
        let engine = Engine::rival(group, K::NAME, origin, move |count, message| {
            number(&tag(count, message).to_bytes())
        });
        engine.within(class).checked_by(oracles::find(K::NAME).expect("the oracle has it"))
    }
    vec![
        of::<umac::Key<8>, 8>(class, Group::ShortNonce),
        of::<umac::Key<16>, 16>(class, Group::LongNonce),
        of::<pmac::Key<Aes128, 16>, 16>(class, Group::NoNonce),
    ]
}
