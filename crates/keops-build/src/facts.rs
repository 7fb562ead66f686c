//! Constants of kernels that their code does not show, as comments in kernel files.
//!
//! A kernel crate has an array of numbers for each kernel that reduces. When its PTX is taken apart, the arrays become
//! comments.

use crate::ptx::Module;
use keops_gpu_kernels::abi::Step;

/// What the names of the arrays end in.
const SUFFIX: &str = "_facts";

/// Constants of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) kernel: String,
    /// Rows of a thread.
    pub(crate) rows: u32,
    /// Columns of a tile.
    pub(crate) tile: u32,
    /// Bytes of dynamic shared memory.
    pub(crate) shared: u32,
    /// Numbers of a staged column.
    pub(crate) width: u32,
    /// Bytes of a number.
    pub(crate) number: u32,
}

/// The array for the kernel called `name`, in the text of a kernel crate.
pub(crate) fn array(name: &str, reduction: &str, number: &str, step: Step) -> String {
    let upper = name.to_uppercase();
    format!(
        "#[unsafe(export_name = \"{name}{SUFFIX}\")]
pub static {upper}: [u32; 5] = {{
    use keops_gpu_kernels::{{abi::Step, tiling::Tiling}};
    let t = Tiling::of::<Body, {reduction}, {number}>(Step::{step:?});
    [t.rows as u32, t.tile as u32, t.shared() as u32, t.width as u32, size_of::<{number}>() as u32]
}};
"
    )
}

/// The comments for the arrays of a module whose names begin with `prefix`.
pub(crate) fn comments(module: &Module<'_>, prefix: &str) -> Result<String, String> {
    let mut text = String::new();
    for (name, bytes) in module.arrays() {
        let Some(kernel) = name.strip_prefix(prefix).and_then(|name| name.strip_suffix(SUFFIX)) else { continue };
        let numbers: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let [rows, tile, shared, width, number] = numbers[..] else {
            return Err(format!("{} constants of {kernel} instead of 5", numbers.len()));
        };
        text.push_str(&format!(
            "// {kernel}: rows {rows}, tile {tile}, shared {shared}, width {width}, number {number}\n"
        ));
    }
    Ok(text)
}

/// The facts in a kernel file.
pub(crate) fn read(file: &str) -> Vec<Facts> {
    let comments = file.lines().map_while(|line| line.strip_prefix("// "));
    comments
        .filter_map(|line| {
            let (kernel, list) = line.split_once(": ")?;
            let number = |name: &str| {
                let mut parts = list.split(", ").filter_map(|part| part.strip_prefix(name)?.trim().parse().ok());
                parts.next()
            };
            Some(Facts {
                kernel: kernel.to_string(),
                rows: number("rows ")?,
                tile: number("tile ")?,
                shared: number("shared ")?,
                width: number("width ")?,
                number: number("number ")?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_become_comments_and_comments_facts() {
        let ptx = ".version 7.0\n\n\
            .visible .global .align 4 .b8 ka__keops_Sum_f32_reduce_facts[20] = \
            {4, 0, 0, 0, 0, 1, 0, 0, 0, 16, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0};\n\
            .visible .global .align 4 .b8 kb__other_facts[20];\n";
        let module = Module::parse(ptx).unwrap();
        let text = comments(&module, "ka__").unwrap();
        assert_eq!(text, "// keops_Sum_f32_reduce: rows 4, tile 256, shared 4096, width 4, number 4\n");
        let kernel = "keops_Sum_f32_reduce".to_string();
        let expected = Facts { kernel, rows: 4, tile: 256, shared: 4096, width: 4, number: 4 };
        assert_eq!(read(&format!("// keops id sm_80\n{text}.version 7.0\n// a: rows 1")), [expected]);
    }
}
