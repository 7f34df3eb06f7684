//! What `speeds` and `rivals` print for people: a row per engine, a column per length.

use crate::arguments::{Per, ShownArguments};
use crate::class::Class;
use crate::compare::Speeds;
use crate::engine::{Engine, Group};
use crate::family;
use crate::rivals::Rivals;
use std::fmt::Write as _;
use wegman_timing::messages::{Mode, Size};
use wegman_timing::report::{self, Speed, digits, digits_or_dash};

/// Columns of text that a table may fill.
const WIDTH: usize = 100;

/// Cycles per byte with their spread, then nanoseconds.
pub fn speeds(speeds: &Speeds) -> String {
    let mut text = String::new();
    let lengths: Vec<&[Speed]> = speeds.results.chunk_by(|a, b| a.length == b.length).collect();
    let table = Table::of(&speeds.results, 14);
    for lengths in lengths.chunks(table.lengths()) {
        text += "\ncycles per byte: median, and interquartile range / median\n";
        let cell =
            |speed: &Speed| format!("{} {:5.1}%", digits_or_dash(speed.cpb), 100.0 * speed.spread);
        table.write(&mut text, lengths, |_| true, cell);
        text += "\nns per message: median\n";
        table.write(&mut text, lengths, |_| true, |speed| digits(speed.ns));
    }
    text + &notes(speeds)
}

/// Cycles, or nanoseconds where cycles are not known, mode by mode and group by group.
pub fn rivals(
    speeds: &Speeds,
    engines: &[Engine],
    class: Option<Class>,
    rivals: &Rivals,
    shown: ShownArguments,
) -> String {
    let group = |speed: &Speed| {
        let engine = engines.iter().find(|engine| is_of(speed, engine));
        engine.map_or("", |engine| engine.group.title())
    };
    let mut text = String::new();
    if let Some(class) = class {
        let _ = writeln!(text, "\ninstructions of class {class} alone");
    }
    text += &sections(speeds, &Group::ALL.map(Group::title), group, shown);
    let mut list = |title: &str, lines: &[String]| {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n{title}:");
        }
        for line in lines {
            let _ = writeln!(text, "  {line}");
        }
    };
    list("told to use no more, and what they say", &rivals.reports);
    list("left out of this class", &rivals.left_out);
    list("absent, found when installed and lab/build.rs is touched", &rivals.absent);
    text + &notes(speeds)
}

/// The same under the titles of the family.
pub fn family(speeds: &Speeds, shown: ShownArguments) -> String {
    let title = |speed: &Speed| family::title(&speed.algorithm).unwrap_or(OTHERS);
    let titles: Vec<&str> = family::SECTIONS.iter().map(|(title, _)| *title).collect();
    sections(speeds, &[&titles[..], &[OTHERS]].concat(), title, shown) + &notes(speeds)
}

/// What is in none of its sections: asked for by name, or only listed by the catalogue.
const OTHERS: &str = "others of ours";

/// Mode by mode, and one message at a time title by title.
fn sections(
    speeds: &Speeds,
    titles: &[&str],
    title_of: impl Fn(&Speed) -> &'static str,
    ShownArguments { per, markdown }: ShownArguments,
) -> String {
    let mut text = String::new();
    let unit = match (speeds.clock_ghz, per) {
        (None, _) => "ns",
        (Some(_), Per::Byte) => "cycles per byte",
        (Some(_), Per::Message) => "cycles per message",
    };
    let cell = |speed: &Speed| {
        let cycles = if per == Per::Byte { speed.cpb } else { speed.cycles };
        digits(cycles.unwrap_or(speed.ns))
    };
    let table = Table::of(&speeds.results, 8);
    for of_mode in speeds.results.chunk_by(|a, b| a.mode == b.mode) {
        let mode = of_mode[0].mode;
        let lengths: Vec<&[Speed]> = of_mode.chunk_by(|a, b| a.length == b.length).collect();
        let side_by_side = if markdown { lengths.len() } else { table.lengths() };
        for lengths in lengths.chunks(side_by_side) {
            let mut part = |title: &str, shown: &dyn Fn(&Speed) -> bool| {
                if lengths.iter().copied().flatten().any(shown) {
                    let _ = writeln!(text, "\n{title}: {unit}");
                    if markdown {
                        write_markdown(&mut text, lengths, shown, cell);
                    } else {
                        table.write(&mut text, lengths, shown, cell);
                    }
                }
            };
            if mode == Mode::Batch.name() {
                part("batches, by those that tag many messages at once", &|_| true);
                continue;
            }
            for title in titles {
                let shown = |speed: &Speed| title_of(speed) == *title;
                if mode == Mode::Single.name() {
                    part(title, &shown);
                } else {
                    part(&format!("{mode}, {title}"), &shown);
                }
            }
        }
    }
    text
}

/// A table in Markdown, with the rows and cells of [`Table::write`].
fn write_markdown(
    text: &mut String,
    lengths: &[&[Speed]],
    shown: impl Fn(&Speed) -> bool,
    cell: impl Fn(&Speed) -> String,
) {
    let titles = lengths.iter().map(|speeds| format!(" {} |", column(speeds)));
    let lines = "---:|".repeat(lengths.len());
    let _ = writeln!(text, "\n| algorithm | kernel | from |{}", titles.collect::<String>());
    let _ = writeln!(text, "|---|---|---|{lines}");
    for row in rows(lengths, shown) {
        let cells = cells(lengths, row, &cell).map(|cell| format!(" {cell} |"));
        let (name, kernel, from) = identity(row);
        let _ = writeln!(text, "| {name} | {kernel} | {from} |{}", cells.collect::<String>());
    }
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

/// The columns of a table.
struct Table {
    algorithm: usize,
    kernel: usize,
    origin: usize,
    /// Of one length.
    cell: usize,
}

impl Table {
    /// Wide enough for all of them.
    fn of(speeds: &[Speed], cell: usize) -> Table {
        let widest = |title: &str, text: fn(&Speed) -> &str| {
            let widths = speeds.iter().map(|speed| text(speed).len());
            widths.max().unwrap_or(0).max(title.len()) + 1
        };
        Table {
            algorithm: widest("algorithm", |speed| &speed.algorithm),
            kernel: widest("kernel", |speed| &speed.kernel),
            origin: widest("from", origin),
            cell,
        }
    }

    /// How many lengths have room side by side.
    fn lengths(&self) -> usize {
        let Table { algorithm, kernel, origin, cell } = self;
        (WIDTH.saturating_sub(algorithm + kernel + origin) / cell).max(1)
    }

    /// A row for each engine that is `shown` and was measured at one of the lengths.
    fn write(
        &self,
        text: &mut String,
        lengths: &[&[Speed]],
        shown: impl Fn(&Speed) -> bool,
        cell: impl Fn(&Speed) -> String,
    ) {
        let &Table { algorithm, kernel, origin: from, cell: width } = self;
        let _ = write!(text, "{:<algorithm$}{:<kernel$}{:<from$}", "algorithm", "kernel", "from");
        for speeds in lengths {
            let _ = write!(text, "{:>width$}", column(speeds));
        }
        for row in rows(lengths, shown) {
            let (name, row_kernel, row_from) = identity(row);
            let _ = write!(text, "\n{name:<algorithm$}{row_kernel:<kernel$}{row_from:<from$}");
            for cell in cells(lengths, row, &cell) {
                let _ = write!(text, "{cell:>width$}");
            }
        }
        text.push('\n');
    }
}

/// The title of a column.
fn column(speeds: &[Speed]) -> String {
    match speeds[0].length {
        Size::Imix => Size::Imix.to_string(),
        length => format!("{length} B"),
    }
}

/// What tells a row from others.
fn identity(speed: &Speed) -> (&str, &str, &str) {
    (&speed.algorithm, &speed.kernel, origin(speed))
}

/// One of each engine that is `shown` and was measured at one of the lengths. Most take all of them, and those that do
/// not come last.
fn rows<'s>(lengths: &[&'s [Speed]], shown: impl Fn(&Speed) -> bool) -> Vec<&'s Speed> {
    let mut rows: Vec<&Speed> = Vec::new();
    for speed in lengths.iter().copied().flatten().filter(|speed| shown(speed)) {
        if !rows.iter().any(|row| identity(row) == identity(speed)) {
            rows.push(speed);
        }
    }
    rows
}

/// The cells of a row, a dash where nothing was measured.
fn cells(
    lengths: &[&[Speed]],
    row: &Speed,
    cell: &impl Fn(&Speed) -> String,
) -> impl Iterator<Item = String> {
    lengths.iter().map(move |speeds| {
        let found = speeds.iter().find(|speed| identity(speed) == identity(row));
        found.map_or_else(|| "-".to_owned(), cell)
    })
}

fn origin(speed: &Speed) -> &str {
    speed.origin.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engines, rivals};

    const SHOWN: ShownArguments = ShownArguments { per: Per::Byte, markdown: false };

    fn all(engines: &[Engine], lengths: &[impl Into<Size> + Copy]) -> Speeds {
        let speed = |length: Size, engine: &Engine| Speed {
            algorithm: engine.name.clone(),
            kernel: engine.kernel.into(),
            origin: Some(engine.origin.clone()),
            mode: "single",
            length,
            cycles: Some(0.5 * length.mean()),
            cpb: Some(0.5),
            ns: 0.25 * length.mean(),
            spread: 0.123,
        };
        let results = lengths.iter().flat_map(|&l| engines.iter().map(move |e| speed(l.into(), e)));
        Speeds { clock_ghz: Some(2.0), results: results.collect() }
    }

    #[test]
    fn each_mode_has_its_table_and_what_was_not_measured_is_a_dash() {
        let engines = engines::ours();
        let mut speeds = all(&engines, &[43, 1500]);
        speeds.results.pop();
        let batches = all(&engines[1..], &[43]).results;
        speeds.results.extend(batches.into_iter().map(|speed| Speed { mode: "batch", ..speed }));
        let text = rivals(&speeds, &engines, None, &none(), SHOWN);
        let titles: Vec<_> = text.lines().filter(|line| line.contains(": cycles")).collect();
        let [short, long, without, batches] = titles[..] else { panic!("{text}") };
        assert!(short.starts_with("with a nonce, tags of 32") && long.starts_with("with a nonce"));
        assert!(without.starts_with("without") && batches.starts_with("batches"), "{text}");
        let rows = |name: &str| text.lines().filter(|line| line.starts_with(name)).count();
        assert_eq!((rows(&engines[0].name), rows(&engines[1].name)), (1, 2), "{text}");
        assert_eq!(text.matches("  0.5000       -\n").count(), 1, "{text}");
        assert!(!text.contains("absent"), "{text}");
    }

    fn none() -> Rivals {
        Rivals { engines: vec![], absent: vec![], left_out: vec![], reports: vec![] }
    }

    #[test]
    fn a_class_says_who_was_told_and_who_is_left_out() {
        let engines = engines::ours();
        let mut speeds = all(&engines, &[Size::Bytes(43), Size::Imix, Size::Uniform]);
        // One that takes only the last.
        let last = speeds.results.len() - 1;
        speeds.results[last].algorithm = "SOME-MAC".into();
        let told = Rivals { left_out: vec!["a MAC".into()], reports: vec!["yes".into()], ..none() };
        let per_message = ShownArguments { per: Per::Message, markdown: true };
        let text = rivals(&speeds, &engines, Some(Class::Avx2), &told, per_message);
        assert!(text.starts_with("\ninstructions of class avx2 alone\n"), "{text}");
        assert!(text.contains("what they say:\n  yes\n") && text.contains("class:\n  a MAC\n"));
        assert!(
            text.contains(" 43 B | IMIX | 1..64 B |\n|---|---|---|---:|---:|---:|\n"),
            "{text}"
        );
        assert!(text.contains(" 21.50 | 170.2 | 16.25 |\n"), "{text}");
        let text = family(&speeds, SHOWN);
        assert!(text.lines().any(|line| line.starts_with("SOME-MAC") && line.ends_with("0.5000")));
    }

    #[test]
    fn tables_fit_in_100_columns_and_show_every_length() {
        let mut engines = engines::ours();
        engines.extend(rivals::all(None).engines);
        let lengths = [1, 43, 256, 1500, 262_144, 16_777_216, 1 << 30];
        let speeds = all(&engines, &lengths);
        let absent = Rivals { absent: vec!["Some".into()], ..none() };
        let both = [super::speeds(&speeds), rivals(&speeds, &engines, None, &absent, SHOWN)];
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

    #[test]
    fn the_family_has_its_titles_and_others_come_last() {
        let mut engines = family::engines();
        engines.insert(0, engines::find("UHASH-4/8/256").unwrap());
        let text = family(&all(&engines, &family::LENGTHS), SHOWN);
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
        let titles: Vec<_> =
            text.lines().filter_map(|l| l.strip_suffix(": cycles per byte")).collect();
        let sections = family::SECTIONS.map(|(title, _)| title);
        assert_eq!(titles, [&sections[..], &[OTHERS]].concat(), "{text}");
        let (_, others) = text.split_once(OTHERS).unwrap();
        assert!(others.contains("\nUHASH-4/8/256 "), "{text}");
        assert_eq!(text.matches(" 0.5000\n").count(), engines.len(), "{text}");
    }
}
