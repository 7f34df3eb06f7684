//! [`Row`]: the table in which each layer lists its kernels. A layer has one row a kernel file, with exactly the CPU
//! features that the file enables; a test compares the two. The choice is made once, and kept in the key.

use crate::cpu::{Cpu, Needs};

/// One kernel of a layer, or several that are chosen together.
pub struct Row<K: 'static> {
    /// The name of the kernel's file, for example `avx2`.
    pub name: &'static str,
    /// The features that the kernel's file enables.
    pub needs: Needs,
    /// The kernel's functions.
    pub kernels: K,
}

impl<K> Row<K> {
    /// The rows whose needs a machine meets, the preferred one last.
    pub fn fitting(
        rows: &'static [Row<K>],
        cpu: Cpu,
    ) -> impl DoubleEndedIterator<Item = &'static Row<K>> {
        rows.iter().filter(move |row| cpu.meets(row.needs))
    }

    /// The row to use: the last one that fits. `None` only if the table has no row that needs nothing.
    #[must_use]
    pub fn best(rows: &'static [Row<K>], cpu: Cpu) -> Option<&'static Row<K>> {
        Self::fitting(rows, cpu).next_back()
    }

    /// The name of each row that fits, and the `Cpu` that makes a key choose it. Every row but the portable one gets
    /// AES instructions too, and the features that `more` adds.
    pub fn named(
        rows: &'static [Row<K>],
        cpu: Cpu,
        more: impl Fn(&'static str) -> Needs,
    ) -> impl Iterator<Item = (&'static str, Cpu)> {
        Self::fitting(rows, cpu).map(move |row| match row.needs {
            Needs::NONE => (row.name, Cpu::PORTABLE),
            needs => (row.name, cpu.only(needs.and(Needs::AES).and(more(row.name)))),
        })
    }
}
