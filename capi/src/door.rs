//! [`door!`]: how the functions for C are written that return a status.

/// Exported functions that return a status: `guard` is around each body, whose `?` and `return Err` give it, and its end
/// `WEGMAN_OK`. What comes after a semicolon among the parameters is [given](crate::raw::give) what the body makes. C's
/// names of the functions after a MAC's name begin with it.
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
    ($mac:ident: $($(#[$doc:meta])* fn $name:ident($($arg:ident: $T:ty),*) $body:block)*) => {$(
        $(#[$doc])*
        #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_", stringify!($name)))]
        #[must_use]
        pub unsafe extern "C" fn $name($($arg: $T),*) -> Status {
            $crate::door::door!(@run $body)
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
