//! What a table's names stand for: an engine of ours, or a rival's.

use crate::engine::Engine;
use crate::engines;
use crate::papers::subject::{Doing, Subject};
use crate::rivals::Rivals;
use crate::timing::messages::Mode;
use std::rc::Rc;
use wegman_historical::umac_2000::Parameters;

impl Rivals {
    /// What would bring the library of a rival, if it is not there.
    pub fn missing(&self, from: Option<&str>) -> Option<&str> {
        let line = self.absent.iter().find(|line| from.is_some_and(|from| line.starts_with(from)));
        line.map(String::as_str)
    }

    /// One of ours, or a rival.
    pub fn find(&self, name: &str, from: Option<&str>) -> Result<Rc<Engine>, String> {
        let Some(from) = from else {
            return engines::find(name)
                .ok_or_else(|| format!("nothing of ours is called {name:?}"));
        };
        let is_it = |engine: &&Rc<Engine>| engine.name == name && engine.origin.starts_with(from);
        let found = self.engines.iter().find(is_it).cloned();
        found.ok_or_else(|| format!("no library of this build has {name:?} from {from}"))
    }

    /// Whether the subject can be measured, or only its library is not there.
    pub fn takes(&self, subject: &Subject) -> bool {
        let Subject { doing, algorithm, from, lengths } = subject;
        if self.missing(from.as_deref()).is_some() {
            return true;
        }
        let Ok(engine) = self.find(algorithm, from.as_deref()) else { return false };
        match doing {
            Doing::Tag | Doing::Mix => lengths.iter().all(|&l| engine.takes(Mode::Single, l)),
            Doing::Key => from.is_none() && wegman_catalogue::find(algorithm).is_some(),
            Doing::Front(_) => from.is_none() && algorithm.parse::<Parameters>().is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rivals;

    #[test]
    fn what_can_not_be_measured_is_known() {
        let engines = rivals::all(None);
        for (name, takes) in [
            ("UMAC-64 @ 43", true),
            ("NOMAC @ 43", false),
            ("HMAC-SHA1 from hmac @ 43", true),
            ("HMAC-SHA1 from nowhere @ 43", false),
            ("MH32 @ 4097", false),
            ("key of SHA-1", false),
            ("key of UMAC16", true),
            ("16 bits of UMAC16 @ 43", true),
            ("16 bits of UMAC-64 @ 43", false),
        ] {
            assert_eq!(engines.takes(&name.parse().unwrap()), takes, "{name}");
        }
    }
}
