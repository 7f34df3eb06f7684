//! The figures in SVG: ours as lines, the papers' as dashes. Text and axes have the colour of the text around them.

use crate::papers::html::escaped;
use crate::papers::unit::short;
use crate::papers::view::{PartView, RowView};
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;

/// Legible on white and on black, and as distinct for the colour-blind as eight colours can be.
pub const COLOURS: [(u8, u8, u8); 8] = [
    (46, 134, 222),
    (230, 126, 34),
    (26, 160, 108),
    (204, 92, 160),
    (138, 116, 220),
    (176, 142, 22),
    (214, 72, 72),
    (94, 150, 160),
];

/// Small enough that a phone shows the whole figure with legible letters.
const SIZE: (u32, u32) = (440, 340);

/// A line of a figure.
pub struct Line {
    pub name: String,
    pub colour: (u8, u8, u8),
    /// Column and figure.
    ours: Vec<(usize, f64)>,
    theirs: Vec<(usize, f64)>,
}

/// The lines of a part's figure; none if it has no figure or nothing was measured.
pub fn lines(view: &PartView<'_>) -> Vec<Line> {
    let is_shown = |name: &String| view.part.show.is_empty() || view.part.show.contains(name);
    let rows = view.rows.iter().filter(|row| view.part.figure && is_shown(&row.row.name));
    let line = |(row, colour): (&RowView<'_>, &(u8, u8, u8))| {
        let ours = row.ours.iter().enumerate();
        let printed = row.row.printed.first().into_iter().flat_map(|printed| &printed.values);
        Line {
            name: row.row.name.clone(),
            colour: *colour,
            ours: ours.filter_map(|(i, value)| Some((i, value.as_ref()?.value))).collect(),
            theirs: printed.copied().enumerate().filter(|(_, value)| !value.is_nan()).collect(),
        }
    };
    let lines = rows.zip(COLOURS.iter().cycle()).map(line);
    lines.filter(|line| !line.ours.is_empty()).collect()
}

impl Line {
    /// Whether the paper's figures are drawn beside ours.
    pub fn has_theirs(&self) -> bool {
        !self.theirs.is_empty()
    }
}

/// The figure of a part.
pub fn svg(view: &PartView<'_>, lines: &[Line]) -> Result<String, String> {
    let mut svg = String::new();
    let all = || lines.iter().flat_map(|line| line.ours.iter().chain(&line.theirs));
    let (least, most) =
        all().fold((f64::MAX, 0.0_f64), |(l, m), &(_, value)| (l.min(value), m.max(value)));
    let drawn = if is_logarithmic(view) {
        let range = 0.8 * least..1.25 * most;
        let ticks = decades(&range);
        draw(&mut svg, view, lines, range.log_scale().with_key_points(ticks))
    } else {
        draw(&mut svg, view, lines, 0.0..1.1 * most)
    };
    drawn.map_err(|error| format!("{}: {error}", view.part.title))?;
    // The text's colour instead of black; a size that follows the page; a description for screen readers.
    let label = format!(
        "{}: {} by {}; the figures are in the table",
        view.part.title,
        view.part.unit.name(),
        view.column_title()
    );
    let head = format!("<svg role=\"img\" aria-label=\"{}\" ", escaped(&label));
    let (width, height) = SIZE;
    Ok(svg
        .replacen("<svg ", &head, 1)
        .replacen(&format!("width=\"{width}\" height=\"{height}\" "), "", 1)
        .replace("\"#000000\"", "\"currentColor\""))
}

/// Costs differ by orders of magnitude; the axis of speeds starts at zero.
pub fn is_logarithmic(view: &PartView<'_>) -> bool {
    view.part.unit.is_cost()
}

fn draw<Y>(
    svg: &mut String,
    view: &PartView<'_>,
    lines: &[Line],
    range: Y,
) -> Result<(), Box<dyn std::error::Error>>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let last = view.columns.len().saturating_sub(1);
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&area)
        .margin(8)
        .margin_right(26)
        .x_label_area_size(54)
        .y_label_area_size(74)
        .build_cartesian_2d(0..last.max(1), range)?;
    let text = ("sans-serif", 19).into_font().color(&BLACK);
    chart
        .configure_mesh()
        .bold_line_style(BLACK.mix(0.14))
        .light_line_style(BLACK.mix(0.05))
        .axis_style(BLACK.mix(0.6))
        .label_style(text.clone())
        .axis_desc_style(text)
        .x_labels(view.columns.len().min(8))
        .y_labels(8)
        .x_label_formatter(&|column| view.columns.get(*column).cloned().unwrap_or_default())
        .y_label_formatter(&|value| tick(*value))
        .x_desc(view.column_title())
        .y_desc(view.part.unit.name())
        .draw()?;
    for line in lines {
        let (r, g, b) = line.colour;
        let colour = RGBColor(r, g, b);
        if line.has_theirs() {
            let dashes =
                DashedLineSeries::new(line.theirs.iter().copied(), 6, 5, colour.stroke_width(2));
            chart.draw_series(dashes)?;
            let crosses =
                line.theirs.iter().map(|&point| Cross::new(point, 4, colour.stroke_width(2)));
            chart.draw_series(crosses)?;
        }
        chart.draw_series(LineSeries::new(line.ours.iter().copied(), colour.stroke_width(2)))?;
        chart.draw_series(line.ours.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
    }
    area.present()?;
    drop(chart);
    Ok(())
}

/// The labels of a logarithmic axis: 1, 2 and 5 times the powers of ten, or the powers alone over many decades. The
/// library labels only powers of ten, so a short range may get no label.
fn decades(range: &Range<f64>) -> Vec<f64> {
    let exponents = [range.start.log10().floor(), range.end.log10().ceil()].map(|e| e as i32);
    let steps: &[f64] =
        if (range.end / range.start).log10() < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let powers = (exponents[0]..=exponents[1]).map(|exponent| 10_f64.powi(exponent));
    let points = powers.flat_map(|power| steps.iter().map(move |step| step * power));
    points.filter(|point| range.contains(point)).collect()
}

/// A label without trailing zeroes.
fn tick(value: f64) -> String {
    let text = short(value);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::sample::sample;
    use crate::papers::table;

    #[test]
    fn every_figure_is_drawn_in_the_colour_of_the_text() {
        let tables = table::all().unwrap();
        let report = sample(&tables);
        let mut figures = 0;
        for part in report.tables.iter().flat_map(|table| &table.parts) {
            let lines = lines(part);
            assert_eq!(lines.is_empty(), !part.part.figure, "{}", part.part.title);
            if !lines.is_empty() {
                let svg = svg(part, &lines).unwrap();
                assert!(svg.starts_with("<svg role=\"img\"") && svg.trim_end().ends_with("</svg>"));
                assert!(
                    svg.contains("viewBox") && !svg.contains("#000000") && !svg.contains("NaN")
                );
                figures += 1;
            }
        }
        assert!(figures > 10);
    }

    #[test]
    fn every_axis_has_labels() {
        assert_eq!(decades(&(13.0..60.0)), [20.0, 50.0]);
        assert_eq!(decades(&(0.04..3.0)), [0.05, 0.1, 0.2, 0.5, 1.0, 2.0]);
        assert_eq!(decades(&(0.04..90.0)), [0.1, 1.0, 10.0]);
    }

    #[test]
    fn ticks_are_short() {
        assert_eq!([0.1, 0.025, 2.0, 20.0, 1500.0].map(tick), ["0.1", "0.025", "2", "20", "1500"]);
    }
}
