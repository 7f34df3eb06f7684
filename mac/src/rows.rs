//! [`Rows`]: the table in which a layer lists its kernels, and [`Row`], an entry in it. A row states exactly
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

/// The table of a layer, the preferred row last. It lends only rows whose needs the machine meets.
pub struct Rows<F: 'static>(&'static [Row<F>]);

impl<F> Rows<F> {
    /// A table of these rows.
    #[must_use]
    pub const fn new(rows: &'static [Row<F>]) -> Self {
        Rows(rows)
    }

    /// The rows whose needs the machine meets.
    pub fn fitting(&self, cpu: Cpu) -> impl DoubleEndedIterator<Item = &'static Row<F>> + use<F> {
        self.0.iter().filter(move |row| cpu.meets(row.needs))
    }

    /// The row to use: the last one that fits.
    #[must_use]
    pub fn last(&self, cpu: Cpu) -> Option<&'static Row<F>> {
        self.fitting(cpu).next_back()
    }

    /// The row to use, from a table with a row that needs nothing.
    ///
    /// # Panics
    /// If no row fits.
    #[must_use]
    pub fn best(&self, cpu: Cpu) -> &'static Row<F> {
        self.last(cpu).expect("the portable row needs nothing")
    }

    /// The name of each row that fits, and the `Cpu` with which a key chooses it.
    pub fn kernels(&self, cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> + use<F> {
        self.fitting(cpu).map(move |row| (row.name, cpu.only(row.needs)))
    }

    /// [`kernels`](Self::kernels), but every row except the portable one also gets AES instructions.
    #[cfg(feature = "hazmat")]
    pub fn with_aes(&self, cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> + use<F> {
        self.fitting(cpu).map(move |row| match row.needs {
            Needs::NONE => (row.name, Cpu::PORTABLE),
            needs => (row.name, cpu.only(needs.and(Needs::AES))),
        })
    }
}

/// The functions of a row: a struct of their pointers, and a method for each, which calls it. After a `+` comes a field that
/// has no method.
///
/// `unsafe` says that the module promises this: functions are in a table only, or beside a value that proves their needs.
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
                    // SAFETY: a table, `Rows`, lends only rows whose needs this machine meets; or a value shows that it
                    // meets them.
                    unsafe { (self.$function)($($arg),*) }
                }
            )*
        }
    };
}

pub(crate) use functions;
