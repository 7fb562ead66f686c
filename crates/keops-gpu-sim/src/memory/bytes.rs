//! Little-endian numbers of 1, 2, 4 or 8 bytes in byte slices.

/// Reads the number that fills `bytes`.
pub(crate) fn read(bytes: &[u8]) -> u64 {
    let mut whole = [0; 8];
    let count = bytes.len().min(8);
    whole[..count].copy_from_slice(&bytes[..count]);
    u64::from_le_bytes(whole)
}

/// Fills `bytes` with the low bytes of `value`.
pub(crate) fn write(bytes: &mut [u8], value: u64) {
    let count = bytes.len().min(8);
    bytes[..count].copy_from_slice(&value.to_le_bytes()[..count]);
}
