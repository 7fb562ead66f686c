//! Instructions with known answers. Expected values come from the PTX manual's definitions, worked by hand, or from
//! the host's correctly rounded arithmetic.

mod support;

use support::{Gpu, put};

/// Each case: statements that leave a value in the named register, its type, the bits expected.
fn check(cases: &[(&str, &str, &str, u64)]) {
    let gpu = Gpu::new();
    let body: String = cases
        .iter()
        .enumerate()
        .map(|(k, (code, register, ty, _))| format!("{code}\n{}", put(k, ty, register)))
        .collect();
    let found = gpu.body(&body, 1, cases.len()).unwrap_or_else(|code| panic!("{code}: {}", gpu.last_log()));
    for ((code, _, _, expected), found) in cases.iter().zip(found) {
        assert_eq!(found, *expected, "{code}: {found:#x} instead of {expected:#x}");
    }
}

fn single(value: f32) -> u64 {
    value.to_bits().into()
}

#[test]
fn integers() {
    check(&[
        ("add.s32 %r1, -5, 3;", "%r1", "b32", 0xffff_fffe),
        ("add.sat.s32 %r1, 2147483647, 3;", "%r1", "b32", 0x7fff_ffff),
        ("sub.s64 %d1, 3, 5;", "%d1", "b64", u64::MAX - 1),
        ("sub.u16 %h1, 3, 5; cvt.u32.u16 %r1, %h1;", "%r1", "b32", 0xfffe),
        ("mul.lo.s32 %r1, 65537, 65537;", "%r1", "b32", 0x2_0001),
        ("mul.hi.u32 %r1, 0xffffffff, 0xffffffff;", "%r1", "b32", 0xffff_fffe),
        ("mul.hi.s32 %r1, -1, 5;", "%r1", "b32", 0xffff_ffff),
        ("mul.hi.u64 %d1, 0x8000000000000000, 6;", "%d1", "b64", 3),
        ("mul.wide.s32 %d1, -3, 7;", "%d1", "b64", -21i64 as u64),
        ("mul.wide.u32 %d1, 0xffffffff, 2;", "%d1", "b64", 0x1_ffff_fffe),
        ("mul.wide.u16 %r1, 0xffff, 0xffff;", "%r1", "b32", 0xfffe_0001),
        ("mad.lo.s32 %r1, 7, 6, -2;", "%r1", "b32", 40),
        ("mad.lo.s64 %d1, 1099511627776, 3, 1;", "%d1", "b64", 3 << 40 | 1),
        ("mov.u64 %d2, 1000; mad.wide.s32 %d1, -3, 7, %d2;", "%d1", "b64", 979),
        ("mad.hi.u32 %r1, 0x80000000, 6, 4;", "%r1", "b32", 7),
        ("div.s32 %r1, -7, 2;", "%r1", "b32", -3i32 as u32 as u64),
        ("rem.s32 %r1, -7, 2;", "%r1", "b32", -1i32 as u32 as u64),
        ("div.u32 %r1, 0xfffffff9, 2;", "%r1", "b32", 0x7fff_fffc),
        ("rem.u64 %d1, 100, 7;", "%d1", "b64", 2),
        ("add.cc.s64 %d1, 0xffffffffffffffff, 2; addc.s64 %d1, 5, 6;", "%d1", "b64", 12),
        ("add.cc.s64 %d1, -1, 0; addc.cc.s64 %d2, -1, 0; addc.s64 %d1, 3, 4;", "%d1", "b64", 7),
        ("add.cc.u32 %r1, 0x80000000, 0x80000000; addc.cc.u32 %r1, -1, 0; addc.u32 %r1, 0, 0;", "%r1", "b32", 1),
        ("sub.cc.s64 %d1, 1, 2; subc.s64 %d1, 9, 4;", "%d1", "b64", 4),
        ("min.s32 %r1, -1, 1;", "%r1", "b32", 0xffff_ffff),
        ("min.u32 %r1, -1, 1;", "%r1", "b32", 1),
        ("max.s64 %d1, -1, 1;", "%d1", "b64", 1),
        ("neg.s32 %r1, 5;", "%r1", "b32", 0xffff_fffb),
        ("abs.s64 %d1, -5;", "%d1", "b64", 5),
    ]);
}

#[test]
fn bits() {
    check(&[
        ("and.b32 %r1, 0xf0f0, 0xff00;", "%r1", "b32", 0xf000),
        ("or.b64 %d1, 1, 0x100000000;", "%d1", "b64", 0x1_0000_0001),
        ("xor.b32 %r1, 0xff, 0x0f;", "%r1", "b32", 0xf0),
        ("not.b32 %r1, 1;", "%r1", "b32", 0xffff_fffe),
        ("shl.b32 %r1, 1, 31;", "%r1", "b32", 0x8000_0000),
        ("shl.b32 %r1, 1, 32;", "%r1", "b32", 0),
        ("shr.s32 %r1, 0x80000000, 40;", "%r1", "b32", 0xffff_ffff),
        ("shr.u64 %d1, 0x8000000000000000, 63;", "%d1", "b64", 1),
        ("shf.l.wrap.b32 %r1, 0x80000000, 1, 33;", "%r1", "b32", 3),
        ("popc.b64 %r1, 0xf0f0000000000001;", "%r1", "b32", 9),
        ("clz.b32 %r1, 1;", "%r1", "b32", 31),
        ("clz.b64 %r1, 0;", "%r1", "b32", 64),
        ("brev.b32 %r1, 1;", "%r1", "b32", 0x8000_0000),
        ("bfe.u32 %r1, 0xabcd, 4, 8;", "%r1", "b32", 0xbc),
        ("bfe.s32 %r1, 0xabcd, 4, 8;", "%r1", "b32", 0xffff_ffbc),
        ("mov.b64 %d1, {1, 2};", "%d1", "b64", 0x2_0000_0001),
        ("mov.b64 {%r1, %r2}, 0x300000004;", "%r2", "b32", 3),
        ("mov.b32 {%h1, _}, 0x12345678; cvt.u32.u16 %r1, %h1;", "%r1", "b32", 0x5678),
    ]);
}

#[test]
fn floats() {
    check(&[
        ("add.rn.f32 %f1, 0f3F800000, 0f33800000;", "%f1", "f32", single(1.0)),
        ("mul.f32 %f1, 0f3DCCCCCD, 0f40400000;", "%f1", "f32", single(0.1f32 * 3.0)),
        ("mul.ftz.f32 %f1, 0f00800000, 0f3F000000;", "%f1", "f32", 0),
        ("mul.f32 %f1, 0f00800000, 0f3F000000;", "%f1", "f32", 0x0040_0000),
        ("fma.rn.f32 %f1, 0f3F800001, 0f3F800001, 0fBF800002;", "%f1", "f32", single(f32::EPSILON * f32::EPSILON)),
        ("div.rn.f32 %f1, 0f3F800000, 0f40400000;", "%f1", "f32", single(1.0 / 3.0)),
        ("div.approx.ftz.f32 %f1, 0f3F800000, 0f40400000;", "%f1", "f32", single(1.0 / 3.0)),
        ("rcp.approx.ftz.f32 %f1, 0f40400000;", "%f1", "f32", single(1.0 / 3.0)),
        ("sqrt.rn.f32 %f1, 0f40000000;", "%f1", "f32", single(std::f32::consts::SQRT_2)),
        ("rsqrt.approx.f32 %f1, 0f40800000;", "%f1", "f32", single(0.5)),
        ("ex2.approx.ftz.f32 %f1, 0f3F000000;", "%f1", "f32", single(std::f32::consts::SQRT_2)),
        ("lg2.approx.f32 %f1, 0f41200000;", "%f1", "f32", single(std::f32::consts::LOG2_10)),
        ("sin.approx.f32 %f1, 0f3F800000;", "%f1", "f32", single(0.841_470_96)),
        ("cos.approx.f32 %f1, 0f3F800000;", "%f1", "f32", single(0.540_302_3)),
        ("tanh.approx.f32 %f1, 0f3F800000;", "%f1", "f32", single(0.761_594_2)),
        ("min.f32 %f1, 0f7FC00000, 0f40000000;", "%f1", "f32", single(2.0)),
        ("min.NaN.f32 %f1, 0f7FC00000, 0f40000000;", "%f1", "f32", 0x7fff_ffff),
        ("min.f32 %f1, 0f00000000, 0f80000000;", "%f1", "f32", 0x8000_0000),
        ("max.f32 %f1, 0f80000000, 0f00000000;", "%f1", "f32", 0),
        ("max.f32 %f1, 0fC0000000, 0f40000000;", "%f1", "f32", single(2.0)),
        ("neg.f32 %f1, 0f00000000;", "%f1", "f32", 0x8000_0000),
        ("copysign.f32 %f1, 0fBF800000, 0f40000000;", "%f1", "f32", single(-2.0)),
        ("fma.rn.f64 %g1, 0d4000000000000000, 0d4008000000000000, 0d3FF0000000000000;", "%g1", "f64", 7f64.to_bits()),
        ("div.rn.f64 %g1, 0d3FF0000000000000, 0d4008000000000000;", "%g1", "f64", (1.0f64 / 3.0).to_bits()),
        ("sqrt.rn.f64 %g1, 0d4000000000000000;", "%g1", "f64", std::f64::consts::SQRT_2.to_bits()),
        ("max.f64 %g1, 0d7FF8000000000000, 0dC000000000000000;", "%g1", "f64", (-2f64).to_bits()),
        ("abs.f64 %g1, 0dC000000000000000;", "%g1", "f64", 2f64.to_bits()),
    ]);
}

#[test]
fn conversions() {
    check(&[
        ("cvt.rn.f32.u32 %f1, 0x01000001;", "%f1", "f32", single(16_777_216.0)),
        ("cvt.rn.f64.u64 %g1, 0xffffffffffffffff;", "%g1", "f64", 18_446_744_073_709_551_616f64.to_bits()),
        ("cvt.rzi.s32.f32 %r1, 0fC0300000;", "%r1", "b32", -2i32 as u32 as u64),
        ("cvt.rni.s32.f32 %r1, 0f40200000;", "%r1", "b32", 2),
        ("cvt.rmi.s32.f32 %r1, 0fC0200000;", "%r1", "b32", -3i32 as u32 as u64),
        ("cvt.rpi.s32.f32 %r1, 0f40200000;", "%r1", "b32", 3),
        ("cvt.rzi.s32.f32 %r1, 0f7FC00000;", "%r1", "b32", 0),
        ("cvt.rzi.s32.f32 %r1, 0f7F800000;", "%r1", "b32", 0x7fff_ffff),
        ("cvt.rzi.u32.f32 %r1, 0fC0000000;", "%r1", "b32", 0),
        ("cvt.rn.f32.f64 %f1, 0d3FF0000010000001;", "%f1", "f32", single(1.0 + f32::EPSILON)),
        ("cvt.f64.f32 %g1, 0f3DCCCCCD;", "%g1", "f64", f64::from(0.1f32).to_bits()),
        ("cvt.rni.f32.f32 %f1, 0f40200000;", "%f1", "f32", single(2.0)),
        ("cvt.s64.s32 %d1, -2;", "%d1", "b64", u64::MAX - 1),
        ("cvt.u64.u32 %d1, -2;", "%d1", "b64", 0xffff_fffe),
        ("cvt.s32.s8 %r1, 0xff;", "%r1", "b32", 0xffff_ffff),
    ]);
}

#[test]
fn comparisons() {
    // Relations of 1 and 2, of 2 and 2, of NaN and 2, as the manual's tables have them.
    for (name, less, equal, nan) in [
        ("eq", 0, 1, 0),
        ("ne", 1, 0, 0),
        ("lt", 1, 0, 0),
        ("le", 1, 1, 0),
        ("gt", 0, 0, 0),
        ("ge", 0, 1, 0),
        ("equ", 0, 1, 1),
        ("neu", 1, 0, 1),
        ("ltu", 1, 0, 1),
        ("leu", 1, 1, 1),
        ("gtu", 0, 0, 1),
        ("geu", 0, 1, 1),
        ("num", 1, 1, 0),
        ("nan", 0, 0, 1),
    ] {
        let one = |a: &str| format!("setp.{name}.f32 %p1, {a}, 0f40000000; selp.b32 %r1, 1, 0, %p1;");
        check(&[
            (&one("0f3F800000"), "%r1", "b32", less),
            (&one("0f40000000"), "%r1", "b32", equal),
            (&one("0f7FC00000"), "%r1", "b32", nan),
        ]);
    }
    check(&[
        ("setp.lt.s32 %p1, -1, 1; selp.b32 %r1, 1, 0, %p1;", "%r1", "b32", 1),
        ("mov.pred %p1, 1; not.pred %p2, %p1; xor.pred %p3, %p1, %p2; selp.b32 %r1, 5, 6, %p3;", "%r1", "b32", 5),
    ]);
}
