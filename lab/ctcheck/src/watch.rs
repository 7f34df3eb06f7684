//! Everything that is watched, and the watch by valgrind.

use crate::cases::{Case, Cases, MESSAGE, SECRET};
use crate::valgrind::{hide, is_running, reveal};
use crate::{catalogue, segments, universal, unlisted, verify};
use wegman::Cpu;

/// All cases. For traces, only those with kernels that valgrind does not know.
pub fn all(are_traced: bool) -> Vec<Case> {
    let mut cases = Cases { are_traced, all: Vec::new() };
    for add in [catalogue::add, verify::add, segments::add] {
        add(&mut cases);
    }
    if !are_traced {
        let edits = [segments::add_edits::<false>, segments::add_edits::<true>];
        for add in [unlisted::add, universal::add].into_iter().chain(edits) {
            add(&mut cases);
        }
    }
    cases.all
}

/// Runs cases on a secret and a message that are watched, on each row, and compares their results with those of portable
/// code in public. If a result was not secret, the secret was lost on the way and nothing was checked.
pub fn by_valgrind(cases: &[Case]) {
    let (mut secret, mut message) = (SECRET.to_vec(), MESSAGE.clone());
    hide(&mut secret);
    hide(&mut message);
    for Case { name, rows, is_secret, run } in cases {
        let expected = run(Cpu::PORTABLE, &SECRET, &MESSAGE);
        for (row, cpu) in rows {
            println!("{name}: {row}");
            let found = run(*cpu, &secret, &message);
            assert_eq!(found.len(), expected.len(), "{name}, {row}");
            for (i, (mut found, expected)) in found.into_iter().zip(&expected).enumerate() {
                let is_checked = !is_running() || is_secret(&found);
                assert!(is_checked, "{name}, {row}: result {i} does not depend on the secret");
                reveal(&mut found);
                assert_eq!(found, *expected, "{name}, {row}, result {i}");
            }
        }
    }
}
