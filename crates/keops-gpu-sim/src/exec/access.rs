//! Loads and stores in every state space, with the checks of each.

use super::warp::{Machine, Stop, Warp, lanes};
use crate::fault::{Fault, Kind};
use crate::memory::shared::Actor;
use crate::memory::{self, range, space_of, window};
use crate::ptx::program::{Access, Register, Update, WARP};
use crate::ptx::types::{Space, sign_extend};

/// An access of one lane, or of several lanes to the same place.
struct Place {
    space: Space,
    address: u64,
    len: usize,
    lane: usize,
    several: bool,
    strong: bool,
}

impl Warp {
    /// Where a lane accesses memory, checked for alignment.
    fn locate(&self, access: &Access, lane: usize) -> Result<Place, Fault> {
        let stated = self.registers[access.base as usize][lane].wrapping_add_signed(access.offset);
        let space = if access.space == Space::Generic { space_of(stated) } else { access.space };
        let address = if access.space == Space::Generic { stated.wrapping_sub(window(space)) } else { stated };
        let len = access.ty.bytes() * access.elements;
        if address & (len as u64 - 1) != 0 {
            return Err(Fault::access(Kind::Misaligned, &format!("{space:?}").to_lowercase(), address, len));
        }
        Ok(Place { space, address, len, lane, several: false, strong: access.strong })
    }

    fn actor(&self, place: &Place) -> Actor {
        Actor::new((self.number * WARP + place.lane) as u16, place.several, self.epoch, place.strong)
    }

    /// A lane's part of the local memory.
    fn own(&self, lane: usize) -> std::ops::Range<usize> {
        let size = self.local.len() / WARP;
        lane * size..(lane + 1) * size
    }

    fn read<'a>(&'a self, place: &Place, machine: &'a mut Machine<'_>) -> Result<&'a [u8], Fault> {
        let Place { space, address, len, .. } = *place;
        match space {
            Space::Shared => machine.shared.read(address, len, self.actor(place)),
            Space::Local => {
                let own = &self.local[self.own(place.lane)];
                Ok(&own[range(own, "local", address, len)?])
            }
            Space::Param => Ok(&machine.params[range(machine.params, "parameter", address, len)?]),
            _ => machine.global.read(address, len, Some(machine.block).filter(|_| !place.strong)),
        }
    }

    fn written<'a>(&'a mut self, place: &Place, machine: &'a mut Machine<'_>) -> Result<&'a mut [u8], Fault> {
        let Place { space, address, len, .. } = *place;
        match space {
            Space::Shared => machine.shared.write(address, len, self.actor(place)),
            Space::Local => {
                let own = self.own(place.lane);
                let own = &mut self.local[own];
                let range = range(own, "local", address, len)?;
                Ok(&mut own[range])
            }
            Space::Param => Err(Fault::access(Kind::OutOfBounds, "read-only parameter", address, len)),
            _ => machine.global.write(address, len, Some(machine.block).filter(|_| !place.strong)),
        }
    }

    pub(super) fn load(
        &mut self,
        access: &Access,
        dst: &[Register; 4],
        active: u32,
        machine: &mut Machine<'_>,
    ) -> Result<(), Stop> {
        let base = self.registers[access.base as usize];
        let first = active.trailing_zeros() as usize;
        let mut place = self.locate(access, first).map_err(|fault| (first, fault))?;
        match place.space {
            Space::Shared => machine.counts.shared_loads += u64::from(active.count_ones()),
            Space::Global => machine.counts.global_loads += u64::from(active.count_ones()),
            _ => {}
        }
        // All lanes often read the same: a column that is broadcast, a parameter.
        let same = place.space != Space::Local && lanes(active).all(|lane| base[lane] == base[first]);
        place.several = same && active.count_ones() > 1;
        let mut values = [[0; WARP]; 4];
        for lane in lanes(if same { 1 << first } else { active }) {
            if lane != first {
                place = self.locate(access, lane).map_err(|fault| (lane, fault))?;
            }
            let bytes = self.read(&place, machine).map_err(|fault| (lane, fault))?;
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
            let place = self.locate(access, lane).map_err(|fault| (lane, fault))?;
            match place.space {
                Space::Shared => machine.counts.shared_stores += 1,
                Space::Global => machine.counts.global_stores += 1,
                _ => {}
            }
            let values = values.map(|v| self.registers[v as usize][lane]);
            let bytes = self.written(&place, machine).map_err(|fault| (lane, fault))?;
            for (value, part) in values.iter().zip(bytes.chunks_exact_mut(access.ty.bytes())) {
                memory::write(part, *value);
            }
        }
        Ok(())
    }

    /// A read-modify-write operation of each lane, one after the other.
    pub(super) fn atomic(
        &mut self,
        access: &Access,
        update: &Update,
        dst: Register,
        args: [Register; 2],
        active: u32,
        machine: &mut Machine<'_>,
    ) -> Result<(), Stop> {
        for lane in lanes(active) {
            machine.counts.atomics += 1;
            let args = args.map(|arg| self.registers[arg as usize][lane]);
            let place = self.locate(access, lane).map_err(|fault| (lane, fault))?;
            let old = memory::read(self.read(&place, machine).map_err(|fault| (lane, fault))?);
            let bytes = self.written(&place, machine).map_err(|fault| (lane, fault))?;
            memory::write(bytes, update([old, args[0], args[1]]));
            if place.space == Space::Shared {
                machine.counts.shared_loads += 1;
                machine.counts.shared_stores += 1;
            } else {
                machine.counts.global_loads += 1;
                machine.counts.global_stores += 1;
            }
            self.registers[dst as usize][lane] = old;
        }
        Ok(())
    }
}
