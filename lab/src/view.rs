//! The view of all commands: a table for each section, a row for each engine or way, a column for each length.

use crate::arguments::{Per, RunArguments};
use crate::speeds::{Speed, Speeds};
use crate::timing::messages::{Mix, Size};
use std::fmt::Write as _;

/// A spread above this is seldom the algorithm's own.
pub const UNQUIET: f64 = 0.1;

/// Columns of text that a table may fill.
const WIDTH: usize = 100;
/// Of one length.
const CELL: usize = 8;

/// A table as text: some columns that name the row, then its figures, a dash where there is none.
pub struct Grid {
    pub names: usize,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// Of those speeds that have a figure.
    fn new(speeds: &[&Speed], cell: impl Fn(&Speed) -> Option<String>) -> Grid {
        let lengths = unique(speeds.iter().map(|speed| speed.place.length));
        let shown = || speeds.iter().filter_map(|speed| Some((*speed, cell(speed)?)));
        let row = |row: [&str; 3]| {
            let at = |length: &Size| {
                let is_it = |(speed, _): &(&Speed, _)| {
                    identity(speed) == row && speed.place.length == *length
                };
                shown().find(is_it).map_or("-".to_owned(), |(_, cell)| cell)
            };
            row.map(str::to_owned).into_iter().chain(lengths.iter().map(at)).collect()
        };
        let column = |length: &Size| match length {
            Size::Mix(Mix::Imix) => length.to_string(),
            length => format!("{length} B"),
        };
        let names = ["algorithm", "kernel", "from"].map(str::to_owned).into_iter();
        Grid {
            names: 3,
            head: names.chain(lengths.iter().map(column)).collect(),
            rows: unique(shown().map(|(speed, _)| identity(speed))).into_iter().map(row).collect(),
        }
    }

    /// In Markdown.
    pub fn markdown(&self) -> String {
        let rule = |i| if i < self.names { "---" } else { "---:" }.to_owned();
        let rule: Vec<String> = (0..self.head.len()).map(rule).collect();
        let line = |cells: &Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        [&self.head, &rule].into_iter().chain(&self.rows).map(line).collect()
    }

    /// In pieces that fit beside each other.
    fn plain(&self, widths: &[usize]) -> String {
        let mut text = String::new();
        let places: Vec<usize> = (self.names..self.head.len()).collect();
        let room = WIDTH.saturating_sub(widths.iter().sum());
        for places in places.chunks((room / CELL).max(1)) {
            let is_shown = |row: &&Vec<String>| places.iter().any(|&place| row[place] != "-");
            for row in [&self.head].into_iter().chain(self.rows.iter().filter(is_shown)) {
                for (name, width) in row.iter().zip(widths) {
                    let _ = write!(text, "{name:<width$}");
                }
                places.iter().for_each(|&place| _ = write!(text, "{:>CELL$}", row[place]));
                text.push('\n');
            }
        }
        text
    }
}

/// For people.
pub fn table(speeds: &Speeds, run: &RunArguments) -> String {
    let mut text = String::new();
    let per = run.per.unwrap_or(Per::Byte);
    let unit = match (speeds.clock, per) {
        (None, _) => "ns per message",
        (Some(_), Per::Byte) => "cycles per byte",
        (Some(_), Per::Message) => "cycles per message",
    };
    let cost = |speed: &Speed| {
        let cpb = speed.cpb.filter(|_| per == Per::Byte);
        Some(digits(cpb.unwrap_or(speed.timing.cost()), 4))
    };
    let times = |speed: &Speed| speed.times.map(|times| format!("{times:.2}"));
    let width = |(at, least): (usize, usize)| {
        let widths = speeds.results.iter().map(|speed| identity(speed)[at].len());
        widths.fold(least, usize::max) + 1
    };
    let widths = [(0, 9), (1, 6), (2, 4)].map(width);
    let mut write = |title: &str, grid: Grid| {
        let table = if run.markdown { grid.markdown() } else { grid.plain(&widths) };
        let _ = write!(text, "\n{title}\n{table}");
    };
    for section in unique(speeds.results.iter().map(|speed| speed.place.section.as_str())) {
        let of: Vec<&Speed> =
            speeds.results.iter().filter(|speed| speed.place.section == section).collect();
        write(&format!("{section}: {unit}"), Grid::new(&of, cost));
        if of.iter().any(|speed| speed.times.is_some()) {
            write("times the row that each is compared with", Grid::new(&of, times));
        }
    }
    for note in speeds.notes.iter().filter(|note| !note.lines.is_empty()) {
        let lines: String = note.lines.iter().map(|line| format!("  {line}\n")).collect();
        let _ = write!(text, "\n{}:\n{lines}", note.title);
    }
    if let Some(ghz) = speeds.clock {
        let _ = writeln!(text, "\ncore clock while measuring: {ghz:.2} GHz (median)");
    }
    let mut spreads: Vec<f64> = speeds.results.iter().map(|s| 100.0 * s.timing.spread).collect();
    spreads.sort_by(f64::total_cmp);
    if let (Some(half), Some(all)) = (spreads.get(spreads.len() / 2), spreads.last()) {
        let _ = write!(text, "spreads: half up to {half:.1} %, all up to {all:.1} %; ");
        text += "above 10 %, repeat when the machine is quiet\n";
    }
    text
}

/// What tells a row from others.
fn identity(speed: &Speed) -> [&str; 3] {
    [&speed.place.algorithm, &speed.place.kernel, &speed.place.from]
}

/// Each once, where it comes first.
fn unique<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    all.for_each(|one| {
        if !once.contains(&one) {
            once.push(one);
        }
    });
    once
}

/// So many digits, those of numbers below 1 behind the point, and none behind the point of numbers that have them before it.
pub fn digits(value: f64, most: usize) -> String {
    let before = [1.0, 10.0, 100.0, 1000.0].into_iter().filter(|&power| value.abs() >= power);
    format!("{value:.*}", most.saturating_sub(before.count()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speeds::Note;
    use crate::timing::rounds::{Place, Timing};
    use crate::{engines, rivals};
    use wegman::Cpu;

    const RUN: RunArguments =
        RunArguments { quick: false, json: false, per: None, markdown: false };

    fn all(lengths: &[Size]) -> Speeds {
        let engines = engines::ours_on(Cpu::detect()).into_iter().chain(rivals::all(None).engines);
        let speeds = engines.flat_map(|engine| {
            lengths.iter().map(move |&length| Speed {
                place: Place::new(engine.group.name(), engine.row(), "single", length),
                timing: Timing {
                    cycles: Some(0.5 * length.mean()),
                    ns: 0.25 * length.mean(),
                    spread: 0.123,
                },
                cpb: Some(0.5),
                times: None,
                more: Default::default(),
            })
        });
        Speeds { cpu: "a CPU".into(), clock: Some(2.0), results: speeds.collect(), notes: vec![] }
    }

    #[test]
    fn tables_fit_in_100_columns_and_show_every_cell() {
        let lengths = [1, 43, 256, 1500, 262_144, 16_777_216, 1 << 30].map(Size::Bytes);
        let mut speeds = all(&lengths);
        speeds.results[0].timing.spread = 0.5;
        let text = table(&speeds, &RUN);
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.contains("\nspreads: half up to 12.3 %, all up to 50.0 %; "), "{text}");
        assert!(lengths.iter().all(|length| text.contains(&format!(" {length} B"))), "{text}");
        assert_eq!(text.matches(" 0.5000").count(), speeds.results.len(), "{text}");
    }

    #[test]
    fn what_was_not_measured_is_a_dash_and_what_is_compared_has_a_second_table() {
        let mut speeds = all(&[Size::Bytes(43), Size::Mix(Mix::Imix), Size::Mix(Mix::Uniform)]);
        // Of the second engine.
        speeds.results[4].times = Some(1.5);
        speeds.results.remove(3);
        speeds.notes.push(Note { title: "left out", lines: vec!["a MAC".into()] });
        let text = table(&speeds, &RunArguments { per: Some(Per::Message), markdown: true, ..RUN });
        assert!(text.contains("| --- | --- | --- | ---: | ---: | ---: |"), "{text}");
        assert!(text.contains(" | - | 170.2 | 16.25 |\n"), "{text}");
        assert!(text.contains("compared with\n") && text.contains(" | - | 1.50 | - |\n"), "{text}");
        assert!(text.contains("\nleft out:\n  a MAC\n"), "{text}");
    }

    #[test]
    fn numbers_keep_their_leading_digits() {
        let values = [0.07123, 0.5, 9.8765, 98.765, 987.65, 9876.5, 0.0];
        let texts = ["0.0712", "0.5000", "9.877", "98.77", "987.6", "9876", "0.0000"];
        assert_eq!(values.map(|value| digits(value, 4)), texts);
    }
}
