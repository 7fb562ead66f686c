//! What kernels do wrong is found, named, and breaks the context as on a real device.

mod support;

use support::{Gpu, ILLEGAL_ADDRESS, INVALID_PTX, LAUNCH_FAILED, MISALIGNED, TIMEOUT, put};

#[test]
fn bad_accesses_are_found() {
    let gpu = Gpu::new();
    let cases = [
        ("ld.global.f32 %f1, [%out+512];", ILLEGAL_ADDRESS, "out-of-bounds access: 4 bytes at global"),
        ("st.global.f32 [%out+-4], 0f00000000;", ILLEGAL_ADDRESS, "out-of-bounds"),
        ("ld.global.v2.f32 {%f1, %f2}, [%out+4];", MISALIGNED, "misaligned access: 8 bytes"),
        (".shared .align 4 .b8 s[8]; ld.shared.u32 %r1, [s];", LAUNCH_FAILED, "read of uninitialised memory"),
        (
            ".shared .align 8 .b8 s[16]; st.shared.u32 [s], 1; ld.shared.v2.b32 {%r1, %r2}, [s]; ld.shared.b32 %r1, [s+4];",
            LAUNCH_FAILED,
            "4 bytes at shared address 0x4",
        ),
        (".shared .align 4 .b8 s[8]; st.shared.u32 [s+8], 1;", ILLEGAL_ADDRESS, "shared address 0x8"),
        (".local .align 4 .b8 l[8]; ld.local.u32 %r1, [l+16];", ILLEGAL_ADDRESS, "local address"),
        ("trap;", LAUNCH_FAILED, "trap"),
        (
            "mov.u32 %r1, 1; $t: .branchtargets $a; brx.idx %r1, $t; $a:",
            LAUNCH_FAILED,
            "outside of its table: entry 1 of 1",
        ),
        ("$again: bra $again;", TIMEOUT, "instruction limit"),
    ];
    drop(gpu);
    for (body, code, text) in cases {
        let gpu = Gpu::new();
        let (found, log) = gpu.fault(body, 1);
        assert_eq!(found, code, "{body}: {log}");
        assert!(log.contains(text), "{body}: {log}");
        assert!(log.contains("`test`") && log.contains("PTX line"), "{log}");
        // The context stays broken until it is made anew.
        assert_eq!(gpu.allocate(4), Err(code));
    }
}

#[test]
fn uninitialised_global_memory_is_found_by_kernels_and_by_copies() {
    let gpu = Gpu::new();
    let address = gpu.allocate(8).unwrap();
    assert!(gpu.download::<u64>(address, 1).is_err());
    let module = gpu.load(&support::kernel("ld.global.u64 %d1, [%out];")).unwrap();
    let kernel = gpu.function(module, "test");
    assert_eq!(gpu.launch(kernel, [1; 3], [1; 3], 0, &[address]), LAUNCH_FAILED);
    assert!(gpu.last_log().contains("uninitialised"));
}

const EXCHANGE: &str = ".shared .align 4 .b8 s[256]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; \
    add.s32 %r4, %r3, %r2; xor.b32 %r5, %r4, LANES; st.shared.u32 [%r4], %r1; SYNC ld.shared.u32 %r6, [%r5]; \
    mul.wide.u32 %d1, %r1, 8; add.s64 %d2, %out, %d1; st.global.u32 [%d2], %r6;";

fn exchange(lanes: &str, sync: &str) -> String {
    EXCHANGE.replace("LANES", lanes).replace("SYNC", sync)
}

#[test]
fn a_missing_barrier_is_a_race() {
    // Lower thread numbers run first, so that thread 1 reads what thread 0 has written in the same phase.
    let (code, log) = Gpu::new().fault(
        &exchange("4", "").replace("st.shared.u32 [%r4], %r1;", "st.shared.u32 [%r4], %r1; st.shared.u32 [%r5], %r1;"),
        64,
    );
    assert_eq!(code, LAUNCH_FAILED);
    assert!(log.contains("data race"), "{log}");
    let found = Gpu::new().body(&exchange("4", "bar.sync 0;"), 64, 64).unwrap();
    assert!(found.iter().zip(0u64..).all(|(v, k)| *v == k ^ 1));
}

#[test]
fn blocks_that_write_the_same_word_are_a_race() {
    let launch = |body: &str| {
        let gpu = Gpu::new();
        let module = gpu.load(&support::kernel(body)).unwrap();
        let (kernel, out) = (gpu.function(module, "test"), gpu.upload(&[0u64; 2]));
        (gpu.launch(kernel, [2, 1, 1], [32, 1, 1], 0, &[out]), gpu.last_log())
    };
    let own = "mov.u32 %r1, %ctaid.x; mul.wide.u32 %d1, %r1, 8; add.s64 %d2, %out, %d1; st.global.u32 [%d2], %r1;";
    assert_eq!(launch(own).0, 0);
    for body in ["st.global.u32 [%out], 1;".to_string(), format!("{own} ld.global.u32 %r2, [%out];")] {
        let (code, log) = launch(&body);
        assert_eq!(code, LAUNCH_FAILED);
        assert!(log.contains("written by block 0 in any order"), "{log}");
    }
}

#[test]
fn divergent_barriers_are_found() {
    let apart = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; @%p1 bra $low;\n bar.sync 0; bra $end;\n\
                 $low:\n bar.sync 0;\n $end:";
    let early = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; @%p1 ret; bar.sync 0;";
    for body in [apart, early] {
        let (code, log) = Gpu::new().fault(body, 32);
        assert_eq!(code, LAUNCH_FAILED);
        assert!(log.contains("divergent barrier"), "{log}");
    }
    // Whole warps may come from different places.
    let warps = apart.replace("16", "32") + &put(0, "u32", "7");
    assert_eq!(Gpu::new().body(&warps, 64, 1), Ok(vec![7]));
}

#[test]
fn bad_modules_are_refused_with_a_log() {
    let gpu = Gpu::new();
    for (text, log) in [
        ("nonsense".to_string(), "declaration"),
        (String::new(), "not PTX"),
        (support::kernel("frobnicate.f32 %f1, %f2;"), "line 9: `frobnicate.f32 %f1, %f2`: "),
        (support::kernel("add.rz.f32 %f1, %f2, %f3;"), "this instruction is not supported"),
        (support::kernel("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;"), "`shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1`"),
        (support::kernel("add.f32 %f1, %f2, %unknown;"), "`%unknown` is no operand"),
        (support::kernel("bra $nowhere;"), "label `$nowhere`"),
        (support::kernel("call.uni panic;"), "line 9: `call.uni panic`: `panic` is no function with a body"),
        (support::kernel("").replace("sm_80", "sm_100"), "PTX for sm_100 on a device of capability 9.0"),
        (support::kernel(".shared .align 4 .b8 s[50000];"), "50000 bytes of shared memory"),
    ] {
        let (code, found) = gpu.load(&text).expect_err("a refusal");
        assert_eq!(code, INVALID_PTX);
        assert!(found.contains(log), "{found}");
    }
    assert_eq!(gpu.load(&support::kernel("").replace("7.8", "99.0")).expect_err("a refusal").0, 222);
    assert!(gpu.load(&support::kernel("")).is_ok());
}
