//! [`Layout`]: where the parts of a call lie in one allocation. Allocating is slow on devices, so that a call does it once.

/// Parts, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Layout {
    bytes: u64,
}

/// Addresses of parts are multiples of this: enough for any access.
const ALIGNMENT: u64 = 256;

impl Layout {
    /// Room for `bytes` bytes: where it begins. `None` for none.
    pub(super) fn place(&mut self, bytes: u64) -> Option<u64> {
        if bytes == 0 {
            return None;
        }
        let at = self.bytes;
        self.bytes = at.saturating_add(bytes).checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX);
        Some(at)
    }

    /// Room for all of it.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;

    #[test]
    fn parts_are_aligned_and_do_not_overlap() {
        let mut layout = Layout::default();
        assert_eq!(
            [layout.place(1), layout.place(0), layout.place(257), layout.place(8)],
            [Some(0), None, Some(256), Some(768)]
        );
        assert_eq!(layout.bytes(), 1024);
        assert_eq!(layout.place(u64::MAX), Some(1024));
        assert_eq!(layout.bytes(), u64::MAX, "more than there can be, so that the allocation fails");
    }
}
