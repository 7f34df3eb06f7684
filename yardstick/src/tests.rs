//! Tests that see the inner functions.

mod comparators;
mod polyval;
