//! [`Owner`]: the process that a counter belongs to. Depends on no module.

/// The process that made a counter. A fork copies counters, and two processes with the same counter use each nonce
/// twice. So a counter remembers its owner and checks it before each number. Sessions do this themselves; use an
/// `Owner` for your own counters.
///
/// ```
/// use wegman::session::Owner;
///
/// let owner = Owner::this_process(); // when the counter is made
/// assert!(owner.is_this_process()); // before each number; false after a fork, in the child
/// ```
///
/// 64-bit Linux, since 4.14, marks every new process. Other Unix systems mark processes that the C library forks.
/// Elsewhere no process forks. Nothing detects a cloned machine.
#[derive(Clone, Copy, Debug)]
pub struct Owner(process::Process);

impl Owner {
    /// This process.
    ///
    /// # Panics
    /// If the system has no memory to watch for forks.
    #[must_use]
    pub fn this_process() -> Owner {
        Owner(process::Process::this())
    }

    /// Whether this process is still the one that made the counter.
    #[must_use]
    #[inline(always)] // a load and a comparison, for each packet
    pub fn is_this_process(&self) -> bool {
        self.0.is_this()
    }

    /// [`is_this_process`](Self::is_this_process) as a result.
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), OtherProcess> {
        if self.is_this_process() { Ok(()) } else { Err(OtherProcess) }
    }
}

error! {
    /// This process was forked, and its parent still uses the numbers.
    pub struct OtherProcess = OtherProcess::TEXT;
}

impl OtherProcess {
    /// The errors that contain this one say the same.
    pub(crate) const TEXT: &str = "this process was forked, and its parent still uses these numbers: make a new key or link \
                                   for each process";
}

/// Where processes fork.
#[cfg(all(
    unix,
    not(any(miri, target_family = "wasm", target_os = "espidf", target_os = "fuchsia")),
))]
mod process {
    #![allow(unsafe_code)] // calls to the system

    use core::ffi::c_int;
    use core::ptr;
    use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

    /// A mark, which is zero in a new process until it gets a number. No process before has the same number.
    #[derive(Clone, Copy, Debug)]
    pub struct Process {
        mark: &'static AtomicUsize,
        number: usize,
    }

    /// The mark, once it is made.
    static MARK: AtomicPtr<AtomicUsize> = AtomicPtr::new(ptr::null_mut());

    impl Process {
        pub fn this() -> Process {
            // SAFETY: null or a mark, and marks stay.
            Process::by(unsafe { MARK.load(Ordering::Acquire).as_ref() }.unwrap_or_else(make))
        }

        fn by(mark: &'static AtomicUsize) -> Process {
            /// How many numbers were given out in this process and those before.
            static LAST: AtomicUsize = AtomicUsize::new(0);
            let number = match mark.load(Ordering::Relaxed) {
                0 => {
                    let next = LAST.fetch_add(1, Ordering::Relaxed) + 1;
                    let set = mark.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed);
                    set.map_or_else(|by_another_thread| by_another_thread, |_| next)
                }
                number => number,
            };
            Process { mark, number }
        }

        #[inline(always)]
        pub fn is_this(self) -> bool {
            self.mark.load(Ordering::Relaxed) == self.number
        }
    }

    /// Without a lock: one that a parent's other thread holds would never open in the child.
    #[cold]
    fn make() -> &'static AtomicUsize {
        let made = page().unwrap_or_else(handler);
        let place = ptr::from_ref(made).cast_mut();
        match MARK.compare_exchange(ptr::null_mut(), place, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => made,
            // SAFETY: the mark that another thread has made, and marks stay.
            Err(other) => unsafe { &*other },
        }
    }

    unsafe extern "C" {
        safe fn pthread_atfork(
            prepare: Option<extern "C" fn()>,
            parent: Option<extern "C" fn()>,
            child: Option<extern "C" fn()>,
        ) -> c_int;
    }

    /// A word that the C library's `fork` wipes.
    fn handler() -> &'static AtomicUsize {
        static WIPED: AtomicUsize = AtomicUsize::new(0);
        extern "C" fn wipe() {
            WIPED.store(0, Ordering::Relaxed);
        }
        assert_eq!(pthread_atfork(None, None, Some(wipe)), 0, "no memory to watch for forks");
        &WIPED
    }

    /// A page that the kernel wipes in every new process: Linux since 4.14. It stays for good.
    #[cfg(all(any(target_os = "linux", target_os = "android"), target_pointer_width = "64"))]
    fn page() -> Option<&'static AtomicUsize> {
        use core::ffi::c_void;
        unsafe extern "C" {
            fn mmap(
                place: *mut c_void,
                length: usize,
                protection: c_int,
                flags: c_int,
                file: c_int,
                offset: i64,
            ) -> *mut c_void;
            fn madvise(place: *mut c_void, length: usize, advice: c_int) -> c_int;
        }
        const READ_AND_WRITE: c_int = 1 | 2;
        // MIPS has another number for anonymous memory: there mmap fails.
        const PRIVATE_AND_ANONYMOUS: c_int = 0x02 | 0x20;
        const WIPE_ON_FORK: c_int = 18;
        const NO_ADVICE: c_int = -1;
        let length = size_of::<AtomicUsize>();
        // SAFETY: new memory, of zeros, which nothing else uses and nobody unmaps.
        unsafe {
            let page = mmap(ptr::null_mut(), length, READ_AND_WRITE, PRIVATE_AND_ANONYMOUS, -1, 0);
            // An emulator that takes any advice follows none.
            let is_wiped = page.addr() != usize::MAX
                && madvise(page, length, WIPE_ON_FORK) == 0
                && madvise(page, length, NO_ADVICE) != 0;
            is_wiped.then(|| &*page.cast())
        }
    }

    #[cfg(not(all(any(target_os = "linux", target_os = "android"), target_pointer_width = "64")))]
    fn page() -> Option<&'static AtomicUsize> {
        None
    }

    #[cfg(test)]
    mod tests {
        use super::{Process, handler, page};
        use crate::tests::forks::in_child;

        /// Each kind of mark tells a child from its parent, and a grandchild from both.
        #[test]
        fn marks_tell_processes_apart() {
            let has_pages =
                cfg!(all(target_os = "linux", target_pointer_width = "64", target_arch = "x86_64"));
            assert!(page().is_some() || !has_pages);
            for mark in page().into_iter().chain([handler()]) {
                let parent = Process::by(mark);
                let wrong = in_child(|| {
                    let is_other = !parent.is_this();
                    let child = Process::by(mark);
                    let grandchild = in_child(|| {
                        let are_others = !parent.is_this() && !child.is_this();
                        [are_others, Process::by(mark).is_this(), !parent.is_this()]
                    });
                    [is_other, child.is_this(), !parent.is_this(), grandchild.is_none()]
                });
                assert_eq!(wrong, None);
                assert!(parent.is_this() && Process::by(mark).is_this());
            }
        }
    }
}

/// Where nothing forks.
#[cfg(not(all(
    unix,
    not(any(miri, target_family = "wasm", target_os = "espidf", target_os = "fuchsia")),
)))]
mod process {
    #[derive(Clone, Copy, Debug)]
    pub struct Process;

    impl Process {
        pub fn this() -> Process {
            Process
        }

        pub fn is_this(self) -> bool {
            true
        }
    }
}
