//! Where do the postal codes of the United States lie? A kernel density estimate on a map of 240 000 points, from 41 000
//! positions: some 10¹⁰ pairs, none of which is ever stored.
//!
//! `cargo run --release --example quickstart [FILE.png]`

mod formulas;
mod grid;
mod map;
mod projection;

use formulas::{density, log_density};
use grid::Grid;
use indicatif::{ProgressBar, ProgressStyle};
use map::Place;
use projection::albers;
use std::error::Error;
use std::time::Instant;

/// Kilometres by which each position is blurred.
const BANDWIDTH: f64 = 20.0;

/// Grid rows per step of the progress bar.
const STEP: usize = 10;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/us_zip_latlon.csv");

const CITIES: [(&str, f64, f64); 7] = [
    ("New York", 40.713, -74.006),
    ("Washington", 38.907, -77.037),
    ("Chicago", 41.878, -87.630),
    ("Houston", 29.760, -95.370),
    ("Denver", 39.739, -104.990),
    ("Los Angeles", 34.052, -118.244),
    ("Seattle", 47.606, -122.332),
];

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "quickstart.png".to_string());
    let (codes, elsewhere) = positions()?;
    println!("{} postal codes ({elsewhere} outside the contiguous states left out)", codes.len());

    let grid = Grid { east: -2450.0..2350.0, north: -1580.0..1620.0, columns: 600, rows: 400 };
    let points = grid.points();
    let values = estimate(&points, &codes, &grid)?;
    let cities: Vec<Place> = CITIES.iter().map(|&(name, lat, lon)| Place { name, at: albers(lat, lon) }).collect();
    check_gradients(&cities, &codes)?;

    map::draw(&file, &grid, &values, &cities)?;
    println!("map: {file}");
    if let Some(kib) = peak_memory() {
        println!("peak memory of the process: {:.0} MiB", kib / 1024.0);
    }
    Ok(())
}

/// Points of the map, in kilometres.
type Points = Vec<[f64; 2]>;

/// Positions in the contiguous states, and how many there are elsewhere (the Pacific and the Caribbean, far
/// off the map and beyond what the projection is made for).
fn positions() -> Result<(Points, usize), Box<dyn Error>> {
    let text = std::fs::read_to_string(DATA).map_err(|e| format!("cannot read {DATA}: {e}"))?;
    let (mut inside, mut outside) = (Vec::new(), 0);
    for line in text.lines().skip(1) {
        let (latitude, longitude) = line.split_once(',').ok_or_else(|| format!("not two numbers: `{line}`"))?;
        let (latitude, longitude): (f64, f64) = (latitude.trim().parse()?, longitude.trim().parse()?);
        if (24.0..50.0).contains(&latitude) && (-125.0..-66.0).contains(&longitude) {
            inside.push(albers(latitude, longitude));
        } else {
            outside += 1;
        }
    }
    Ok((inside, outside))
}

/// The density at every point, in single precision.
fn estimate(points: &[[f32; 2]], codes: &[[f64; 2]], grid: &Grid) -> Result<Vec<[f32; 1]>, Box<dyn Error>> {
    let codes: Vec<[f32; 2]> = codes.iter().map(|c| c.map(|v| v as f32)).collect();
    let mut values = vec![[0.0f32]; points.len()];
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}")?;
    let bar = ProgressBar::new(grid.rows as u64).with_style(style).with_message("density");
    let start = Instant::now();
    let block = STEP * grid.columns;
    for (points, values) in points.chunks(block).zip(values.chunks_mut(block)) {
        density(points, &codes, &(BANDWIDTH as f32)).run_into(values)?;
        bar.inc((points.len() / grid.columns) as u64);
    }
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    let pairs = points.len() as f64 * codes.len() as f64;
    println!(
        "{} grid points × {} positions = {pairs:.2e} pairs in {seconds:.2} s: {:.2e} pairs per second, {:.3} ns per pair",
        points.len(),
        codes.len(),
        pairs / seconds,
        1e9 * seconds / pairs,
    );
    Ok(values)
}

/// Compares the gradient of the log-density with central differences, both in double precision.
fn check_gradients(cities: &[Place], codes: &[[f64; 2]]) -> Result<(), Box<dyn Error>> {
    let step = 0.01;
    let points: Vec<[f64; 2]> = cities.iter().map(|city| city.at).collect();
    let seed = vec![1.0; points.len()];
    let gradient = log_density::grad_x_i(&points, codes, &BANDWIDTH, &seed).run()?;
    let value = |axis: usize, by: f64| {
        let moved: Vec<[f64; 2]> =
            points.iter().map(|&p| std::array::from_fn(|d| if d == axis { p[d] + by } else { p[d] })).collect();
        log_density(&moved, codes, &BANDWIDTH).run()
    };
    println!("\ngradient of the log-density, per 100 km   (east, north)      by differences");
    let mut differences = Vec::new();
    for axis in 0..2 {
        differences.push((value(axis, step)? - value(axis, -step)?) / (2.0 * step));
    }
    for (i, city) in cities.iter().enumerate() {
        let found = [gradient[[i, 0]], gradient[[i, 1]]].map(|g| 100.0 * g);
        let expected = [0, 1].map(|axis: usize| 100.0 * differences[axis][[i, 0]]);
        println!("{:38}({:8.5}, {:8.5})  ({:8.5}, {:8.5})", city.name, found[0], found[1], expected[0], expected[1]);
        if found.iter().zip(&expected).any(|(a, b)| (a - b).abs() > 1e-5) {
            return Err(format!("the gradient at {} does not agree with finite differences", city.name).into());
        }
    }
    println!();
    Ok(())
}

/// Peak resident memory in KiB, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
