//! The density as a coloured map with axes, a colour bar and a few cities.

use crate::grid::Grid;
use crate::projection::ORIGIN;
use colorous::INFERNO;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

/// A named point.
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) at: [f64; 2],
}

/// Decimal logarithms of the densities (postal codes per 1000 km²) between which colours change.
const LOWEST: f64 = -1.0;
const HIGHEST: f64 = 2.0;

/// Pixels of the map, and of what is around it: left, right, top, bottom.
const MAP: (u32, u32) = (1200, 800);
const MARGINS: [u32; 4] = [100, 150, 60, 80];
const SIZE: (u32, u32) = (MARGINS[0] + MAP.0 + MARGINS[1], MARGINS[2] + MAP.1 + MARGINS[3]);

/// Pixels between the outermost text and the edge of the picture.
const EDGE: u32 = 16;

const FONT: &str = "sans-serif";

type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

/// Draws `values`, densities per km² at the points of `grid`.
pub(crate) fn draw(file: &str, grid: &Grid, values: &[[f32; 1]], places: &[Place]) -> Result<(), Box<dyn Error>> {
    register_font(FONT, FontStyle::Normal, dejavu::sans::regular()).map_err(|_| "the font cannot be read")?;
    let root = BitMapBackend::new(file, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let title = text(28, &BLACK).pos(Pos::new(HPos::Center, VPos::Center));
    let above = ((MARGINS[0] + MAP.0 / 2) as i32, MARGINS[2] as i32 / 2);
    root.draw(&Text::new("Density of postal codes in the contiguous United States", above, title))?;
    map(&root, grid, values, places)?;
    colour_bar(&root)?;
    root.present()?;
    Ok(())
}

fn text<'a>(size: u32, colour: &'a RGBColor) -> TextStyle<'a> {
    (FONT, size).into_font().color(colour)
}

fn map(area: &Area<'_>, grid: &Grid, values: &[[f32; 1]], places: &[Place]) -> Result<(), Box<dyn Error>> {
    let [left, right, top, bottom] = MARGINS;
    let mut chart = ChartBuilder::on(area)
        .margin_top(top)
        .margin_right(right)
        .margin_bottom(EDGE)
        .margin_left(EDGE)
        .x_label_area_size(bottom - EDGE)
        .y_label_area_size(left - EDGE)
        .build_cartesian_2d(grid.east.clone(), grid.north.clone())?;
    chart.draw_series(BitMapElement::with_owned_buffer(
        (grid.east.start, grid.north.end),
        MAP,
        picture(grid, values),
    ))?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc(format!("km east of {}° W", -ORIGIN.1))
        .y_desc(format!("km north of {}° N", ORIGIN.0))
        .x_label_formatter(&|km| format!("{km:.0}"))
        .y_label_formatter(&|km| format!("{km:.0}"))
        .label_style(text(17, &BLACK))
        .axis_desc_style(text(19, &BLACK))
        .draw()?;
    let style = text(17, &WHITE).pos(Pos::new(HPos::Left, VPos::Center));
    for place in places {
        let at = (place.at[0], place.at[1]);
        chart.draw_series([EmptyElement::at(at)
            + Circle::new((0, 0), 4, WHITE.stroke_width(2))
            + Text::new(place.name, (9, 0), style.clone())])?;
    }
    Ok(())
}

/// The colour of a density whose logarithm is given.
fn colour(log: f64) -> [u8; 3] {
    let c = INFERNO.eval_continuous(((log - LOWEST) / (HIGHEST - LOWEST)).clamp(0.0, 1.0));
    [c.r, c.g, c.b]
}

/// Pixels from the north-west, interpolated between grid points.
fn picture(grid: &Grid, values: &[[f32; 1]]) -> Vec<u8> {
    let log = |r: usize, c: usize| f64::from(values[r * grid.columns + c][0] * 1000.0).max(1e-30).log10();
    // Position of a pixel among `count` grid points: the one before it, and how far it is beyond that.
    let place = |pixel: u32, pixels: u32, count: usize| {
        let at = ((f64::from(pixel) + 0.5) / f64::from(pixels) * count as f64 - 0.5).clamp(0.0, count as f64 - 1.0);
        let before = (at as usize).min(count.saturating_sub(2));
        (before, at - before as f64)
    };
    let (width, height) = MAP;
    let mut pixels = Vec::with_capacity(3 * (width * height) as usize);
    for y in (0..height).rev() {
        let (r, up) = place(y, height, grid.rows);
        for x in 0..width {
            let (c, right) = place(x, width, grid.columns);
            let low = log(r, c) * (1.0 - right) + log(r, c + 1) * right;
            let high = log(r + 1, c) * (1.0 - right) + log(r + 1, c + 1) * right;
            pixels.extend(colour(low * (1.0 - up) + high * up));
        }
    }
    pixels
}

fn colour_bar(area: &Area<'_>) -> Result<(), Box<dyn Error>> {
    let (top, left) = (MARGINS[2] as i32, (MARGINS[0] + MAP.0 + 24) as i32);
    let (bottom, right) = (top + MAP.1 as i32, left + 26);
    for y in top..bottom {
        let log = LOWEST + (HIGHEST - LOWEST) * f64::from(bottom - 1 - y) / f64::from(bottom - 1 - top);
        let [r, g, b] = colour(log);
        area.draw(&Rectangle::new([(left, y), (right, y + 1)], RGBColor(r, g, b).filled()))?;
    }
    area.draw(&Rectangle::new([(left, top), (right, bottom)], BLACK))?;
    let label = text(17, &BLACK).pos(Pos::new(HPos::Left, VPos::Center));
    for decade in LOWEST as i32..=HIGHEST as i32 {
        let y = bottom - (f64::from(bottom - top) * (f64::from(decade) - LOWEST) / (HIGHEST - LOWEST)) as i32;
        area.draw(&PathElement::new([(right, y), (right + 6, y)], BLACK))?;
        area.draw(&Text::new(10f64.powi(decade).to_string(), (right + 10, y), label.clone()))?;
    }
    let title = (FONT, 19).into_font().transform(FontTransform::Rotate270).color(&BLACK);
    let title = title.pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new("postal codes per 1000 km²", (right + 66, (top + bottom) / 2), title))?;
    Ok(())
}
