//! Keys with compile-time tag lengths behind one trait: [`Umac16`] and [`Umac32`].
//! For their parameters, they hash in place of the code for all parameters, and make the tags of their lengths.

use super::Parameters;
use crate::{Umac16, Umac32};
use alloc::sync::Arc;
use alloc::vec::Vec;
use wegman::AnyTag;
use wegman::cpu::Cpu;
use wegman::hazmat::raw::{self, Nonce};

/// A key whose type fixes the length of its tags.
pub(super) trait Typed: Send + Sync {
    /// The name of the kernel that it uses.
    fn kernel(&self) -> &'static str;

    /// The bytes of its tags.
    fn tag_bytes(&self) -> usize;

    /// The prefix of a message's tag. Callers have checked that its bytes are whole words of the tag.
    fn prefix(&self, nonce: &Nonce, message: &[u8], bytes: usize) -> AnyTag;

    /// The first bytes of the hash of a message, whole words, as a number whose lowest byte is the first.
    fn hash(&self, message: &[u8], bytes: usize) -> u128;
}

/// A key of a family, whose prefixes have these numbers of bytes.
macro_rules! typed {
    ($name:ident of $key:ident: $($bytes:literal)+) => {
        struct $name<const N: usize>($key<N>);

        impl<const N: usize> Typed for $name<N> {
            fn kernel(&self) -> &'static str {
                self.0.kernel()
            }

            fn tag_bytes(&self) -> usize {
                N
            }

            fn prefix(&self, nonce: &Nonce, message: &[u8], bytes: usize) -> AnyTag {
                match bytes {
                    $($bytes => raw::prefix::<_, N, 8, $bytes>(&self.0, nonce, message).into(),)+
                    _ => unreachable!("whole words of a tag"),
                }
            }

            fn hash(&self, message: &[u8], bytes: usize) -> u128 {
                match bytes {
                    $($bytes => raw::hash_and_pads(&self.0).hash::<$bytes>(message),)+
                    _ => unreachable!("whole words of a tag"),
                }
            }
        }
    };
}

typed!(Of16 of Umac16: 2 4 6 8 10 12 14 16);
typed!(Of32 of Umac32: 4 8 12 16);

/// A key of these parameters, if there is a type for them: its tags have as many words, or more.
pub(super) fn key(cpu: Cpu, parameters: &Parameters, secret: &[u8]) -> Option<Arc<dyn Typed>> {
    fn of_16<const N: usize>(cpu: Cpu, secret: &[u8; 16]) -> Arc<dyn Typed> {
        Arc::new(Of16(Umac16::<N>::with_cpu(cpu, secret)))
    }
    fn of_32<const N: usize>(cpu: Cpu, secret: &[u8; 16]) -> Arc<dyn Typed> {
        Arc::new(Of32(Umac32::<N>::with_cpu(cpu, secret)))
    }
    if !are_typed(parameters) {
        return None;
    }
    let make = match (parameters.word_bytes(), parameters.output_bytes()) {
        (2, ..=2) => of_16::<2>,
        (2, ..=4) => of_16::<4>,
        (2, ..=8) => of_16::<8>,
        (2, _) => of_16::<16>,
        (_, ..=4) => of_32::<4>,
        (_, ..=8) => of_32::<8>,
        (_, ..=12) => of_32::<12>,
        _ => of_32::<16>,
    };
    secret.try_into().ok().map(|secret| make(cpu, secret))
}

/// Whether there is a type for these parameters.
fn are_typed(parameters: &Parameters) -> bool {
    let is = |known| parameters.differ_in_output(known);
    parameters.output_bytes() <= 16 && (is(&Parameters::UMAC16) || is(&Parameters::UMAC32))
}

/// The kernels for these parameters, if there is a type for them. They are the same for all tag lengths.
pub(super) fn kernels(cpu: Cpu, parameters: &Parameters) -> Option<Vec<(&'static str, Cpu)>> {
    are_typed(parameters).then(|| match parameters.word_bytes() {
        2 => Umac16::<8>::kernels(cpu).collect(),
        _ => Umac32::<8>::kernels(cpu).collect(),
    })
}
