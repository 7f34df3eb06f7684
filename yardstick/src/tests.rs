//! Tests that see the inner functions.

mod comparators;
mod features;
mod polyval;
