//! Level 2 (RFC 4418, section 5.3) of a part of a message, for threads (feature `parallel`).

use super::{
    Lazy, P64, P128, Reduced, State, WORDS_64, mul_add64, mul_add128, reduce64, reduce128,
};
use crate::ct::wide_mask;
use crate::umac::MAX_STREAMS;
use zeroize::Zeroize;

/// What a segment of words does to any accumulators before it: `y -> factor y + offset`, two numbers mod p64 or p128
/// for each stream. The segments of a message can be made side by side and joined in order.
///
/// # Bounds
/// `factor` and `offset` are below 2^64 if the segment is one of POLY-64.
#[derive(Clone)]
pub(crate) struct Segment {
    of_128: bool,
    count: u64,
    factor: [Lazy<u128>; MAX_STREAMS],
    offset: [Lazy<u128>; MAX_STREAMS],
}

impl Segment {
    /// How many of the next `words` words one segment may have, after `count` words. A segment does not cross from
    /// POLY-64 to POLY-128 and has no half pair.
    pub(crate) fn room(count: u64, words: u64) -> u64 {
        if count < WORDS_64 {
            words.min(WORDS_64 - count)
        } else if count > WORDS_64 && count.is_multiple_of(2) {
            words & !1
        } else {
            0
        }
    }

    /// The segment of the words that follow `start` others; `fill` gives these words to both states. They must be
    /// within [`room`](Self::room).
    ///
    /// # Bounds
    /// Out: `factor` and `offset` below p. Both images are reduced, and p is added to a negative difference.
    pub(crate) fn new(start: u64, fill: impl FnOnce(&mut [State; 2])) -> Segment {
        // The images of 0 and 1 determine the map: `offset` is the image of 0, `factor` is the difference.
        let mut images = [0, 1].map(|y| State {
            count: start,
            y64: [Lazy(y); MAX_STREAMS],
            y128: [Lazy(y.into()); MAX_STREAMS],
            first: [0; MAX_STREAMS],
        });
        fill(&mut images);
        let of_128 = start >= WORDS_64;
        let [zero, one] = images.each_ref().map(|image| match of_128 {
            true => image.y128.map(reduce128),
            false => image.y64.map(|y| Reduced(reduce64(y).0.into())),
        });
        let p = if of_128 { P128 } else { P64.into() };
        let factor = core::array::from_fn(|t| {
            let (difference, borrow) = one[t].0.overflowing_sub(zero[t].0);
            Lazy(difference.wrapping_add(p & wide_mask(borrow)))
        });
        let count = images[0].count - start;
        Segment { of_128, count, factor, offset: zero.map(|Reduced(y)| Lazy(y)) }
    }

    /// This segment and the next one, joined into one.
    pub(crate) fn then(&self, next: &Segment) -> Segment {
        debug_assert!(self.of_128 == next.of_128);
        Segment {
            of_128: self.of_128,
            count: self.count + next.count,
            factor: core::array::from_fn(|t| next.mul_add(t, self.factor[t], 0)),
            offset: core::array::from_fn(|t| next.mul_add(t, self.offset[t], next.offset[t].0)),
        }
    }

    /// `factor y + m`.
    ///
    /// # Bounds
    /// In and out: below 2^64 if this segment is one of POLY-64. So the casts to 64 bits lose nothing.
    fn mul_add(&self, t: usize, y: Lazy<u128>, m: u128) -> Lazy<u128> {
        let factor = self.factor[t];
        debug_assert!(self.of_128 || (factor.0 | y.0 | m) >> 64 == 0);
        match self.of_128 {
            true => mul_add128(factor, y, m),
            false => Lazy(mul_add64(Lazy(factor.0 as u64), Lazy(y.0 as u64), m as u64).0.into()),
        }
    }
}

impl State {
    /// Takes the words of a segment that was made for this place.
    ///
    /// # Bounds
    /// In and out: lazy accumulators, of POLY-64 below 2^64, as the sums of [`mul_add64`] and [`mul_add128`] are.
    pub(crate) fn join(&mut self, segment: &Segment) {
        for t in 0..MAX_STREAMS {
            if segment.of_128 {
                self.y128[t] = segment.mul_add(t, self.y128[t], segment.offset[t].0);
            } else {
                let y = Lazy(self.y64[t].0.into());
                self.y64[t] = Lazy(segment.mul_add(t, y, segment.offset[t].0).0 as u64);
            }
        }
        self.count += segment.count;
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        let Segment { of_128: _, count: _, factor, offset } = self;
        factor.zeroize();
        offset.zeroize();
    }
}
