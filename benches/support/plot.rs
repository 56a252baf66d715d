//! Plots as hand-written SVG. Both axes are logarithmic.

use serde_json::{Value, json};
use std::fmt::Write as _;

/// Axes and curves.
#[derive(Debug, Clone)]
pub struct Plot {
    /// The file's name without `.svg`, which identifies the plot.
    pub file: String,
    pub title: String,
    /// The label of the x axis, with its unit; powers of two are marked.
    pub x: String,
    /// The label of the y axis, with its unit; powers of ten are marked.
    pub y: String,
    /// The curves: their names and points.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
}

fn plot(file: &str, title: &str, x: &str, y: &str) -> Plot {
    Plot { file: file.into(), title: title.into(), x: x.into(), y: y.into(), curves: Vec::new() }
}

/// Decode speed against list length.
pub fn decode_by_length() -> Plot {
    let title = "Decoding, gaps of mean 8: speed against list length";
    plot("decode-by-length", title, "n, docIDs in the list", "10⁹ docIDs/s")
}

/// Decode speed against the mean gap 2^b.
pub fn decode_by_gap() -> Plot {
    let title = "Decoding: speed against the mean gap 2^b";
    plot("decode-by-b", title, "mean gap (b = its logarithm, about)", "10⁹ docIDs/s")
}

/// Intersection time against length ratio.
pub fn intersect_by_ratio() -> Plot {
    let title = "Intersection of two lists: time against length ratio";
    plot("intersect-by-ratio", title, "length of the longer list / length of the shorter", "milliseconds")
}

/// Whole calls, CPU and device.
pub fn end_to_end() -> Plot {
    let title = "Decoding end to end: time against list length";
    plot("end-to-end", title, "n, docIDs in the list", "milliseconds")
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 250.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 58.0;
/// Colours after Okabe and Ito, which colour-blind readers can tell apart.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#888800"];

impl Plot {
    pub fn to_json(&self) -> Value {
        let curves: Vec<Value> =
            self.curves.iter().map(|(name, points)| json!({ "name": name, "points": points })).collect();
        json!({ "file": self.file, "title": self.title, "x": self.x, "y": self.y, "curves": curves })
    }

    pub fn from_json(value: &Value) -> Option<Plot> {
        let text = |key: &str| value[key].as_str();
        let mut read = plot(text("file")?, text("title")?, text("x")?, text("y")?);
        for curve in value["curves"].as_array()? {
            let point = |pair: &Value| Some((pair[0].as_f64()?, pair[1].as_f64()?));
            let points = curve["points"].as_array()?.iter().filter_map(point).collect();
            read.curves.push((curve["name"].as_str()?.to_owned(), points));
        }
        Some(read)
    }

    /// The SVG text; `None` if there are no points.
    pub fn svg(&self) -> Option<String> {
        let usable = |&&(x, y): &&(f64, f64)| x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite();
        let points: Vec<(f64, f64)> =
            self.curves.iter().flat_map(|(_, points)| points).filter(usable).copied().collect();
        let bounds = |pick: fn(&(f64, f64)) -> f64, log: fn(f64) -> f64| {
            let logs = || points.iter().map(pick).map(log);
            let (low, high) = (logs().fold(f64::INFINITY, f64::min), logs().fold(f64::NEG_INFINITY, f64::max));
            (low.floor(), high.ceil().max(low.floor() + 1.0))
        };
        points.first()?;
        let (x_low, x_high) = bounds(|point| point.0, f64::log2);
        let (y_low, y_high) = bounds(|point| point.1, f64::log10);
        let across = |x: f64| LEFT + (x.log2() - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT);
        let up = |y: f64| HEIGHT - BOTTOM - (y.log10() - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"26\" font-size=\"16\">{}</text>\n",
            escape(&self.title)
        );
        self.axes(&mut svg, (x_low, x_high), (y_low, y_high), &across, &up);
        for (index, (name, points)) in self.curves.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let dashes = if index < COLOURS.len() { "none" } else { "6 3" };
            let mut sorted: Vec<(f64, f64)> = points.iter().filter(usable).copied().collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut path = String::new();
            for (x, y) in &sorted {
                let _ = write!(path, "{:.1},{:.1} ", across(*x), up(*y));
                let _ =
                    writeln!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>", across(*x), up(*y));
            }
            let line = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"");
            let _ = writeln!(svg, "<polyline {line} points=\"{}\"/>", path.trim_end());
            let (x, y) = (WIDTH - RIGHT + 16.0, TOP + 12.0 + 20.0 * index as f64);
            let _ = writeln!(svg, "<polyline {line} points=\"{x},{y} {},{y}\"/>", x + 22.0);
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">{}</text>", x + 28.0, y + 4.0, escape(name));
        }
        svg.push_str("</svg>\n");
        Some(svg)
    }

    fn axes(
        &self,
        svg: &mut String,
        (x_low, x_high): (f64, f64),
        (y_low, y_high): (f64, f64),
        across: &dyn Fn(f64) -> f64,
        up: &dyn Fn(f64) -> f64,
    ) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let grid = "stroke=\"#dddddd\"";
        let power = |base: u32, exponent: i32| -> String {
            let superscript = |digit: char| match digit {
                '-' => '⁻',
                '1' => '¹',
                '2' => '²',
                '3' => '³',
                _ => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
            };
            base.to_string() + &exponent.to_string().chars().map(superscript).collect::<String>()
        };
        let step = if x_high - x_low > 12.0 { 2 } else { 1 };
        for exponent in (x_low as i32..=x_high as i32).step_by(step) {
            let x = across(f64::from(exponent).exp2());
            let _ = writeln!(svg, "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" {grid}/>");
            let label = power(2, exponent);
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" font-size=\"13\">{label}</text>",
                bottom + 18.0
            );
        }
        for exponent in y_low as i32..=y_high as i32 {
            let y = up(10f64.powi(exponent));
            let _ = writeln!(svg, "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" {grid}/>");
            let label = power(10, exponent);
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", LEFT - 8.0, y + 4.0);
            for minor in (2..10).filter(|_| exponent < y_high as i32) {
                let y = up(f64::from(minor) * 10f64.powi(exponent));
                let _ = writeln!(
                    svg,
                    "<line x1=\"{}\" y1=\"{y:.1}\" x2=\"{LEFT}\" y2=\"{y:.1}\" stroke=\"black\"/>",
                    LEFT - 4.0
                );
            }
        }
        let _ = writeln!(
            svg,
            "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\"/>",
            right - LEFT,
            bottom - TOP
        );
        let middle = (TOP + bottom) / 2.0;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(20 {middle}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 14.0,
            escape(&self.x),
            escape(&self.y)
        );
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
