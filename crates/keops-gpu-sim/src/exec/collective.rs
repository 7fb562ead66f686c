//! Operations of the threads of a warp together: shuffles and `bar.warp.sync`.

use super::warp::{State, Stop, Warp, lanes};
use crate::fault::{Fault, Kind};
use crate::ptx::program::{Collective, Register, Shuffle, WARP};

impl Warp {
    /// Executes the operation at `pc` for every set of lanes that is complete there.
    pub(super) fn meet(&mut self, op: Collective, mask: Register, pc: usize) -> Result<(), Stop> {
        let divergence = |lane: usize, what: String| Err((lane, Fault::new(Kind::Divergence, what)));
        let here = self.mask(State::Collective);
        let here = lanes(here).filter(|lane| self.pc[*lane] == pc).fold(0, |mask, lane| mask | 1 << lane);
        let masks = self.registers[mask as usize];
        for lane in lanes(here) {
            // Lanes beyond the block's last thread may be named.
            let named = masks[lane] as u32 & self.threads;
            if named >> lane & 1 == 0 {
                return divergence(lane, format!("mask {named:#x} without its own lane {lane}"));
            }
            let ended = named & self.mask(State::Done);
            if ended != 0 {
                let ended = ended.trailing_zeros();
                return divergence(lane, format!("mask {named:#x} names lane {ended}, which has ended"));
            }
            let agree = lanes(named).all(|other| masks[other] as u32 & self.threads == named);
            let first = named.trailing_zeros() as usize == lane;
            if first && named & !here == 0 && agree {
                self.perform(op, named)?;
                for lane in lanes(named) {
                    (self.state[lane], self.pc[lane]) = (State::Ready, pc + 1);
                }
                self.epoch += u32::from(named == self.threads & !self.mask(State::Done));
            }
        }
        Ok(())
    }

    fn perform(&mut self, op: Collective, members: u32) -> Result<(), Stop> {
        match op {
            Collective::Sync => {}
            Collective::Shuffle { mode, dst, inside, value, lane, clamp } => {
                let [values, wanted, clamp] = [value, lane, clamp].map(|r| self.registers[r as usize]);
                let (mut results, mut valid) = ([0; WARP], [0; WARP]);
                for own in lanes(members) {
                    let (from, found) = source(mode, own, wanted[own], clamp[own]);
                    if members >> from & 1 == 0 {
                        let what = format!("lane {own} reads from lane {from}, which takes no part");
                        return Err((own, Fault::new(Kind::Divergence, what)));
                    }
                    (results[own], valid[own]) = (values[from] & 0xffff_ffff, found.into());
                }
                self.set(inside, members, &valid);
                self.set(dst, members, &results);
            }
        }
        Ok(())
    }
}

/// The lane that `own` reads from, and whether that is the one asked for; the rule is the PTX manual's.
fn source(mode: Shuffle, own: usize, lane: u64, clamp: u64) -> (usize, bool) {
    let (own, b, clamp) = (own as i64, (lane & 0x1f) as i64, (clamp & 0xffff) as i64);
    let (bound, segment) = (clamp & 0x1f, clamp >> 8 & 0x1f);
    let highest = (own & segment) | (bound & !segment);
    let lowest = own & segment;
    let (wanted, valid) = match mode {
        Shuffle::Up => (own - b, own - b >= highest),
        Shuffle::Down => (own + b, own + b <= highest),
        Shuffle::Butterfly => (own ^ b, own ^ b <= highest),
        Shuffle::Index => {
            let wanted = lowest | (b & !segment);
            (wanted, wanted <= highest)
        }
    };
    (if valid { wanted } else { own } as usize, valid)
}
