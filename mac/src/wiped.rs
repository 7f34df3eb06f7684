//! [`Wiped`]: a value in allocated memory that is wiped whole, and [`with_clean_stack`] for making it.
//!
//! A type that wipes its fields on drop still leaves two traces: padding and the unused bytes of its enums, which every
//! move copies from the value's old place; and copies on the stack, where the value was made.

use alloc::boxed::Box;
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc;
use core::convert::Infallible;
use core::hint::black_box;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::{Deref, DerefMut};
use zeroize::optimization_barrier;

/// A value whose every byte is overwritten when it is dropped.
#[repr(transparent)]
pub struct Wiped<T>(ManuallyDrop<T>);

#[allow(unsafe_code)]
impl<T> Wiped<T> {
    /// A value in a box.
    pub fn boxed(make: impl FnOnce() -> T) -> Box<Self> {
        Box::write(Box::new_uninit(), Wiped(ManuallyDrop::new(make())))
    }

    /// [`boxed`](Self::boxed), if it can be made.
    ///
    /// # Errors
    /// What `make` returns.
    pub fn try_boxed<E>(make: impl FnOnce() -> Result<T, E>) -> Result<Box<Self>, E> {
        Self::fill(Box::new_uninit(), |place| {
            place.put(make()?);
            Ok(())
        })
    }

    /// [`try_boxed`](Self::try_boxed) in a box that is there, where `make` puts the value.
    ///
    /// # Errors
    /// What `make` returns.
    pub fn fill<E>(
        mut place: Box<MaybeUninit<Self>>,
        make: impl FnOnce(Place<'_, T>) -> Result<(), E>,
    ) -> Result<Box<Self>, E> {
        filled(&mut place, make)?;
        // SAFETY: it was filled.
        Ok(unsafe { place.assume_init() })
    }

    /// A key to be shared, which `make` puts in its place. Of the stack, what so many copies of it take is overwritten.
    #[cfg(target_has_atomic = "ptr")]
    pub fn key(copies: usize, make: impl FnOnce(Place<'_, T>)) -> Arc<Self> {
        with_clean_stack(stack_for::<T>(copies), || {
            let mut place = Arc::<Self>::new_uninit();
            let room = Arc::get_mut(&mut place).expect("nobody else has it yet");
            let Ok(()) = filled::<_, Infallible>(room, |place| {
                make(place);
                Ok(())
            });
            // SAFETY: it was filled.
            unsafe { place.assume_init() }
        })
    }

    /// The value, and nothing of it where it was.
    #[must_use]
    pub fn into_inner(self: Box<Self>) -> T {
        let place = Box::into_raw(self);
        // SAFETY: the value is read once: from here on the place is one for any bytes.
        let (value, mut place) =
            unsafe { (place.cast::<T>().read(), Box::from_raw(place.cast::<MaybeUninit<Self>>())) };
        overwrite(&mut place);
        value
    }
}

/// Where a value is to be put. A move would take along what is on the stack before it.
pub struct Place<'p, T> {
    room: &'p mut MaybeUninit<Wiped<T>>,
    is_full: &'p mut bool,
}

impl<'p, T> Place<'p, T> {
    /// Puts the value there. If the maker fails or panics afterwards, it is neither dropped nor wiped.
    #[inline]
    pub fn put(self, value: T) -> &'p mut T {
        *self.is_full = true;
        self.room.write(Wiped(ManuallyDrop::new(value)))
    }
}

/// Lets `make` put a value in a place, which then holds one unless `make` returned an error.
fn filled<T, E>(
    room: &mut MaybeUninit<Wiped<T>>,
    make: impl FnOnce(Place<'_, T>) -> Result<(), E>,
) -> Result<(), E> {
    let mut is_full = false;
    make(Place { room, is_full: &mut is_full })?;
    assert!(is_full, "the value was not put in its place");
    Ok(())
}

impl<T> Deref for Wiped<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Wiped<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> Drop for Wiped<T> {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: it is dropped once, and what is left is bytes, which nobody reads.
        unsafe {
            ManuallyDrop::drop(&mut self.0);
            overwrite(&mut *(&raw mut self.0).cast::<MaybeUninit<T>>());
        }
    }
}

/// Overwrites all bytes of a place.
#[allow(unsafe_code)]
#[inline]
pub fn overwrite<T>(place: &mut MaybeUninit<T>) {
    // SAFETY: any bytes may be there.
    unsafe { place.as_mut_ptr().write_bytes(0, 1) };
    optimization_barrier(place);
}

/// The most copies of a key on the stack, in an optimised build, if it is made by value and moved to its place.
pub const MOVED: usize = 4;

/// How much of the stack a key takes while it is made, with its copies there: its cipher and hash need room. A test in C
/// compares what the stack of each algorithm holds afterwards.
#[must_use]
pub const fn stack_for<T>(copies: usize) -> usize {
    copies * size_of::<T>() + (8 << 10)
}

/// Runs `work`, and overwrites so many bytes, or more, of the stack that it may have used.
pub fn with_clean_stack<R>(bytes: usize, work: impl FnOnce() -> R) -> R {
    let made = below(work);
    wipe_below(bytes);
    made
}

fn wipe_below(bytes: usize) {
    match bytes {
        0..=0x2000 => wipe_stack::<0x2000>(),
        0x2001..=0x4000 => wipe_stack::<0x4000>(),
        0x4001..=0x6000 => wipe_stack::<0x6000>(),
        0x6001..=0x8000 => wipe_stack::<0x8000>(),
        0x8001..=0xa000 => wipe_stack::<0xa000>(),
        0xa001..=0xc000 => wipe_stack::<0xc000>(),
        // wegman.h promises 64 KiB in all; that this is enough is what the tests under two secrets decide.
        _ => wipe_stack::<0xe000>(),
    }
}

/// In a frame of its own, in the part of the stack that is wiped.
#[inline(never)]
fn below<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[inline(never)]
fn wipe_stack<const BYTES: usize>() {
    black_box(&mut [0_u8; BYTES]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn a_value_is_dropped_once() {
        let counted = Rc::new(());
        let boxed = Wiped::boxed(|| Rc::clone(&counted));
        let shared = Wiped::key(MOVED, |place| {
            place.put(Rc::clone(&counted));
        });
        let refused = Wiped::try_boxed(|| Err::<Rc<()>, _>(Rc::clone(&counted)));
        assert_eq!(Rc::strong_count(&counted), 4);
        let taken = boxed.into_inner();
        drop((shared, refused));
        assert_eq!(Rc::strong_count(&counted), 2);
        drop(taken);
        assert_eq!(Rc::strong_count(&counted), 1);
    }
}
