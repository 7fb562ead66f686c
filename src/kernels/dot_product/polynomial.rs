//! Polynomial kernels, one for each degree: a power with a fixed exponent is multiplied out.

use keops_macros::keops;

macro_rules! polynomial {
    ($name:ident, $degree:literal, $first:literal, $picture:expr) => {
        keops! {
            #[doc = $first]
            ///
            #[doc = $picture]
            ///
            /// For another degree d write `(scale * (x_i | y_j) + offset) ** d` in a formula of your own. The gradients are
            /// d (s ⟨x, y⟩ + c)^(d−1) times the base's; nothing is special at coincident points.
            ///
            /// Source: Rasmussen & Williams, *Gaussian Processes for Machine Learning* (2006), section 4.2.2.
            #[grad(x_i, y_j, b_j, scale, offset)]
            pub fn $name<const D: usize, const E: usize>(
                x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>, scale: Pm<1>, offset: Pm<1>
            ) = Sum_Reduction((scale * (x_i | y_j) + offset) ** $degree * b_j, 0);
        }
    };
}

polynomial!(
    polynomial2,
    2,
    "Polynomial kernel of degree 2: a_i = Σ_j (s ⟨x_i, y_j⟩ + c)² b_j, with s = `scale` and c = `offset`.",
    include_str!("../../../docs/kernels/polynomial2.svg")
);
polynomial!(
    polynomial3,
    3,
    "Polynomial kernel of degree 3: a_i = Σ_j (s ⟨x_i, y_j⟩ + c)³ b_j, with s = `scale` and c = `offset`.",
    include_str!("../../../docs/kernels/polynomial3.svg")
);
polynomial!(
    polynomial4,
    4,
    "Polynomial kernel of degree 4: a_i = Σ_j (s ⟨x_i, y_j⟩ + c)⁴ b_j, with s = `scale` and c = `offset`.",
    include_str!("../../../docs/kernels/polynomial4.svg")
);
