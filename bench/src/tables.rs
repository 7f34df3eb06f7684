//! What `speeds` and `rivals` print for people: a row per engine, a column per length.

use crate::compare::Speeds;
use crate::engines::{Engine, Group};
use std::fmt::Write as _;
use wegman_bench::report::{self, Speed, digits, digits_or_dash};

/// Lengths side by side in one table: so many fit into 100 columns.
const WITH_SPREAD: usize = 4;
const WITHOUT: usize = 6;

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

/// Cycles per byte, or nanoseconds where cycles are not known, group by group.
pub fn rivals(speeds: &Speeds, engines: &[Engine], absent: &[String]) -> String {
    let mut text = String::new();
    let lengths: Vec<&[Speed]> = speeds.results.chunk_by(|a, b| a.length == b.length).collect();
    let mut groups: Vec<Group> = engines.iter().map(|engine| engine.group).collect();
    groups.sort_unstable();
    groups.dedup();
    for lengths in lengths.chunks(WITHOUT) {
        for &group in &groups {
            let unit = if speeds.clock_ghz.is_some() { "cycles per byte" } else { "ns" };
            let _ = writeln!(text, "\n{}: {unit}", group.title());
            let cell = |speed: &Speed| speed.cpb.map_or_else(|| digits(speed.ns), digits);
            table(&mut text, lengths, 9, |row| engines[row].group == group, cell);
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

/// The engines that are `shown`, by their place.
fn table(
    text: &mut String,
    lengths: &[&[Speed]],
    width: usize,
    shown: impl Fn(usize) -> bool,
    cell: impl Fn(&Speed) -> String,
) {
    let _ = write!(text, "{:<13}{:<9}{:<21}", "algorithm", "kernel", "from");
    for speeds in lengths {
        let _ = write!(text, "{:>width$}", format!("{} B", report::bytes(speeds[0].length)));
    }
    for row in (0..lengths[0].len()).filter(|&row| shown(row)) {
        let Speed { algorithm, kernel, origin, .. } = &lengths[0][row];
        let origin = origin.as_deref().unwrap_or_default();
        let _ = write!(text, "\n{algorithm:<13}{kernel:<9}{origin:<21}");
        for speeds in lengths {
            let _ = write!(text, "{:>width$}", cell(&speeds[row]));
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
