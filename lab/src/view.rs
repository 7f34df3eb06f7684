//! The view of all commands: a table for each section, a row for each engine or way, a column for each length.

use crate::arguments::{Per, RunArguments};
use crate::speeds::{Speed, Speeds};
use crate::timing::messages::Size;
use crate::timing::report::{self, digits};
use std::fmt::Write as _;

/// Columns of text that a table may fill.
const WIDTH: usize = 100;
/// Of one length.
const CELL: usize = 8;

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
        Some(digits(cpb.unwrap_or(speed.timing.cost())))
    };
    let times = |speed: &Speed| speed.times.map(|times| format!("{times:.2}"));
    let identities = speeds.results.iter().map(identity);
    let widest = |of: fn([&str; 3]) -> &str| identities.clone().map(|row| of(row).len()).max();
    let widths = [
        widest(|row| row[0]).unwrap_or(0).max(9) + 1,
        widest(|row| row[1]).unwrap_or(0).max(6) + 1,
        widest(|row| row[2]).unwrap_or(0).max(4) + 1,
    ];
    for section in unique(speeds.results.iter().map(|speed| speed.place.section.as_str())) {
        let of: Vec<&Speed> =
            speeds.results.iter().filter(|speed| speed.place.section == section).collect();
        write(&mut text, &format!("{section}: {unit}"), &of, widths, run.markdown, &cost);
        if of.iter().any(|speed| speed.times.is_some()) {
            write(
                &mut text,
                "times the row that each is compared with",
                &of,
                widths,
                run.markdown,
                &times,
            );
        }
    }
    for note in speeds.notes.iter().filter(|note| !note.lines.is_empty()) {
        let lines: String = note.lines.iter().map(|line| format!("  {line}\n")).collect();
        let _ = write!(text, "\n{}:\n{lines}", note.title);
    }
    if let Some(ghz) = speeds.clock {
        let _ = writeln!(text, "\ncore clock while measuring: {ghz:.2} GHz (median)");
    }
    if speeds.results.iter().any(|speed| speed.timing.spread > report::UNQUIET) {
        let _ = writeln!(text, "{}", report::UNQUIET_NOTE);
    }
    text
}

/// One table, in pieces that fit beside each other; in Markdown as a whole. A dash where nothing was measured.
fn write(
    text: &mut String,
    title: &str,
    speeds: &[&Speed],
    widths: [usize; 3],
    markdown: bool,
    cell: &dyn Fn(&Speed) -> Option<String>,
) {
    let _ = writeln!(text, "\n{title}");
    let lengths = unique(speeds.iter().map(|speed| speed.place.length));
    let room = WIDTH.saturating_sub(widths.iter().sum());
    let side_by_side = if markdown { lengths.len() } else { (room / CELL).max(1) };
    let mut line = |front: [&str; 3], cells: &[String]| {
        if markdown {
            let all = front.iter().map(|text| text.to_string()).chain(cells.iter().cloned());
            let _ = writeln!(text, "| {} |", all.collect::<Vec<_>>().join(" | "));
        } else {
            let front = front.iter().zip(widths).map(|(text, width)| format!("{text:<width$}"));
            let cells = cells.iter().map(|cell| format!("{cell:>CELL$}"));
            let _ = writeln!(text, "{}", front.chain(cells).collect::<String>());
        }
    };
    for lengths in lengths.chunks(side_by_side) {
        let titles: Vec<String> = lengths.iter().map(|&length| column(length)).collect();
        line(["algorithm", "kernel", "from"], &titles);
        if markdown {
            line(["---"; 3], &vec!["---:".to_owned(); lengths.len()]);
        }
        let shown = speeds
            .iter()
            .filter(|speed| lengths.contains(&speed.place.length) && cell(speed).is_some());
        for row in unique(shown.map(|speed| identity(speed))) {
            let at = |length: &Size| {
                let is_it =
                    |speed: &&&Speed| identity(speed) == row && speed.place.length == *length;
                speeds
                    .iter()
                    .find(is_it)
                    .and_then(|speed| cell(speed))
                    .unwrap_or_else(|| "-".to_owned())
            };
            line(row, &lengths.iter().map(at).collect::<Vec<_>>());
        }
    }
}

/// What tells a row from others.
fn identity(speed: &Speed) -> [&str; 3] {
    [&speed.place.algorithm, &speed.place.kernel, &speed.place.from]
}

/// The title of a column.
fn column(length: Size) -> String {
    match length {
        Size::Imix => length.to_string(),
        length => format!("{length} B"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speeds::{Note, Place};
    use crate::timing::messages::Mode;
    use crate::timing::rounds::Timing;
    use crate::{engines, rivals};

    const RUN: RunArguments =
        RunArguments { quick: false, json: false, per: None, markdown: false };

    fn all(lengths: &[Size]) -> Speeds {
        let engines = engines::ours().into_iter().chain(rivals::all(None).engines);
        let speeds = engines.flat_map(|engine| {
            lengths.iter().map(move |&length| Speed {
                place: Place::new(engine.group.title(), &engine, Mode::Single, length),
                timing: Timing {
                    cycles: Some(0.5 * length.mean()),
                    ns: 0.25 * length.mean(),
                    spread: 0.123,
                },
                cpb: Some(0.5),
                times: None,
            })
        });
        Speeds { cpu: "a CPU".into(), clock: Some(2.0), results: speeds.collect(), notes: vec![] }
    }

    #[test]
    fn tables_fit_in_100_columns_and_show_every_cell() {
        let lengths = [1, 43, 256, 1500, 262_144, 16_777_216, 1 << 30].map(Size::Bytes);
        let speeds = all(&lengths);
        let text = table(&speeds, &RUN);
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.ends_with("quiet\n"), "{text}");
        assert!(lengths.iter().all(|length| text.contains(&format!(" {length} B"))), "{text}");
        assert_eq!(text.matches(" 0.5000").count(), speeds.results.len(), "{text}");
    }

    #[test]
    fn what_was_not_measured_is_a_dash_and_what_is_compared_has_a_second_table() {
        let mut speeds = all(&[Size::Bytes(43), Size::Imix, Size::Uniform]);
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
}
