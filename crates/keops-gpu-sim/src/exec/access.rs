//! Loads and stores in every state space, with the checks of each.

use super::warp::{Machine, Stop, Warp, lanes};
use crate::counts::Counts;
use crate::fault::{Fault, MISALIGNED, OUT_OF_BOUNDS};
use crate::memory::watched::{Actor, SEVERAL};
use crate::memory::{self, range, space_of, window};
use crate::ptx::program::{Access, Compute, Register, WARP};
use crate::ptx::types::{Space, sign_extend};
use std::ops::Range;

/// An access of one lane, or of several lanes to the same place.
#[derive(Clone, Copy)]
struct Place {
    space: Space,
    address: u64,
    len: usize,
    lane: usize,
    several: bool,
    strong: bool,
}

fn count_loads(counts: &mut Counts, space: Space, count: u32) {
    match space {
        Space::Shared => counts.shared_loads += u64::from(count),
        Space::Global => counts.global_loads += u64::from(count),
        _ => {}
    }
}

fn count_stores(counts: &mut Counts, space: Space) {
    match space {
        Space::Shared => counts.shared_stores += 1,
        Space::Global => counts.global_stores += 1,
        _ => {}
    }
}

impl Warp {
    /// Where a lane accesses memory, checked for alignment.
    fn locate(&self, access: &Access, lane: usize) -> Result<Place, Stop> {
        let stated = self.registers[access.base as usize][lane].wrapping_add_signed(access.offset);
        let (space, address) = match access.space {
            Space::Generic => (space_of(stated), stated - window(space_of(stated))),
            space => (space, stated),
        };
        let len = access.ty.bytes() * access.elements;
        if address & (len as u64 - 1) != 0 {
            let name = format!("{space:?}").to_lowercase();
            return Err((lane, Fault::access(MISALIGNED, &name, address, len)));
        }
        Ok(Place { space, address, len, lane, several: false, strong: access.strong })
    }

    /// A lane's part of the local memory.
    fn own(&self, lane: usize) -> Range<usize> {
        let size = self.local.len() / WARP;
        lane * size..(lane + 1) * size
    }

    fn actor(&self, place: &Place, machine: &Machine<'_>) -> Option<Actor> {
        let strong = place.strong;
        if place.space == Space::Global {
            let Machine { launch: period, block: number, .. } = *machine;
            return Some(Actor { period, number, group: number, step: 0, strong });
        }
        let (group, thread) = (self.number as u32, (self.number * WARP + place.lane) as u32);
        let number = if place.several { SEVERAL } else { thread };
        Some(Actor { period: machine.period, number, group, step: self.epoch, strong })
    }

    fn read<'a>(&'a self, place: &Place, machine: &'a mut Machine<'_>) -> Result<&'a [u8], Stop> {
        let (Place { space, address, len, .. }, actor) = (*place, self.actor(place, machine));
        let bytes = match space {
            Space::Shared => machine.shared.read(address, len, actor),
            Space::Local => {
                let own = &self.local[self.own(place.lane)];
                range(own.len(), "local", address, len).map(|range| &own[range])
            }
            Space::Param => range(machine.params.len(), "parameter", address, len).map(|range| &machine.params[range]),
            _ => machine.global.find(address, len).and_then(|found| found.read(address, len, actor)),
        };
        bytes.map_err(|fault| (place.lane, fault))
    }

    fn written<'a>(&'a mut self, place: &Place, machine: &'a mut Machine<'_>) -> Result<&'a mut [u8], Stop> {
        let (Place { space, address, len, .. }, actor) = (*place, self.actor(place, machine));
        let bytes = match space {
            Space::Shared => machine.shared.write(address, len, actor),
            Space::Local => {
                let own = self.own(place.lane);
                let own = &mut self.local[own];
                range(own.len(), "local", address, len).map(|range| &mut own[range])
            }
            Space::Param => Err(Fault::access(OUT_OF_BOUNDS, "read-only parameter", address, len)),
            _ => machine.global.find(address, len).and_then(|found| found.write(address, len, actor)),
        };
        bytes.map_err(|fault| (place.lane, fault))
    }

    pub(super) fn load(
        &mut self,
        dst: &[Register; 4],
        access: &Access,
        active: u32,
        machine: &mut Machine<'_>,
    ) -> Result<(), Stop> {
        let base = self.registers[access.base as usize];
        let first = active.trailing_zeros() as usize;
        let mut place = self.locate(access, first)?;
        count_loads(&mut machine.counts, place.space, active.count_ones());
        // All lanes often read the same: a column that is broadcast, a parameter.
        let same = place.space != Space::Local && lanes(active).all(|lane| base[lane] == base[first]);
        place.several = same && active.count_ones() > 1;
        let mut values = [[0; WARP]; 4];
        for lane in lanes(if same { 1 << first } else { active }) {
            if lane != first {
                place = self.locate(access, lane)?;
            }
            let bytes = self.read(&place, machine)?;
            for (values, part) in values.iter_mut().zip(bytes.chunks_exact(access.ty.bytes())) {
                // The register may be wider than the memory.
                let value = memory::read(part);
                values[lane] = if access.ty.is_signed() { sign_extend(value, access.ty.bits) } else { value };
            }
        }
        for (dst, values) in dst.iter().zip(&mut values).take(access.elements) {
            if same {
                *values = [values[first]; WARP];
            }
            self.set(*dst, active, values);
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        access: &Access,
        values: &[Register; 4],
        active: u32,
        machine: &mut Machine<'_>,
    ) -> Result<(), Stop> {
        for lane in lanes(active) {
            let place = self.locate(access, lane)?;
            count_stores(&mut machine.counts, place.space);
            let values = values.map(|v| self.registers[v as usize][lane]);
            let bytes = self.written(&place, machine)?;
            for (value, part) in values.iter().zip(bytes.chunks_exact_mut(access.ty.bytes())) {
                memory::write(part, *value);
            }
        }
        Ok(())
    }

    /// A read-modify-write operation of each lane, one after the other.
    pub(super) fn atomic(
        &mut self,
        dst: Register,
        (access, compute, argument): (&Access, &Compute, Register),
        active: u32,
        machine: &mut Machine<'_>,
    ) -> Result<(), Stop> {
        for lane in lanes(active) {
            let place = self.locate(access, lane)?;
            machine.counts.atomics += 1;
            count_loads(&mut machine.counts, place.space, 1);
            count_stores(&mut machine.counts, place.space);
            let old = [memory::read(self.read(&place, machine)?); WARP];
            let new = compute([&old, &self.registers[argument as usize], &old, &old]);
            memory::write(self.written(&place, machine)?, new[lane]);
            self.registers[dst as usize][lane] = old[lane];
        }
        Ok(())
    }
}
