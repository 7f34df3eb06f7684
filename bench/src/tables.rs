//! What `speeds` and `rivals` print for people: a row per engine, a column per length.

use crate::compare::Speeds;
use crate::engines::{Engine, Group};
use std::fmt::Write as _;
use wegman_bench::messages::Mode;
use wegman_bench::report::{self, Speed, digits, digits_or_dash};

/// Lengths side by side in one table: so many fit into 100 columns.
const WITH_SPREAD: usize = 4;
const WITHOUT: usize = 7;

/// Cycles per byte with their spread, then nanoseconds.
pub fn speeds(speeds: &Speeds) -> String {
    let mut text = String::new();
    let lengths: Vec<&[Speed]> = speeds.results.chunk_by(|a, b| a.length == b.length).collect();
    for lengths in lengths.chunks(WITH_SPREAD) {
        text += "\ncycles per byte: median, and interquartile range / median\n";
        let cell =
            |speed: &Speed| format!("{} {:5.1}%", digits_or_dash(speed.cpb), 100.0 * speed.spread);
        table(&mut text, lengths, 14, |_| true, cell);
        text += "\nns per message: median\n";
        table(&mut text, lengths, 14, |_| true, |speed| digits(speed.ns));
    }
    text + &notes(speeds)
}

/// Cycles per byte, or nanoseconds where cycles are not known, mode by mode and group by group.
pub fn rivals(speeds: &Speeds, engines: &[Engine], absent: &[String]) -> String {
    let mut text = String::new();
    let unit = if speeds.clock_ghz.is_some() { "cycles per byte" } else { "ns" };
    for of_mode in speeds.results.chunk_by(|a, b| a.mode == b.mode) {
        let mode = of_mode[0].mode;
        let lengths: Vec<&[Speed]> = of_mode.chunk_by(|a, b| a.length == b.length).collect();
        for lengths in lengths.chunks(WITHOUT) {
            let mut part = |title: &str, shown: &dyn Fn(&Engine) -> bool| {
                let is_shown = |speed: &Speed| {
                    engines.iter().any(|engine| shown(engine) && is_of(speed, engine))
                };
                if lengths.iter().copied().flatten().any(is_shown) {
                    let _ = writeln!(text, "\n{title}: {unit}");
                    let cell = |speed: &Speed| speed.cpb.map_or_else(|| digits(speed.ns), digits);
                    table(&mut text, lengths, 8, is_shown, cell);
                }
            };
            if mode == Mode::Batch.name() {
                part("batches, by those that tag many messages at once", &|_| true);
                continue;
            }
            for group in Group::ALL {
                let title = match mode == Mode::Single.name() {
                    true => group.title().to_owned(),
                    false => format!("{mode}, {}", group.title()),
                };
                part(&title, &|engine| engine.group == group);
            }
        }
    }
    if !absent.is_empty() {
        text += "\nabsent, found when installed and bench/build.rs is touched:\n";
    }
    for library in absent {
        let _ = writeln!(text, "  {library}");
    }
    text + &notes(speeds)
}

fn is_of(speed: &Speed, engine: &Engine) -> bool {
    speed.algorithm == engine.name && speed.origin.as_deref() == Some(&engine.origin)
}

fn notes(speeds: &Speeds) -> String {
    let mut text = String::new();
    if let Some(ghz) = speeds.clock_ghz {
        let _ = writeln!(text, "\ncore clock while measuring: {ghz:.2} GHz (median)");
    }
    if speeds.results.iter().any(|speed| speed.spread > report::UNQUIET) {
        let _ = writeln!(text, "{}", report::UNQUIET_NOTE);
    }
    text
}

/// A row for each engine that is `shown` and was measured at one of the lengths.
fn table(
    text: &mut String,
    lengths: &[&[Speed]],
    width: usize,
    shown: impl Fn(&Speed) -> bool,
    cell: impl Fn(&Speed) -> String,
) {
    let _ = write!(text, "{:<13}{:<9}{:<21}", "algorithm", "kernel", "from");
    for speeds in lengths {
        let _ = write!(text, "{:>width$}", format!("{} B", report::bytes(speeds[0].length)));
    }
    fn of(speed: &Speed) -> (&str, &str, &str) {
        (&speed.algorithm, &speed.kernel, speed.origin.as_deref().unwrap_or_default())
    }
    // An engine that takes some of the lengths takes the shorter ones: the first column has them all.
    for row in lengths[0].iter().filter(|&speed| shown(speed)) {
        let (algorithm, kernel, origin) = of(row);
        let _ = write!(text, "\n{algorithm:<13}{kernel:<9}{origin:<21}");
        for speeds in lengths {
            let found = speeds.iter().find(|speed| of(speed) == of(row));
            let _ = write!(text, "{:>width$}", found.map_or_else(|| "-".to_owned(), &cell));
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engines, rivals};

    fn all(engines: &[Engine], lengths: &[usize]) -> Speeds {
        let speed = |length: usize, engine: &Engine| Speed {
            algorithm: engine.name.into(),
            kernel: engine.kernel.into(),
            origin: Some(engine.origin.clone()),
            mode: "single",
            length,
            cycles: Some(0.5 * length as f64),
            cpb: Some(0.5),
            ns: 0.25 * length as f64,
            spread: 0.123,
        };
        let results = lengths.iter().flat_map(|&l| engines.iter().map(move |e| speed(l, e)));
        Speeds { clock_ghz: Some(2.0), results: results.collect() }
    }

    #[test]
    fn each_mode_has_its_table_and_what_was_not_measured_is_a_dash() {
        let engines = engines::ours();
        let mut speeds = all(&engines, &[43, 1500]);
        speeds.results.pop();
        let batches = all(&engines[1..], &[43]).results;
        speeds.results.extend(batches.into_iter().map(|speed| Speed { mode: "batch", ..speed }));
        let text = rivals(&speeds, &engines, &[]);
        let titles: Vec<_> = text.lines().filter(|line| line.contains(": cycles")).collect();
        let [short, long, without, batches] = titles[..] else { panic!("{text}") };
        assert!(short.starts_with("with a nonce, tags of 32") && long.starts_with("with a nonce"));
        assert!(without.starts_with("without") && batches.starts_with("batches"), "{text}");
        let rows = |name: &str| text.lines().filter(|line| line.starts_with(name)).count();
        assert_eq!((rows(engines[0].name), rows(engines[1].name)), (1, 2), "{text}");
        assert_eq!(text.matches("  0.5000       -\n").count(), 1, "{text}");
        assert!(!text.contains("absent"), "{text}");
    }

    #[test]
    fn tables_fit_in_100_columns_and_show_every_length() {
        let mut engines = engines::ours();
        engines.extend(rivals::all().0);
        let lengths = [1, 43, 256, 1500, 262_144, 16_777_216, 1 << 30];
        let speeds = all(&engines, &lengths);
        let both = [super::speeds(&speeds), rivals(&speeds, &engines, &["Some".into()])];
        for text in &both {
            assert!(text.lines().all(|line| line.len() <= 100), "{text}");
            assert!(text.ends_with("quiet\n"), "{text}");
            for length in lengths {
                assert!(text.contains(&format!(" {} B", report::bytes(length))), "{text}");
            }
            for engine in &engines {
                assert!(text.contains(&engine.origin), "{text}");
            }
        }
        let cells = engines.len() * lengths.len();
        assert_eq!(both[0].matches("0.5000  12.3%").count(), cells, "{}", both[0]);
        assert_eq!(both[1].matches(" 0.5000").count(), cells, "{}", both[1]);
        assert!(both[1].contains("touched:\n  Some\n"));
    }
}
