//! Links a parsed file: gives shared variables their offsets, decodes every function.

use super::decode::{self, Module};
use super::program::Program;
use super::source::{Source, Variable};
use super::types::Space;
use std::collections::HashMap;

/// Variables that live in device memory, for which the loader finds addresses.
pub(crate) fn device_variables<'s>(source: &'s Source<'_>) -> impl Iterator<Item = &'s Variable> {
    source.variables.iter().filter(|v| matches!(v.space, Space::Global | Space::Const))
}

/// Decodes all functions of `source`; `addresses` holds those of the device variables.
pub(crate) fn link(source: &Source<'_>, text: &str, addresses: HashMap<String, u64>) -> Result<Program, String> {
    let mut module = Module { addresses, signatures: HashMap::new(), shared_bytes: 0 };
    let mut dynamic = Vec::new();
    for variable in &source.variables {
        if variable.external && !variable.unsized_array {
            return Err(format!("unresolved variable `{}`", variable.name));
        }
        if variable.space == Space::Shared {
            if variable.unsized_array {
                dynamic.push(variable);
                continue;
            }
            let offset = module.shared_bytes.next_multiple_of(variable.align);
            module.shared_bytes = offset + variable.size;
            module.addresses.insert(variable.name.clone(), offset as u64);
        }
    }
    let none = HashMap::new();
    for (index, function) in (0u32..).zip(&source.functions) {
        // A prototype must not hide the definition.
        let known = module.signatures.get(&function.name).is_some_and(|s| s.defined);
        if !known {
            module.signatures.insert(function.name.clone(), decode::signature(function, index, &none));
        }
    }
    // Dynamic shared memory starts where the static variables of all bodies end, so those are placed first.
    decode::place_all_shared(source, &mut module)?;
    module.shared_bytes = dynamic.iter().fold(module.shared_bytes, |end, v| end.next_multiple_of(v.align));
    for variable in dynamic {
        module.addresses.insert(variable.name.clone(), module.shared_bytes as u64);
    }
    let functions = source.functions.iter().map(|f| decode::function(f, &module)).collect::<Result<Vec<_>, _>>()?;
    let entries = functions.iter().enumerate().filter(|(_, f)| f.entry).map(|(k, f)| (f.name.clone(), k)).collect();
    let lines = text.lines().map(|l| l.trim().to_string()).collect();
    Ok(Program { functions, entries, shared_bytes: module.shared_bytes, lines })
}
