//! Positions on the Earth as kilometres on a plane: Albers' equal-area conic projection with the customary parallels for
//! the contiguous United States. Areas are exact, so a density per square kilometre means what it says.

/// Standard parallels, and the origin of the coordinates, in degrees.
const PARALLELS: (f64, f64) = (29.5, 45.5);
pub(crate) const ORIGIN: (f64, f64) = (37.5, -96.0);

/// Radius of the sphere with the surface of the Earth, in kilometres.
const RADIUS: f64 = 6371.007;

/// Kilometres east and north of the origin.
pub(crate) fn albers(latitude: f64, longitude: f64) -> [f64; 2] {
    let sin = |degrees: f64| degrees.to_radians().sin();
    let n = (sin(PARALLELS.0) + sin(PARALLELS.1)) / 2.0;
    let c = PARALLELS.0.to_radians().cos().powi(2) + 2.0 * n * sin(PARALLELS.0);
    let rho = |latitude: f64| RADIUS * (c - 2.0 * n * sin(latitude)).sqrt() / n;
    let theta = n * (longitude - ORIGIN.1).to_radians();
    [rho(latitude) * theta.sin(), rho(ORIGIN.0) - rho(latitude) * theta.cos()]
}
