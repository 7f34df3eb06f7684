//! What to measure, in which order, and for how long.
//!
//! A *group* is everything done in one way at one length, for all tables together. It is measured in turn, so that
//! rows that are compared ran on the machine in the same state. A *pass* measures every group once; passes follow each
//! other, so that no figure depends on one bad minute, and after the first pass there is a whole report.

use crate::papers::store::{Measured, Store};
use crate::papers::subject::Subject;
use crate::papers::table::{Part, Table};
use crate::rivals::Rivals;
use crate::speeds::{self, Speed, progress};
use crate::timing::measure::Clock;
use crate::timing::messages::{Messages, Mode};
use crate::timing::rounds::Place;
use std::collections::HashSet;
use std::time::Duration;

/// How long to measure: so many passes, and so long for each cell and pass; rounds have a shortest time that may be more.
pub type Effort = (usize, Duration);

/// All tables in about a quarter of an hour.
pub const FULL: Effort = (3, Duration::from_millis(300));

/// All tables in less than two minutes.
pub const QUICK: Effort = (1, Duration::from_millis(80));

/// Everything the tables measure, each once, group by group; what can't be measured here is left out.
pub fn groups(tables: &[&Table], engines: &Rivals) -> Vec<Vec<Subject>> {
    let mut seen = HashSet::new();
    let mut groups: Vec<Vec<Subject>> = Vec::new();
    let subjects = tables.iter().flat_map(|table| &table.part).flat_map(Part::subjects);
    for subject in subjects.filter(|subject| engines.engine(subject).is_some()) {
        if seen.insert(subject.clone()) {
            match groups.iter_mut().find(|group| are_together(&group[0], &subject)) {
                Some(group) => group.push(subject),
                None => groups.push(vec![subject]),
            }
        }
    }
    // Short ones first: the first pass soon has most of the report.
    groups.sort_by_key(|group| (group[0].lengths.clone(), group[0].doing));
    groups
}

fn are_together(a: &Subject, b: &Subject) -> bool {
    std::mem::discriminant(&a.doing) == std::mem::discriminant(&b.doing) && a.lengths == b.lengths
}

/// Measures what the store lacks.
pub fn run(
    clock: &Clock,
    groups: &[Vec<Subject>],
    engines: &Rivals,
    (passes, of_cell): Effort,
    store: &mut Store,
) -> Result<(), String> {
    let passes = (0..passes).flat_map(|pass| groups.iter().map(move |group| (pass, group)));
    let mut todo: Vec<(usize, Vec<&Subject>)> = Vec::new();
    for (pass, group) in passes {
        let is_missing = |subject: &&Subject| !store.has(&subject.to_string(), pass);
        todo.push((pass, group.iter().filter(is_missing).collect()));
    }
    todo.retain(|(_, group)| !group.is_empty());
    let all = || todo.iter().flat_map(|(_, group)| group);
    let longest = all().flat_map(|subject| &subject.lengths).max();
    let messages = Messages::new(*longest.unwrap_or(&1), Mode::Single, 0);
    let (whole, mut done) = (all().count() as f64, 0.0);
    for (pass, group) in &todo {
        let count = group.len() as f64;
        let cells = group.iter().map(|subject| engines.cell(subject, messages));
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        let so_far = |part: f64| progress((done + count * part) / whole);
        let (clock, speeds) = speeds::group(clock, cells, of_cell.mul_f64(count), so_far)?;
        let measured = group.iter().zip(speeds).map(|(subject, Speed { place, timing, .. })| {
            let Place { kernel, from: origin, .. } = place;
            Measured { cell: subject.to_string(), pass: *pass, kernel, origin, timing, clock }
        });
        store.add(measured.collect())?;
        done += count;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::store::{Machine, figures};
    use crate::papers::table;
    use crate::rivals;

    #[test]
    fn a_run_goes_on_and_measures_nothing_twice() {
        let directory = tempfile::tempdir().unwrap();
        let tables = table::all();
        let note: Vec<&Table> = tables.iter().filter(|table| table.name == "note").collect();
        let engines = rivals::all(None);
        let clock = Clock::start();
        let groups = groups(&note, &engines);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [4; 4]);
        let machine = Machine::this(true).unwrap();
        let mut counts = Vec::new();
        for passes in [1, 2, 2] {
            let (mut store, _) = Store::open(directory.path(), &machine).unwrap();
            run(&clock, &groups[..1], &engines, (passes, Duration::ZERO), &mut store).unwrap();
            counts.push(store.measured.len());
            assert!(figures(&store.measured)["UMAC32 @ 43"].timing.ns > 0.0);
        }
        assert_eq!(counts, [4, 8, 8]);
    }

    #[test]
    fn rows_of_several_tables_share_a_run() {
        let tables = table::all();
        let all: Vec<&Table> = tables.iter().collect();
        let groups = groups(&all, &rivals::all(None));
        let names: Vec<String> = groups.iter().flatten().map(Subject::to_string).collect();
        let once: HashSet<&String> = names.iter().collect();
        assert_eq!(once.len(), names.len());
        let packets = groups.iter().find(|group| group[0].to_string().ends_with("@ 1500")).unwrap();
        let packets: Vec<String> = packets.iter().map(Subject::to_string).collect();
        for name in
            ["UMAC32 @ 1500", "hash127 @ 1500", "UMAC-64 @ 1500", "HMAC-SHA1 from hmac @ 1500"]
        {
            assert!(packets.iter().any(|packet| packet == name), "{name}");
        }
    }
}
