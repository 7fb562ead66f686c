//! Control flow, memory forms, calls, warps and atomics with known answers.

mod support;

use support::{Gpu, HEADER, entry, put};

fn run(text: &str, threads: u32, results: usize) -> Vec<u64> {
    let gpu = Gpu::new();
    let module = gpu.load(text).unwrap_or_else(|(code, log)| panic!("{code}: {log}"));
    let kernel = gpu.function(module, "test");
    let out = gpu.upload(&vec![0u64; results]);
    assert_eq!(gpu.launch(kernel, [1; 3], [threads, 1, 1], 0, &[out]), 0, "{}", gpu.last_log());
    gpu.download(out, results).unwrap()
}

fn body(text: &str, threads: u32, results: usize) -> Vec<u64> {
    run(&format!("{HEADER}{}", entry(text)), threads, results)
}

/// Stores 32-bit `%r9` at the thread's word.
const OWN: &str = "mov.u32 %r30, %tid.x; mul.wide.u32 %d30, %r30, 8; add.s64 %d31, %out, %d30; \
                   st.global.u32 [%d31], %r9;";

#[test]
fn loops_and_tables() {
    let sum = "mov.u32 %r1, 0; mov.u32 %r9, 0;\n$loop:\n add.s32 %r9, %r9, %r1; add.s32 %r1, %r1, 1;\n\
               setp.ne.s32 %p1, %r1, 10; @%p1 bra $loop;";
    assert_eq!(body(&format!("{sum}{OWN}"), 1, 1), [45]);
    let table = "mov.u32 %r1, %tid.x;\n$t: .branchtargets $a, $b, $c;\n brx.idx %r1, $t;\n\
                 $a: mov.u32 %r9, 10; bra $end;\n$b: mov.u32 %r9, 20; bra.uni $end;\n$c: mov.u32 %r9, 30;\n$end:";
    assert_eq!(body(&format!("{table}{OWN}"), 3, 3), [10, 20, 30]);
}

#[test]
fn functions_with_parameters_and_results() {
    // The second function calls the first under the same names of parameters, and has a loop of its own.
    let text = format!(
        "{HEADER}.func (.param .b32 func_retval0) square(.param .b32 square_param_0);\n\
         .func (.param .b32 func_retval0) square(\n .param .b32 square_param_0\n)\n{{ .reg .b32 %r<5>;\n\
         ld.param.b32 %r1, [square_param_0]; mul.lo.s32 %r2, %r1, %r1; st.param.b32 [func_retval0], %r2; ret;\n}}\n\
         .func  (.param .b32 func_retval0) squares(.param .b32 n)\n{{ .reg .b32 %r<5>; .reg .pred %p<2>;\n\
         ld.param.b32 %r1, [n]; mov.b32 %r2, 0; setp.ne.b32 %p1, %r1, 0; @%p1 bra $L; st.param.b32 [func_retval0], 77; ret;\n\
         $L: {{ .param .b32 param0; .param .b32 retval0; st.param.b32 [param0], %r1;\n\
         call.uni (retval0), square, (param0); ld.param.b32 %r3, [retval0]; }} add.s32 %r2, %r2, %r3;\n\
         sub.s32 %r1, %r1, 1; setp.ne.b32 %p1, %r1, 0; @%p1 bra $L; st.param.b32 [func_retval0], %r2; ret; }}\n{}",
        entry(&format!(
            "mov.u32 %r1, %tid.x;\n$L: {{ .param .b32 param0; .param .b32 retval0; st.param.b32 [param0], %r1;\n\
             call.uni (retval0), squares, (param0); ld.param.b32 %r9, [retval0]; }}\n{OWN}"
        ))
    );
    assert_eq!(run(&text, 5, 5), [77, 1, 5, 14, 30]);
}

#[test]
fn vectors_spaces_and_initialisers() {
    let text = format!(
        "{HEADER}.global .align 16 .f32 w[4] = {{1.0, 0f40000000, 3.0, 4.0}};\n\
         .global .align 4 .b8 c[4] = {{1, 2, 3, 255}};\n.shared .align 16 .b8 s[32];\n{}",
        entry(&format!(
            ".local .align 8 .b8 l[16]; .reg .b64 %SP;\n ld.global.v4.f32 {{%f1, _, %f3, %f4}}, [w];\n\
             st.shared.v4.f32 [s+16], {{%f4, %f3, %f1, %f1}}; mov.u64 %d1, s; cvta.shared.u64 %d2, %d1; ld.f32 %f5, [%d2+20];\n\
             mov.b64 %SP, l; cvta.local.u64 %d3, %SP; st.u64 [%d3+8], 77; ld.local.u32 %r1, [%SP+8];\n\
             mov.b64 %d5, w+4; cvta.global.u64 %d4, %d5; ld.f32 %f6, [%d4]; ld.global.s8 %r2, [c+3]; cvta.to.shared.u64 %d6, %d2; ld.shared.b32 %r3, [%d6+28];\n{}{}{}{}{}",
            put(0, "f32", "%f5"),
            put(1, "u32", "%r1"),
            put(2, "f32", "%f6"),
            put(3, "u32", "%r2"),
            put(4, "u32", "%r3"),
        ))
    );
    let bits = |v: f32| u64::from(v.to_bits());
    assert_eq!(run(&text, 1, 5), [bits(3.0), 77, bits(2.0), 0xffff_ffff, bits(1.0)]);
}

#[test]
fn counts_are_exact() {
    let gpu = Gpu::new();
    let before = gpu.counts();
    gpu.body(&format!("bar.sync 0; {}", put(0, "u32", "3")), 32, 1).unwrap();
    let after = gpu.counts();
    // ld.param, bar, st and ret in each thread.
    assert_eq!(after.instructions - before.instructions, 4 * 32);
    assert_eq!(after.global_stores - before.global_stores, 32);
    assert_eq!((after.barriers - before.barriers, after.blocks - before.blocks), (1, 1));
    assert_eq!(after.launches - before.launches, 1);
}
