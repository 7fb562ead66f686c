//! Numbers in registers.

/// A number as a register holds it: its bits, zeros above them.
pub(crate) trait Value: Copy + 'static {
    fn read(register: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! integer_values {
    ($($int:ident as $unsigned:ident),*) => {$(
        impl Value for $int {
            fn read(register: u64) -> Self {
                register as $int
            }

            fn bits(self) -> u64 {
                self as $unsigned as u64
            }
        }
    )*};
}

integer_values!(u16 as u16, u32 as u32, u64 as u64, u128 as u128, i16 as u16, i32 as u32, i64 as u64, i128 as u128);

impl Value for bool {
    fn read(register: u64) -> Self {
        register & 1 != 0
    }

    fn bits(self) -> u64 {
        self.into()
    }
}

impl Value for f32 {
    fn read(register: u64) -> Self {
        Self::from_bits(register as u32)
    }

    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Value for f64 {
    fn read(register: u64) -> Self {
        Self::from_bits(register)
    }

    fn bits(self) -> u64 {
        self.to_bits()
    }
}
