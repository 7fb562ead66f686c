//! Numbers in registers.

/// A number as a register holds it: its bits, zeros above them.
pub(crate) trait Value: Copy + 'static {
    fn read(register: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! values {
    ($($ty:ident: |$register:ident| $read:expr, |$value:ident| $bits:expr;)*) => {$(
        impl Value for $ty {
            fn read($register: u64) -> Self { $read }
            fn bits(self) -> u64 { let $value = self; $bits }
        }
    )*};
}

values! {
    bool: |r| r & 1 != 0, |v| v.into();
    u16: |r| r as u16, |v| v.into();
    u32: |r| r as u32, |v| v.into();
    u64: |r| r, |v| v;
    u128: |r| r.into(), |v| v as u64;
    i16: |r| r as i16, |v| (v as u16).into();
    i32: |r| r as i32, |v| (v as u32).into();
    i64: |r| r as i64, |v| v as u64;
    i128: |r| (r as i64).into(), |v| v as u64;
    f32: |r| f32::from_bits(r as u32), |v| v.to_bits().into();
    f64: |r| f64::from_bits(r), |v| v.to_bits();
}
