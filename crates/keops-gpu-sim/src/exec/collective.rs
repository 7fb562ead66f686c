//! Operations of the threads of a warp together: `bar.warp.sync` and shuffles.

use super::warp::{State, Stop, Warp, lanes};
use crate::fault::{DIVERGENCE, Fault};
use crate::ptx::program::{Mode, Register, Shuffle, WARP};

impl Warp {
    /// Executes an operation of the lanes `active`, for each set of lanes that name each other. Lanes that are behind
    /// run first, so that all who come to an operation together are there.
    pub(super) fn meet(&mut self, shuffle: Option<&Shuffle>, mask: Register, active: u32) -> Result<(), Stop> {
        let masks = self.registers[mask as usize].map(|mask| mask as u32 & self.threads);
        for lane in lanes(active) {
            let named = masks[lane];
            let missing = lanes(named & !active).next().or(lanes(named).find(|other| masks[*other] != named));
            if missing.is_some() || named >> lane & 1 == 0 {
                let ended = missing.is_some_and(|k| self.state[k] == State::Done);
                let what = match missing {
                    Some(other) if ended => format!("mask {named:#x} names lane {other}, which has ended"),
                    Some(other) => format!("mask {named:#x} names lane {other}, which is elsewhere"),
                    None => format!("mask {named:#x} without its own lane {lane}"),
                };
                return Err((lane, Fault::new(DIVERGENCE, &what)));
            }
            if let Some(shuffle) = shuffle.filter(|_| named.trailing_zeros() as usize == lane) {
                self.shuffle(shuffle, named)?;
            }
        }
        let living = self.threads & !self.mask(State::Done);
        self.epoch += u32::from(lanes(living).all(|lane| active >> lane & 1 != 0 && masks[lane] == living));
        Ok(())
    }

    fn shuffle(&mut self, shuffle: &Shuffle, members: u32) -> Result<(), Stop> {
        let Shuffle { mode, dst, inside, value, lane, clamp } = *shuffle;
        let [values, wanted, clamp] = [value, lane, clamp].map(|r| self.registers[r as usize]);
        let (mut results, mut valid) = ([0; WARP], [0; WARP]);
        for own in lanes(members) {
            let (from, found) = source(mode, own, wanted[own], clamp[own]);
            if members >> from & 1 == 0 {
                let what = format!("lane {own} reads from lane {from}, which takes no part");
                return Err((own, Fault::new(DIVERGENCE, &what)));
            }
            (results[own], valid[own]) = (values[from] & 0xffff_ffff, found.into());
        }
        self.set(inside, members, &valid);
        self.set(dst, members, &results);
        Ok(())
    }
}

/// The lane that `own` reads from, and whether that is the one asked for; the rule is the PTX manual's.
fn source(mode: Mode, own: usize, lane: u64, clamp: u64) -> (usize, bool) {
    let (own, b, clamp) = (own as i64, (lane & 0x1f) as i64, (clamp & 0xffff) as i64);
    let (bound, segment) = (clamp & 0x1f, clamp >> 8 & 0x1f);
    let highest = (own & segment) | (bound & !segment);
    let (wanted, valid) = match mode {
        Mode::Up => (own - b, own - b >= highest),
        Mode::Down => (own + b, own + b <= highest),
        Mode::Butterfly => (own ^ b, own ^ b <= highest),
        Mode::Index => {
            let wanted = (own & segment) | (b & !segment);
            (wanted, wanted <= highest)
        }
    };
    (if valid { wanted } else { own } as usize, valid)
}
