//! Loads and stores in every state space, with the checks of each.

use super::warp::{Done, Machine, Stop, Warp, lanes};
use crate::fault::{Fault, MISALIGNED};
use crate::memory::watched::{Actor, SEVERAL};
use crate::memory::{self, space_of, window};
use crate::ptx::program::{Access, Register, WARP};
use crate::ptx::types::{Space, sign_extend};

impl Warp {
    /// The space and address at which a lane accesses memory, checked for alignment.
    fn locate(&self, access: &Access, lane: usize) -> Result<(Space, u64), Stop> {
        let stated = self.registers[access.base as usize][lane].wrapping_add_signed(access.offset);
        let (space, address) = match access.space {
            Space::Generic => (space_of(stated), stated - window(space_of(stated))),
            space => (space, stated),
        };
        if address & (access.bytes() as u64 - 1) != 0 {
            let name = format!("{space:?}").to_lowercase();
            return Err((lane, Fault::access(MISALIGNED, &name, address, access.bytes())));
        }
        Ok((space, address))
    }

    /// The bytes that `count` lanes, of which `lane` is the first, access together.
    fn bytes<'a>(
        &'a mut self,
        access: &Access,
        (lane, count): (usize, u32),
        write: bool,
        machine: &'a mut Machine<'_>,
    ) -> Result<&'a mut [u8], Stop> {
        let (space, address) = self.locate(access, lane)?;
        match (space, write) {
            (Space::Shared, false) => machine.counts.shared_loads += u64::from(count),
            (Space::Shared, true) => machine.counts.shared_stores += u64::from(count),
            (Space::Global, false) => machine.counts.global_loads += u64::from(count),
            (Space::Global, true) => machine.counts.global_stores += u64::from(count),
            _ => {}
        }
        let thread = if count > 1 { SEVERAL } else { (self.number * WARP + lane) as u32 };
        let shared = Actor { period: machine.period, number: thread };
        let global = Actor { period: machine.launch, number: machine.block };
        let found = match space {
            Space::Shared => Ok((&mut machine.shared, Some(shared))),
            Space::Local => Ok((&mut self.local[lane], None)),
            Space::Param => Ok((&mut machine.params, None)),
            _ => machine.global.find(address, access.bytes()).map(|found| (found, Some(global))),
        };
        let bytes = found.and_then(|(memory, actor)| {
            let touch = if write { memory::watched::Watched::write } else { memory::watched::Watched::read };
            touch(memory, address, access.bytes(), actor)
        });
        bytes.map_err(|fault| (lane, fault))
    }

    pub(super) fn load(
        &mut self,
        dst: &[Register; 4],
        access: &Access,
        active: u32,
        machine: &mut Machine<'_>,
    ) -> Done {
        let (base, first) = (self.registers[access.base as usize], active.trailing_zeros() as usize);
        // All lanes often read the same: a column that is broadcast, a parameter.
        let local = self.locate(access, first)?.0 == Space::Local;
        let same = !local && lanes(active).all(|lane| base[lane] == base[first]);
        let mut values = [[0; WARP]; 4];
        for lane in lanes(if same { 1 << first } else { active }) {
            let bytes = self.bytes(access, (lane, if same { active.count_ones() } else { 1 }), false, machine)?;
            for (values, part) in values.iter_mut().zip(bytes.chunks_exact(access.ty.bytes())) {
                // The register may be wider than the memory.
                let value = memory::read(part);
                values[lane] = if access.ty.is_signed() { sign_extend(value, access.ty.bits) } else { value };
            }
        }
        for (dst, values) in dst.iter().zip(values).take(access.elements) {
            self.set(*dst, active, &if same { [values[first]; WARP] } else { values });
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        access: &Access,
        values: &[Register; 4],
        active: u32,
        machine: &mut Machine<'_>,
    ) -> Done {
        for lane in lanes(active) {
            let values = values.map(|v| self.registers[v as usize][lane]);
            let bytes = self.bytes(access, (lane, 1), true, machine)?;
            for (value, part) in values.iter().zip(bytes.chunks_exact_mut(access.ty.bytes())) {
                memory::write(part, *value);
            }
        }
        Ok(())
    }
}
