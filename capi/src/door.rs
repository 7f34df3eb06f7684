//! [`door!`]: how the functions for C are written that return a status.

/// Exported functions that return a status: `guard` is around each body, whose `?` and `return Err` give it, and its end
/// `WEGMAN_OK`. What comes after a semicolon among the parameters is [given](crate::raw::give) what the body makes. A function
/// with parameters for types, in brackets, is a body that several exported ones have. These follow the name of their MAC, which
/// C's names begin with.
macro_rules! door {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $T:ty),* $(; $out:ident: $Out:ty)?) $body:block)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[must_use]
        #[allow(unused_unsafe, reason = "some bodies use nothing of C's")]
        pub unsafe extern "C" fn $name($($arg: $T,)* $($out: $Out)?) -> Status {
            $crate::door::door!(@run $body $($out)?)
        }
    )*};
    ($($(#[$doc:meta])* fn $name:ident[$($types:tt)*]($($arg:ident: $T:ty),*) $body:block)*) => {$(
        $(#[$doc])*
        pub(crate) unsafe fn $name<$($types)*>($($arg: $T),*) -> Status {
            $crate::door::door!(@run $body)
        }
    )*};
    ($mac:ident: $($(#[$doc:meta])* fn $name:ident($($arg:ident: $T:ty),*) $body:block)*) => {$(
        $(#[$doc])*
        #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_", stringify!($name)))]
        #[must_use]
        pub unsafe extern "C" fn $name($($arg: $T),*) -> Status {
            // SAFETY: the caller's promises.
            unsafe { $body }
        }
    )*};
    (@run $body:block) => {
        $crate::status::guard(|| {
            // SAFETY: the caller's promises, which wegman.h names under "Memory".
            let () = unsafe { $body };
            Ok(())
        })
    };
    (@run $body:block $out:ident) => {
        // SAFETY: likewise.
        unsafe { $crate::raw::give($out, || $body) }
    };
}
pub(crate) use door;
