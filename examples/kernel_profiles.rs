//! Draws the profiles of the ready kernels: one small picture in `docs/kernels/` for each, as they stand in their documentation.
//!
//! ```text
//! cargo run --example kernel_profiles
//! ```

use keops::{Error, kernels};
use std::fmt::Write;
use std::path::Path;

/// Size of a picture, and of the frame in it.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 200.0;
const MARGIN: f64 = 34.0;

/// Points along a curve.
const POINTS: usize = 121;

/// Colours that can be told from each other on light and dark ground, also by those who see fewer of them.
const COLOURS: [&str; 3] = ["#1f77b4", "#e07b00", "#2ca02c"];

/// A curve: its label, and the kernel's values along x, with y = 1 for kernels of ⟨x, y⟩ and y = 0 for all others.
struct Curve {
    label: &'static str,
    values: Vec<f64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/kernels");
    for (name, horizontal, curves) in pictures()? {
        let path = folder.join(name).with_extension("svg");
        std::fs::write(&path, picture(name, horizontal, &curves))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// x from −3 to 3.
fn abscissae() -> Vec<f64> {
    (0..POINTS).map(|k| -3.0 + 6.0 * k as f64 / (POINTS - 1) as f64).collect()
}

/// Name, label of the horizontal axis and curves of a picture.
type Picture = (&'static str, &'static str, Vec<Curve>);

fn pictures() -> Result<Vec<Picture>, Error> {
    let x = abscissae();
    let (origin, one, weight) = ([[0.0]], [[1.0]], [[1.0]]);
    // Kernels of x − y with one parameter, for three values of it.
    macro_rules! scales {
        ($kernel:ident, $($label:literal = $value:literal),*) => {
            vec![$(Curve {
                label: $label,
                values: kernels::$kernel(&x, &origin, &weight, &$value).run()?.into_raw_vec_and_offset().0,
            }),*]
        };
    }
    macro_rules! curve {
        ($label:literal, $kernel:ident, $y:expr $(, $value:literal)*) => {
            Curve {
                label: $label,
                values: kernels::$kernel(&x, &$y, &weight $(, &$value)*).run()?.into_raw_vec_and_offset().0,
            }
        };
    }
    Ok(vec![
        ("gaussian", "x − y", scales!(gaussian, "ℓ = 0.5" = 0.5, "ℓ = 1" = 1.0, "ℓ = 2" = 2.0)),
        (
            "gaussian_ard",
            "x − y along one dimension",
            scales!(gaussian_ard, "ℓ_d = 0.5" = 0.5, "ℓ_d = 1" = 1.0, "ℓ_d = 2" = 2.0),
        ),
        ("laplacian", "x − y", scales!(laplacian, "ℓ = 0.5" = 0.5, "ℓ = 1" = 1.0, "ℓ = 2" = 2.0)),
        ("matern32", "x − y", scales!(matern32, "ℓ = 0.5" = 0.5, "ℓ = 1" = 1.0, "ℓ = 2" = 2.0)),
        ("matern52", "x − y", scales!(matern52, "ℓ = 0.5" = 0.5, "ℓ = 1" = 1.0, "ℓ = 2" = 2.0)),
        ("cauchy", "x − y", scales!(cauchy, "ℓ = 0.5" = 0.5, "ℓ = 1" = 1.0, "ℓ = 2" = 2.0)),
        ("inverse_multiquadric", "x − y", scales!(inverse_multiquadric, "c = 0.5" = 0.5, "c = 1" = 1.0, "c = 2" = 2.0)),
        (
            "rational_quadratic",
            "x − y",
            vec![
                curve!("α = 0.25, ℓ = 1", rational_quadratic, origin, 1.0, 0.25),
                curve!("α = 1", rational_quadratic, origin, 1.0, 1.0),
                curve!("α = 16", rational_quadratic, origin, 1.0, 16.0),
            ],
        ),
        (
            "periodic",
            "x − y",
            vec![
                curve!("ℓ = 0.5, p = 2", periodic, origin, 2.0, 0.5),
                curve!("ℓ = 1", periodic, origin, 2.0, 1.0),
                curve!("ℓ = 2", periodic, origin, 2.0, 2.0),
            ],
        ),
        ("linear", "⟨x, y⟩", vec![curve!("", linear, one)]),
        (
            "polynomial2",
            "⟨x, y⟩",
            vec![curve!("s = 1, c = 0", polynomial2, one, 1.0, 0.0), curve!("c = 1", polynomial2, one, 1.0, 1.0)],
        ),
        (
            "polynomial3",
            "⟨x, y⟩",
            vec![curve!("s = 1, c = 0", polynomial3, one, 1.0, 0.0), curve!("c = 1", polynomial3, one, 1.0, 1.0)],
        ),
        (
            "polynomial4",
            "⟨x, y⟩",
            vec![curve!("s = 1, c = 0", polynomial4, one, 1.0, 0.0), curve!("c = 1", polynomial4, one, 1.0, 1.0)],
        ),
        ("energy_distance", "x − y", vec![curve!("", energy_distance, origin)]),
        ("thin_plate", "x − y", vec![curve!("", thin_plate, origin)]),
    ])
}

/// A picture whose lines and letters take the colour of the text around it.
fn picture(name: &str, horizontal: &str, curves: &[Curve]) -> String {
    let all = || curves.iter().flat_map(|c| c.values.iter().copied());
    let (low, high) = (all().fold(0.0, f64::min), all().fold(0.0, f64::max));
    let (left, right, top, bottom) = (MARGIN, WIDTH - 10.0, 10.0, HEIGHT - MARGIN);
    let across = |x: f64| left + (x + 3.0) / 6.0 * (right - left);
    let down = |value: f64| bottom - (value - low) / (high - low) * (bottom - top);
    let mut svg = String::new();
    // Writing to a string cannot fail, and there must be no empty line: it would end the picture in Markdown.
    let mut line = |text: String| {
        let _ = writeln!(svg, "{text}");
    };
    line(format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="Profile of the kernel {name}" font-family="sans-serif" font-size="11" fill="currentColor">"#
    ));
    line(format!(
        r#"<path d="M{left} {top}V{bottom}H{right}M{left} {:.1}H{right}" fill="none" stroke="currentColor" stroke-opacity="0.4"/>"#,
        down(0.0)
    ));
    for x in [-3, -2, -1, 0, 1, 2, 3] {
        line(format!(
            r#"<text x="{:.1}" y="{}" text-anchor="middle">{}</text>"#,
            across(f64::from(x)),
            bottom + 14.0,
            signed(f64::from(x))
        ));
    }
    let middle = (left + right) / 2.0;
    line(format!(r#"<text x="{middle:.1}" y="{}" text-anchor="middle">{horizontal}</text>"#, HEIGHT - 6.0));
    for value in if low < 0.0 && high > 0.0 { vec![low, 0.0, high] } else { vec![low, high] } {
        line(format!(
            r#"<text x="{}" y="{:.1}" text-anchor="end">{}</text>"#,
            left - 4.0,
            down(value) + 4.0,
            signed(value)
        ));
    }
    for (k, (curve, colour)) in curves.iter().zip(COLOURS).enumerate() {
        let points: Vec<String> = abscissae()
            .iter()
            .zip(&curve.values)
            .map(|(x, value)| format!("{:.1},{:.1}", across(*x), down(*value)))
            .collect();
        line(format!(r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="1.6"/>"#, points.join(" ")));
        if !curve.label.is_empty() {
            line(format!(
                r#"<text x="{}" y="{}" fill="{colour}">{}</text>"#,
                left + 8.0,
                top + 12.0 + 15.0 * k as f64,
                curve.label
            ));
        }
    }
    line("</svg>".to_string());
    svg
}

/// A number without needless digits, with a real minus sign.
fn signed(value: f64) -> String {
    let digits = if value.fract() == 0.0 { 0 } else { 1 };
    format!("{value:.digits$}").replace('-', "−")
}
