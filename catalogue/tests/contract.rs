//! One contract for every algorithm of the catalogue on every kernel of this machine, then the
//! contract of the typed keys. Only the public interface is used.

#[path = "contract/boxed.rs"]
mod boxed;
#[path = "contract/every_algorithm.rs"]
mod every_algorithm;
#[path = "contract/the_catalogue.rs"]
mod the_catalogue;
#[path = "contract/typed.rs"]
mod typed;
