//! What `ptxas -v` says of each kernel.

/// Resources of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Usage {
    pub(crate) kernel: String,
    pub(crate) registers: u32,
    /// Bytes of the stack.
    pub(crate) stack: u32,
    /// Bytes of spilled registers, stored and loaded.
    pub(crate) spills: (u32, u32),
    /// Bytes of shared memory that the kernel itself declares.
    pub(crate) shared: u32,
}

/// Reads all kernels.
pub(crate) fn read(log: &str) -> Vec<Usage> {
    let mut all: Vec<Usage> = Vec::new();
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_string();
            all.push(Usage { kernel, ..Usage::default() });
        }
        let Some(usage) = all.last_mut() else { continue };
        if line.contains("bytes stack frame") {
            let before = |what| number_before(line, what).unwrap_or(0);
            usage.stack = before("bytes stack frame");
            usage.spills = (before("bytes spill stores"), before("bytes spill loads"));
        }
        if let Some(registers) = number_before(line, "registers") {
            usage.registers = registers;
            usage.shared = number_before(line, "bytes smem").unwrap_or(0);
        }
    }
    all
}

fn number_before(line: &str, what: &str) -> Option<u32> {
    line.split_once(what)?.0.split_whitespace().next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_its_numbers() {
        let log = "ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    128 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 72 registers, used 1 barriers, 128 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Compile time = 37.147 ms
ptxas info    : Compiling entry function 'b' for 'sm_90'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 1024 bytes cmem[0]
";
        let usage = |kernel: &str, registers, stack, spills, shared| Usage {
            kernel: kernel.to_string(),
            registers,
            stack,
            spills,
            shared,
        };
        assert_eq!(read(log), [usage("a", 72, 128, (4, 8), 2048), usage("b", 40, 0, (0, 0), 0)]);
    }
}
