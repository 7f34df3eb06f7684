//! Keys with compile-time tag lengths behind one trait: [`Umac16`] and [`Umac32`].
//! For their parameters, they make tags and prefixes in place of the engine of all parameters.

use super::Parameters;
use crate::cpu::Cpu;
use crate::historical::{Umac16, Umac32};
use crate::nonce::Nonce;
use crate::tag::AnyTag;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// A key whose type fixes the length of its tags.
pub(super) trait Typed: Send + Sync {
    /// The same key.
    fn boxed(&self) -> Box<dyn Typed>;

    /// The name of the kernel that it uses.
    fn kernel(&self) -> &'static str;

    /// The prefix of a message's tag: its first `words` words. Callers have checked that the tag has as many.
    fn prefix(&self, nonce: &Nonce, message: &[u8], words: usize) -> AnyTag;

    /// At least the first `words` words of the hash of a message, as a number whose lowest byte is the first.
    fn hash(&self, message: &[u8], words: usize) -> u128;
}

impl Clone for Box<dyn Typed> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

/// A key of UMAC16.
#[derive(Clone)]
struct Of16<const N: usize>(Umac16<N>);

impl<const N: usize> Typed for Of16<N> {
    fn boxed(&self) -> Box<dyn Typed> {
        Box::new(self.clone())
    }

    fn kernel(&self) -> &'static str {
        self.0.kernel()
    }

    fn prefix(&self, nonce: &Nonce, message: &[u8], words: usize) -> AnyTag {
        match words {
            1 => self.0.prefix_under::<2>(nonce, message).into(),
            2 => self.0.prefix_under::<4>(nonce, message).into(),
            3 => self.0.prefix_under::<6>(nonce, message).into(),
            4 => self.0.prefix_under::<8>(nonce, message).into(),
            5 => self.0.prefix_under::<10>(nonce, message).into(),
            6 => self.0.prefix_under::<12>(nonce, message).into(),
            7 => self.0.prefix_under::<14>(nonce, message).into(),
            _ => self.0.prefix_under::<16>(nonce, message).into(),
        }
    }

    fn hash(&self, message: &[u8], words: usize) -> u128 {
        match words {
            1 => self.0.hash_and_pads().hash::<2>(message),
            2 => self.0.hash_and_pads().hash::<4>(message),
            3 => self.0.hash_and_pads().hash::<6>(message),
            4 => self.0.hash_and_pads().hash::<8>(message),
            5 => self.0.hash_and_pads().hash::<10>(message),
            6 => self.0.hash_and_pads().hash::<12>(message),
            7 => self.0.hash_and_pads().hash::<14>(message),
            _ => self.0.hash_and_pads().hash::<16>(message),
        }
    }
}

/// A key of UMAC32.
#[derive(Clone)]
struct Of32<const N: usize>(Umac32<N>);

impl<const N: usize> Typed for Of32<N> {
    fn boxed(&self) -> Box<dyn Typed> {
        Box::new(self.clone())
    }

    fn kernel(&self) -> &'static str {
        self.0.kernel()
    }

    fn prefix(&self, nonce: &Nonce, message: &[u8], words: usize) -> AnyTag {
        match words {
            1 => self.0.prefix_under::<4>(nonce, message).into(),
            2 => self.0.prefix_under::<8>(nonce, message).into(),
            3 => self.0.prefix_under::<12>(nonce, message).into(),
            _ => self.0.prefix_under::<16>(nonce, message).into(),
        }
    }

    fn hash(&self, message: &[u8], words: usize) -> u128 {
        match words {
            1 => self.0.hash_and_pads().hash::<4>(message),
            2 => self.0.hash_and_pads().hash::<8>(message),
            3 => self.0.hash_and_pads().hash::<12>(message),
            _ => self.0.hash_and_pads().hash::<16>(message),
        }
    }
}

/// The key of these parameters, if there is a type for them.
pub(super) fn key(cpu: Cpu, parameters: &Parameters, secret: &[u8]) -> Option<Box<dyn Typed>> {
    fn of_16<const N: usize>(cpu: Cpu, secret: &[u8; 16]) -> Box<dyn Typed> {
        Box::new(Of16(Umac16::<N>::with_cpu(cpu, secret)))
    }
    fn of_32<const N: usize>(cpu: Cpu, secret: &[u8; 16]) -> Box<dyn Typed> {
        Box::new(Of32(Umac32::<N>::with_cpu(cpu, secret)))
    }
    let make = match parameters.output_bytes() {
        2 if parameters.are_umac16() => of_16::<2>,
        4 if parameters.are_umac16() => of_16::<4>,
        8 if parameters.are_umac16() => of_16::<8>,
        16 if parameters.are_umac16() => of_16::<16>,
        4 if parameters.are_of_rfc4418() => of_32::<4>,
        8 if parameters.are_of_rfc4418() => of_32::<8>,
        12 if parameters.are_of_rfc4418() => of_32::<12>,
        16 if parameters.are_of_rfc4418() => of_32::<16>,
        _ => return None,
    };
    secret.try_into().ok().map(|secret| make(cpu, secret))
}

/// The kernels for these parameters, if there is a type for them. They are the same for all tag lengths.
pub(super) fn kernels(cpu: Cpu, parameters: &Parameters) -> Option<Vec<(&'static str, Cpu)>> {
    if parameters.are_umac16() {
        Some(Umac16::<8>::kernels(cpu).collect())
    } else if parameters.are_of_rfc4418() {
        Some(Umac32::<8>::kernels(cpu).collect())
    } else {
        None
    }
}
