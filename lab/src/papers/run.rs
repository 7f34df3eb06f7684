//! What to measure, in which order, and for how long.
//!
//! A *group* is everything done in one way at one length, for all tables together. It is measured in turn, so that
//! rows that are compared ran on the machine in the same state. A *pass* measures every group once; passes follow each
//! other, so that no figure depends on one bad minute, and after the first pass there is a whole report.

use crate::papers::device;
use crate::papers::store::{Measured, Store};
use crate::papers::subject::Subject;
use crate::papers::table::Table;
use crate::rivals::Rivals;
use crate::speeds::{Place, progress};
use crate::timing::measure::Clock;
use crate::timing::rounds::{self, Cell};
use std::collections::HashSet;
use std::time::Duration;

/// How long to measure.
#[derive(Clone, Copy)]
pub struct Effort {
    pub passes: usize,
    /// For each cell and pass; rounds have a shortest time that may be more.
    pub cell: Duration,
}

impl Effort {
    /// All tables in about a quarter of an hour.
    pub const FULL: Effort = Effort { passes: 3, cell: Duration::from_millis(300) };

    /// All tables in less than two minutes.
    pub const QUICK: Effort = Effort { passes: 1, cell: Duration::from_millis(80) };
}

/// Everything the tables measure, each once, group by group; what can't be measured here is left out.
pub fn groups(tables: &[&Table], engines: &Rivals) -> Result<Vec<Vec<Subject>>, String> {
    let mut seen = HashSet::new();
    let mut groups: Vec<Vec<Subject>> = Vec::new();
    for part in tables.iter().flat_map(|table| &table.part) {
        for subject in part.subjects()? {
            if engines.missing(subject.from.as_deref()).is_some() || !engines.takes(&subject) {
                continue;
            }
            if seen.insert(subject.to_string()) {
                match groups.iter_mut().find(|group| are_together(&group[0], &subject)) {
                    Some(group) => group.push(subject),
                    None => groups.push(vec![subject]),
                }
            }
        }
    }
    // Short ones first: the first pass soon has most of the report.
    groups.sort_by_key(|group| (group[0].lengths.clone(), group[0].doing));
    Ok(groups)
}

fn are_together(a: &Subject, b: &Subject) -> bool {
    std::mem::discriminant(&a.doing) == std::mem::discriminant(&b.doing) && a.lengths == b.lengths
}

/// Measures what the store lacks.
pub fn run(
    clock: &Clock,
    groups: &[Vec<Subject>],
    engines: &Rivals,
    effort: Effort,
    store: &mut Store,
) -> Result<(), String> {
    let passes = (0..effort.passes).flat_map(|pass| groups.iter().map(move |group| (pass, group)));
    let missing = |(pass, group): (usize, &Vec<Subject>)| {
        let is_missing = |subject: &&Subject| !store.has(&subject.to_string(), pass);
        let group: Vec<Subject> = group.iter().filter(is_missing).cloned().collect();
        (!group.is_empty()).then_some((pass, group))
    };
    let todo: Vec<(usize, Vec<Subject>)> = passes.filter_map(missing).collect();
    let time = |group: &Vec<Subject>| effort.cell * group.len() as u32;
    let whole: Duration = todo.iter().map(|(_, group)| time(group)).sum();
    let messages = device::messages(todo.iter().flat_map(|(_, group)| group));
    let mut done = Duration::ZERO;
    for (pass, group) in &todo {
        let time = time(group);
        let jobs = group.iter().map(|subject| device::job(engines, subject, messages));
        let jobs = jobs.collect::<Result<Vec<_>, _>>()?;
        let (places, cells): (Vec<Place>, Vec<Cell>) = jobs.into_iter().unzip();
        let so_far = |part| progress((done + time.mul_f64(part)).div_duration_f64(whole));
        let run = rounds::run(clock, &cells, time, so_far)?;
        let measured = group.iter().zip(places).zip(&run.timings);
        let measured = measured.map(|((subject, place), timing)| {
            let (cell, clock) = (subject.to_string(), run.clock_ghz);
            let Place { kernel, from: origin, .. } = place;
            Measured { cell, pass: *pass, kernel, origin, timing: *timing, clock }
        });
        store.add(measured.collect())?;
        done += time;
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
        let tables = table::all().unwrap();
        let note: Vec<&Table> = tables.iter().filter(|table| table.name == "note").collect();
        let engines = rivals::all(None);
        let clock = Clock::start();
        let groups = groups(&note, &engines).unwrap();
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [4; 4]);
        let machine = Machine::this(true).unwrap();
        let mut counts = Vec::new();
        for passes in [1, 2, 2] {
            let (mut store, _) = Store::open(directory.path(), machine.clone()).unwrap();
            let effort = Effort { passes, cell: Duration::ZERO };
            run(&clock, &groups[..1], &engines, effort, &mut store).unwrap();
            counts.push(store.measured.len());
            assert!(figures(&store.measured)["UMAC32 @ 43"].timing.ns > 0.0);
        }
        assert_eq!(counts, [4, 8, 8]);
    }

    #[test]
    fn rows_of_several_tables_share_a_run() {
        let tables = table::all().unwrap();
        let all: Vec<&Table> = tables.iter().collect();
        let groups = groups(&all, &rivals::all(None)).unwrap();
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
