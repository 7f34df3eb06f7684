//! Enumerations whose values have names: on command lines, in tables, in reports.

/// Declares one: each value with its name.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $enum:ident { $($(#[$doc:meta])* $value:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(::serde::Serialize, ::serde::Deserialize)]
        pub enum $enum {
            $($(#[$doc])* #[serde(rename = $name)] $value,)*
        }

        impl $enum {
            /// All of them, in order.
            #[allow(dead_code, reason = "of some not all are asked for")]
            pub const ALL: [$enum; [$($name),*].len()] = [$($enum::$value),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($enum::$value => $name,)*
                }
            }
        }

        impl ::std::fmt::Display for $enum {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use named;
