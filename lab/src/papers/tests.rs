//! A report to test with.

use crate::papers::store::{Machine, Measured};
use crate::papers::table::{self, Part};
use crate::papers::view::Report;
use crate::rivals;
use crate::timing::rounds::Timing;
use std::collections::HashMap;

/// A report in which everything takes a cycle and a half a byte, and a key a thousand cycles.
pub fn sample() -> Report {
    let mut figures = HashMap::new();
    for subject in table::all().iter().flat_map(|table| &table.part).flat_map(Part::subjects) {
        let bytes =
            subject.lengths.iter().sum::<usize>() as f64 / subject.lengths.len().max(1) as f64;
        let cycles = if bytes == 0.0 { 1000.0 } else { 1.5 * bytes };
        let (kernel, origin) = ("portable".to_owned(), "wegman <&>".to_owned());
        let (cell, pass, clock) = (subject.to_string(), 0, Some(3.0));
        let timing = Timing { cycles: Some(cycles), ns: cycles / 3.0, spread: 0.2 };
        figures.insert(cell.clone(), Measured { cell, pass, kernel, origin, timing, clock });
    }
    let (cpu, build) = ("A <CPU>".to_owned(), "00".to_owned());
    let machine = Machine { cpu, features: "sse2".into(), build, quick: true };
    Report::new(machine, &figures, &rivals::all(None))
}
