//! Plots as SVG, drawn by the crate `plotters`.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use serde_json::{Value, json};

/// How the values of an axis are spaced and marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Logarithmic, marked at powers of two.
    Log2,
    /// Logarithmic, marked at powers of ten.
    Log10,
    /// Linear, from 0.
    Linear,
}

impl Scale {
    const ALL: [(Scale, &'static str); 3] = [(Scale::Log2, "log2"), (Scale::Log10, "log10"), (Scale::Linear, "linear")];

    fn name(self) -> &'static str {
        Scale::ALL.iter().find(|(scale, _)| *scale == self).map_or("", |(_, name)| name)
    }

    fn from_name(name: &str) -> Option<Scale> {
        Scale::ALL.iter().find(|(_, known)| *known == name).map(|(scale, _)| *scale)
    }

    /// Where a value lies on the axis.
    fn at(self, value: f64) -> f64 {
        match self {
            Scale::Log2 => value.log2(),
            Scale::Log10 => value.log10(),
            Scale::Linear => value,
        }
    }

    fn takes(self, value: f64) -> bool {
        value.is_finite() && (self == Scale::Linear && value >= 0.0 || value > 0.0)
    }

    /// The ends of the axis and the places of its marks, for values between these.
    fn axis(self, low: f64, high: f64) -> Axis {
        if self == Scale::Linear {
            let step = nice_step(high.max(1e-12) / 6.0);
            let high = (high.max(1e-12) / step).ceil() * step;
            let marks = (0..=(high / step).round() as usize).map(|mark| mark as f64 * step).collect();
            return Axis { scale: self, low: 0.0, high, marks };
        }
        let low = self.at(low).floor();
        let high = self.at(high).ceil().max(low + 1.0);
        let step = ((high - low) / 12.0).ceil().max(1.0) as usize;
        let marks = (low as i32..=high as i32).step_by(step).map(f64::from).collect();
        Axis { scale: self, low, high, marks }
    }

    fn label(self, at: f64) -> String {
        match self {
            Scale::Log2 => power(2, at.round() as i32),
            Scale::Log10 => power(10, at.round() as i32),
            Scale::Linear if at == 0.0 => "0".into(),
            Scale::Linear if at.abs() >= 100_000.0 => format!("{:.1e}", at),
            Scale::Linear => format!("{}", (at * 1e6).round() / 1e6),
        }
    }
}

/// An axis with its marks; values are where they lie on it.
#[derive(Debug, Clone)]
struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    marks: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        from + ((value - self.low) / (self.high - self.low) * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.marks.clone()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, at: &f64) -> String {
        self.scale.label(*at)
    }
}

/// 1, 2 or 5 times a power of ten, at least `step`.
fn nice_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|times| times * power).find(|&nice| nice >= step).unwrap_or(10.0 * power)
}

fn power(base: u32, exponent: i32) -> String {
    let superscript = |digit: char| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    base.to_string() + &exponent.to_string().chars().map(superscript).collect::<String>()
}

/// Axes and curves.
#[derive(Debug, Clone)]
pub struct Plot {
    /// The file's name without `.svg`, which identifies the plot.
    pub file: String,
    pub title: String,
    /// The label of the x axis, with its unit.
    pub x: String,
    /// The label of the y axis, with its unit.
    pub y: String,
    pub x_scale: Scale,
    pub y_scale: Scale,
    /// Whether the points of a curve are joined by a line.
    pub lines: bool,
    /// The curves: their names and points.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
}

/// Decode speed against list length.
pub fn decode_by_length() -> Plot {
    let title = "Decoding, gaps of mean 8: speed against list length";
    Plot::new("decode-by-length", title, "n, docIDs in the list", "10⁹ docIDs/s")
}

/// Decode speed against the mean gap 2^b.
pub fn decode_by_gap() -> Plot {
    let title = "Decoding: speed against the mean gap 2^b";
    Plot::new("decode-by-b", title, "mean gap (b = its logarithm, about)", "10⁹ docIDs/s")
}

/// Intersection time against length ratio.
pub fn intersect_by_ratio() -> Plot {
    let title = "Intersection of two lists: time against length ratio";
    Plot::new("intersect-by-ratio", title, "length of the longer list / length of the shorter", "milliseconds")
}

/// Whole calls, CPU and device.
pub fn end_to_end() -> Plot {
    let title = "Decoding end to end: time against list length";
    Plot::new("end-to-end", title, "n, docIDs in the list", "milliseconds")
}

const WIDTH: u32 = 900;
const HEIGHT: u32 = 520;
const LEGEND: u32 = 260;
/// Colours after Okabe and Ito, which colour-blind readers can tell apart.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x00, 0x00, 0x00),
    RGBColor(0x88, 0x88, 0x00),
];

type Failure = Box<dyn std::error::Error>;

impl Plot {
    /// Axes without curves: x in powers of two, y in powers of ten.
    pub fn new(file: &str, title: &str, x: &str, y: &str) -> Plot {
        Plot {
            file: file.into(),
            title: title.into(),
            x: x.into(),
            y: y.into(),
            x_scale: Scale::Log2,
            y_scale: Scale::Log10,
            lines: true,
            curves: Vec::new(),
        }
    }

    /// Changes the scales.
    pub fn scales(mut self, x: Scale, y: Scale) -> Plot {
        (self.x_scale, self.y_scale) = (x, y);
        self
    }

    /// Adds a curve.
    pub fn curve(&mut self, name: impl Into<String>, points: Vec<(f64, f64)>) {
        self.curves.push((name.into(), points));
    }

    pub fn to_json(&self) -> Value {
        let curves: Vec<Value> =
            self.curves.iter().map(|(name, points)| json!({ "name": name, "points": points })).collect();
        json!({
            "file": self.file, "title": self.title, "x": self.x, "y": self.y, "x_scale": self.x_scale.name(),
            "y_scale": self.y_scale.name(), "lines": self.lines, "curves": curves,
        })
    }

    /// Parses the output of `to_json`; scales and lines may be missing.
    pub fn from_json(value: &Value) -> Option<Plot> {
        let text = |key: &str| value[key].as_str();
        let mut read = Plot::new(text("file")?, text("title")?, text("x")?, text("y")?);
        if let Some(scale) = text("x_scale").and_then(Scale::from_name) {
            read.x_scale = scale;
        }
        if let Some(scale) = text("y_scale").and_then(Scale::from_name) {
            read.y_scale = scale;
        }
        read.lines = value["lines"].as_bool().unwrap_or(true);
        for curve in value["curves"].as_array()? {
            let point = |pair: &Value| Some((pair[0].as_f64()?, pair[1].as_f64()?));
            let points = curve["points"].as_array()?.iter().filter_map(point).collect();
            read.curves.push((curve["name"].as_str()?.to_owned(), points));
        }
        Some(read)
    }

    /// The plot as SVG; `None` if it has no points.
    pub fn svg(&self) -> Option<String> {
        let curves: Vec<(&str, Vec<(f64, f64)>)> =
            self.curves.iter().map(|(name, points)| (&**name, self.placed(points))).collect();
        let usable = || {
            let takes = |&&(x, y): &&(f64, f64)| self.x_scale.takes(x) && self.y_scale.takes(y);
            self.curves.iter().flat_map(|(_, points)| points).filter(takes)
        };
        usable().next()?;
        let bounds = |axis: fn(&(f64, f64)) -> f64| {
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            usable().map(axis).fold(ends, |(low, high), value| (low.min(value), high.max(value)))
        };
        let mut svg = String::new();
        let drawn = self.draw(&mut svg, &curves, bounds(|point| point.0), bounds(|point| point.1));
        drawn.expect("drawing to a string does not fail");
        svg.push('\n');
        Some(svg)
    }

    /// The points that the scales take, by x, where they lie on the axes.
    fn placed(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let (x, y) = (self.x_scale, self.y_scale);
        let takes = |point: &&(f64, f64)| x.takes(point.0) && y.takes(point.1);
        let mut placed: Vec<(f64, f64)> =
            points.iter().filter(takes).map(|point| (x.at(point.0), y.at(point.1))).collect();
        placed.sort_by(|a, b| a.0.total_cmp(&b.0));
        placed
    }

    fn draw(
        &self,
        svg: &mut String,
        curves: &[(&str, Vec<(f64, f64)>)],
        x: (f64, f64),
        y: (f64, f64),
    ) -> Result<(), Failure> {
        let height = HEIGHT.max(90 + 20 * curves.len() as u32);
        let root = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let (area, legend) = root.split_horizontally(WIDTH - LEGEND);
        let (x_scale, y_scale) = (self.x_scale, self.y_scale);
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, ("sans-serif", 19))
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(x_scale.axis(x.0, x.1), y_scale.axis(y.0, y.1))?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(0xdd, 0xdd, 0xdd))
            .label_style(("sans-serif", 15))
            .axis_desc_style(("sans-serif", 16))
            .x_desc(&self.x)
            .y_desc(&self.y)
            .draw()?;
        for (index, (_, points)) in curves.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            if self.lines {
                match dash(index) {
                    None => chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?,
                    Some((line, gap)) => {
                        let style = colour.stroke_width(2);
                        chart.draw_series(DashedLineSeries::new(points.iter().copied(), line, gap, style))?
                    }
                };
            }
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
        }
        draw_legend(&legend, curves, self.lines)?;
        root.present()?;
        Ok(())
    }
}

/// The dashes of a curve: each eight curves, which have the eight colours, have others.
fn dash(index: usize) -> Option<(u32, u32)> {
    [None, Some((7, 4)), Some((2, 3)), Some((12, 3))][(index / COLOURS.len()).min(3)]
}

fn draw_legend(
    area: &DrawingArea<SVGBackend, Shift>,
    curves: &[(&str, Vec<(f64, f64)>)],
    lines: bool,
) -> Result<(), Failure> {
    for (index, (name, _)) in curves.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let y = 52 + 20 * index as i32;
        let ends = vec![(4, y), (28, y)];
        match dash(index) {
            _ if !lines => area.draw(&Circle::new((16, y), 4, colour.filled()))?,
            None => area.draw(&PathElement::new(ends, colour.stroke_width(2)))?,
            Some((line, gap)) => area.draw(&DashedPathElement::new(ends, line, gap, colour.stroke_width(2)))?,
        }
        area.draw(&Text::new((*name).to_owned(), (34, y - 6), ("sans-serif", 15)))?;
    }
    Ok(())
}
