//! `2^x` and `e^x`, and the coefficients on which they rest.
//!
//! The polynomials are minimax fits computed with 45-digit arithmetic; coefficients were rounded one after the other, each
//! time refitting the rest. Coefficient `k` belongs to the `k`-th power. The errors stated are those of the rounded
//! polynomial evaluated exactly.

/// `2^r` on [−1/2, 1/2] for `f32`: relative error 9.4e−8 (1.1 ulp), none at 0.
pub(crate) const EXP2_F32: [f64; 6] = [
    1.0,
    0.6931470036506653,
    0.24022246897220612,
    0.0555071085691452,
    0.009671291336417198,
    0.0013269521296024323,
];

/// `2^r` on [0, 1) for `f32`: error 1.0 ulp (absolute 1.2e−7, relative 1.15e−7), none at 0. For reductions by `floor`.
#[allow(dead_code)]
pub(crate) const EXP2_F32_UNIT: [f64; 6] = [
    1.0,
    0.6931524872779846,
    0.24015262722969055,
    0.055836550891399384,
    0.008972542360424995,
    0.0018856787355616689,
];

/// `2^r` on [−1/16, 1/16] for `f32`: relative error 2.6e−8, none at 0. For reductions to eighths, with a table of
/// `2^(k/8)`.
#[allow(dead_code)]
pub(crate) const EXP2_F32_EIGHTH: [f64; 4] = [1.0, 0.6931472420692444, 0.24025751650333405, 0.05548900365829468];

/// `2^r` on [−1/2, 1/2] for `f64`: relative error 4.1e−18 (0.04 ulp), none at 0.
pub(crate) const EXP2_F64: [f64; 12] = [
    1.0,
    0.6931471805599453,
    0.24022650695910108,
    0.05550410866482172,
    0.009618129107601608,
    0.0013333558146546324,
    0.0001540353044903049,
    1.5252733633990254e-05,
    1.3215438839189969e-06,
    1.0178160031053736e-07,
    7.073232448209122e-09,
    4.4388657453966334e-10,
];

/// `2^r` on [−1/32, 1/32] for `f64`: relative error 7.0e−18 (0.06 ulp), none at 0. For reductions to sixteenths, with a
/// table of `2^(k/16)`.
#[allow(dead_code)]
pub(crate) const EXP2_F64_SIXTEENTH: [f64; 7] = [
    1.0,
    0.6931471805599468,
    0.24022650695909906,
    0.05550410865216595,
    0.009618129112231533,
    0.0013333818292809406,
    0.00015403345469192043,
];
