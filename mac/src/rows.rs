//! [`Row`]: an entry in the table in which a layer lists its kernels. A row states exactly
//! the CPU features that its functions enable: in one list, or the compiler compares the two (`Needs::enabled_by`), or a
//! test. A key chooses its row once, when it is made.

use crate::cpu::{Cpu, Needs};

/// One kernel of a layer, or several that are always chosen together.
pub struct Row<F: 'static> {
    /// The name of the kernel, for example `avx2`.
    pub name: &'static str,
    /// The features that the kernel enables.
    pub needs: Needs,
    /// What calls the kernel: one or more structs of [`functions!`](crate::functions).
    pub functions: F,
}

impl<F> Row<F> {
    /// The rows whose needs the machine meets, the preferred one last.
    pub fn fitting(
        rows: &'static [Row<F>],
        cpu: Cpu,
    ) -> impl DoubleEndedIterator<Item = &'static Row<F>> {
        rows.iter().filter(move |row| cpu.meets(row.needs))
    }

    /// The row to use: the last one that fits. `None` only if every row in the table needs something.
    #[must_use]
    pub fn best(rows: &'static [Row<F>], cpu: Cpu) -> Option<&'static Row<F>> {
        Self::fitting(rows, cpu).next_back()
    }

    /// The name of each row that fits, and the `Cpu` with which a key chooses it. Every row but the portable one also
    /// gets AES instructions and the features that `more` adds.
    #[cfg(feature = "hazmat")]
    pub fn named(
        rows: &'static [Row<F>],
        cpu: Cpu,
        more: impl Fn(&'static str) -> Needs,
    ) -> impl Iterator<Item = (&'static str, Cpu)> {
        Self::fitting(rows, cpu).map(move |row| match row.needs {
            Needs::NONE => (row.name, Cpu::PORTABLE),
            needs => (row.name, cpu.only(needs.and(Needs::AES).and(more(row.name)))),
        })
    }
}

/// The functions of a row: a struct of their pointers, and a method for each, which calls it. After a `+` comes a field that
/// has no method.
///
/// `unsafe` says that the module promises this: it lends the functions only from rows whose needs the machine meets.
#[cfg_attr(feature = "hazmat", macro_export, doc(hidden))] // `hazmat::rows` shows it
macro_rules! functions {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $($(#[$doc:meta])* unsafe fn $function:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)?;)*
            $(+ $field:ident: $of:ty,)*
        }
    ) => {
        $(#[$about])*
        $vis struct $name {
            $($(#[$doc])* $function: unsafe fn($($arg: $type),*) $(-> $out)?,)*
            $($field: $of,)*
        }

        #[allow(unsafe_code)]
        impl $name {
            $(
                $(#[$doc])*
                #[inline(always)]
                $vis fn $function(&self, $($arg: $type),*) $(-> $out)? {
                    // SAFETY: the module lends functions only of rows that `Row::best` and `Row::fitting` return, whose
                    // needs this machine meets, or of a row that a value shows the machine to have.
                    unsafe { (self.$function)($($arg),*) }
                }
            )*
        }
    };
}

pub(crate) use functions;
