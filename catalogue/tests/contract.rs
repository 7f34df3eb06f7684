//! One list of promises for every algorithm of the catalogue on every kernel of this machine, then the
//! promises of the typed keys. The public interface only.

#[path = "contract/every_algorithm.rs"]
mod every_algorithm;
#[path = "contract/the_catalogue.rs"]
mod the_catalogue;
#[path = "contract/typed.rs"]
mod typed;
