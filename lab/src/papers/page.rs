//! The report as one page that needs nothing else: no network, no script.

use crate::papers::chart::{self, Line};
use crate::papers::html::escaped;
use crate::papers::unit::theirs;
use crate::papers::view::{PartView, Report, TableView};
use std::fmt::Write as _;

/// The page.
pub fn html(report: &Report<'_>) -> Result<String, String> {
    let mut text = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>UMAC and PMAC: the papers' tables, measured again</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>\n",
    );
    text += include_str!("page.css");
    text += "</style>\n</head>\n<body>\n<header>\n<h1>The papers' tables, measured again</h1>\n";
    let _ = writeln!(text, "<p>{}</p>", escaped(&report.head()));
    text += "</header>\n<nav aria-label=\"Tables\">\n<ol>\n";
    for TableView { table, .. } in &report.tables {
        let _ = writeln!(
            text,
            "<li><a href=\"#{}\">{}</a></li>",
            escaped(&table.name),
            escaped(&table.title)
        );
    }
    text += "</ol>\n</nav>\n<main>\n";
    for view in &report.tables {
        section(&mut text, view)?;
    }
    text += "</main>\n";
    if !report.absent.is_empty() {
        let absent = escaped(&report.absent.join("; "));
        let _ = writeln!(
            text,
            "<footer><p class=\"soft\">Not measured, because not installed: {absent}.</p></footer>"
        );
    }
    text += "</body>\n</html>\n";
    Ok(text)
}

fn section(text: &mut String, view: &TableView<'_>) -> Result<(), String> {
    let TableView { table, parts, findings, notes } = view;
    let _ = write!(
        text,
        "<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"soft\">{}</p>\n<dl>\n<dt>What they measured</dt><dd>{}</dd>\n\
         <dt>Where we deviate</dt><dd>{}</dd>\n</dl>\n",
        escaped(&table.name),
        escaped(&table.title),
        escaped(&table.source),
        escaped(table.measured.trim()),
        escaped(table.deviations.trim()),
    );
    for note in notes {
        let _ = writeln!(text, "<p class=\"soft\">{}</p>", escaped(note));
    }
    for finding in findings {
        let _ = writeln!(text, "<p class=\"finding\">{}</p>", escaped(finding));
    }
    for part in parts {
        let _ = writeln!(text, "<h3>{}</h3>", escaped(&part.part.title));
        if !part.finding.is_empty() {
            let _ = writeln!(text, "<p class=\"finding\">{}</p>", escaped(&part.finding));
        }
        let label = escaped(&part.part.title);
        let _ = writeln!(
            text,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">"
        );
        if part.rows.is_empty() {
            experiments(text, part);
        } else {
            rows(text, part);
        }
        *text += "</div>\n";
        let lines = chart::lines(part);
        if !lines.is_empty() {
            figure(text, part, &lines)?;
        }
    }
    *text += "</section>\n";
    Ok(())
}

fn rows(text: &mut String, part: &PartView<'_>) {
    let unit = format!("{}, by {}", part.part.unit.name(), part.column_title());
    let _ = write!(text, "<table>\n<thead><tr><th scope=\"col\">{}</th>", escaped(&unit));
    for column in &part.columns {
        let _ = write!(text, "<th scope=\"col\">{}</th>", escaped(column));
    }
    *text += "</tr></thead>\n<tbody>\n";
    let mut line =
        |class: &str, name: &str, whose: &str, values: &mut dyn Iterator<Item = String>| {
            let (name, whose) = (escaped(name), escaped(whose));
            let _ = write!(text, "<tr{class}><th scope=\"row\">{name}<small>{whose}</small></th>");
            for value in values {
                let _ = write!(text, "<td>{}</td>", escaped(&value));
            }
            *text += "</tr>\n";
        };
    for row in &part.rows {
        for printed in &row.row.printed {
            let whose = format!("theirs: {}", printed.on);
            let values = &mut theirs(&printed.values).into_iter();
            line(" class=\"theirs\"", &row.row.name, &whose, values);
        }
        line("", &row.row.name, &row.whose(), &mut row.ours_as_text());
    }
    *text += "</tbody>\n</table>\n";
}

fn experiments(text: &mut String, part: &PartView<'_>) {
    *text += "<table>\n<thead><tr><th scope=\"col\" class=\"words\">what</th><th scope=\"col\">ours</th>\
              <th scope=\"col\">theirs</th><th scope=\"col\" class=\"words\">the paper's words</th></tr></thead>\n<tbody>\n";
    for view in &part.experiments {
        let experiment = view.experiment;
        let sum = |cells: &[String]| match cells {
            [one] => one.clone(),
            _ => format!("({})", cells.join(" + ").replace("+ -", "- ")),
        };
        let made_of = match &experiment.to[..] {
            [] => sum(&experiment.of),
            to => format!("{} / {}", sum(&experiment.of), sum(to)),
        };
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\" class=\"words\">{}<small>{}</small></th><td>{}</td><td>{}</td><td class=\"words\">{}</td></tr>",
            escaped(&experiment.name),
            escaped(&made_of),
            escaped(&view.ours_in_words()),
            escaped(&view.theirs_in_words()),
            escaped(&experiment.paper),
        );
    }
    *text += "</tbody>\n</table>\n";
}

fn figure(text: &mut String, part: &PartView<'_>, lines: &[Line]) -> Result<(), String> {
    let _ = write!(text, "<figure>\n{}\n<ul class=\"legend\">", chart::svg(part, lines)?);
    for line in lines {
        let (r, g, b) = line.colour;
        let swatch =
            format!("<span class=\"swatch\" style=\"background:rgb({r},{g},{b})\"></span>");
        let _ = write!(text, "<li>{swatch}{}</li>", escaped(&line.name));
    }
    *text += "</ul>\n";
    let theirs = match lines.iter().any(Line::has_theirs) {
        true => "Lines with dots are ours, dashes with crosses the paper's. ",
        false => "",
    };
    let scale = if chart::is_logarithmic(part) { "The scale is logarithmic." } else { "" };
    let _ = writeln!(text, "<figcaption>{theirs}{scale}</figcaption>\n</figure>");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::sample::sample;
    use crate::papers::table;

    #[test]
    fn the_page_is_whole_and_needs_nothing_else() {
        let tables = table::all().unwrap();
        let page = html(&sample(&tables)).unwrap();
        for (open, close) in [
            ("<section", "</section>"),
            ("<table", "</table>"),
            ("<svg ", "</svg>"),
            ("<tr", "</tr>"),
        ] {
            assert_eq!(page.matches(open).count(), page.matches(close).count(), "{open}");
        }
        for outside in ["<script", "src=", "url(", "@import", "A <CPU>", "wegman <&>"] {
            assert!(!page.contains(outside), "{outside}");
        }
        // SVG's namespace looks like an address, but nothing is loaded from it.
        assert_eq!(
            page.matches("http").count(),
            page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count()
        );
        assert!(page.contains("<small>theirs: Pentium III, 700 MHz</small></th><td>52.9</td>"));
    }
}
