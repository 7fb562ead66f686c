//! The header of `.npy` files: number type, order, shape.
//!
//! `\x93NUMPY`, two bytes of version, the length of the dictionary (2 bytes in version 1, 4 in versions 2 and 3, little-endian), the
//! dictionary as a Python literal. Numbers follow, row-major unless `fortran_order` is true.

use std::io::Read;

/// What the header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NpyHeader {
    /// Number type, such as `<f4`.
    pub(super) descr: String,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<usize>,
    /// Bytes in front of the numbers.
    pub(super) len: u64,
}

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Longest dictionary that is believed.
const LONGEST: usize = 1 << 16;

impl NpyHeader {
    /// Reads a header, or says why there is none.
    pub(super) fn read(file: &mut impl Read) -> Result<Self, String> {
        let truncated = |_| "it ends within its header".to_string();
        let mut start = [0; 8];
        file.read_exact(&mut start).map_err(truncated)?;
        if &start[..6] != MAGIC {
            return Err("it is no .npy file: it does not begin with \\x93NUMPY".to_string());
        }
        let (size, prefix) = match start[6] {
            1 => {
                let mut size = [0; 2];
                file.read_exact(&mut size).map_err(truncated)?;
                (usize::from(u16::from_le_bytes(size)), 10)
            }
            2 | 3 => {
                let mut size = [0; 4];
                file.read_exact(&mut size).map_err(truncated)?;
                (u32::from_le_bytes(size) as usize, 12)
            }
            version => return Err(format!("its format version is {version}, expected 1, 2 or 3")),
        };
        if size > LONGEST {
            return Err(format!("its header claims to have {size} bytes"));
        }
        let mut text = vec![0; size];
        file.read_exact(&mut text).map_err(truncated)?;
        let text = String::from_utf8(text).map_err(|_| "its header is not text".to_string())?;
        Self::parse(&text, prefix + size as u64).ok_or_else(|| format!("its header cannot be read: {}", text.trim()))
    }

    fn parse(text: &str, len: u64) -> Option<Self> {
        let value = |key: &str| {
            let at = text.find(&format!("'{key}'"))? + key.len() + 2;
            Some(text[at..].trim_start().strip_prefix(':')?.trim_start())
        };
        let descr = value("descr")?.strip_prefix('\'')?.split('\'').next()?.to_string();
        let fortran_order = match value("fortran_order")? {
            order if order.starts_with("True") => true,
            order if order.starts_with("False") => false,
            _ => return None,
        };
        let shape = value("shape")?.strip_prefix('(')?.split(')').next()?;
        let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty());
        let shape = axes.map(|axis| axis.trim_end_matches('L').parse().ok()).collect::<Option<_>>()?;
        Some(NpyHeader { descr, fortran_order, shape, len })
    }
}

#[cfg(test)]
mod tests {
    use super::NpyHeader;

    fn file(version: u8, dictionary: &str) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        if version == 1 {
            bytes.extend((dictionary.len() as u16).to_le_bytes());
        } else {
            bytes.extend((dictionary.len() as u32).to_le_bytes());
        }
        bytes.extend(dictionary.as_bytes());
        bytes
    }

    #[test]
    fn reads_what_numpy_writes() {
        let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n";
        let header = NpyHeader::read(&mut &file(1, text)[..]).unwrap();
        assert_eq!((header.descr.as_str(), header.fortran_order, header.shape.as_slice()), ("<f8", false, &[3, 4][..]));
        assert_eq!(header.len, 10 + text.len() as u64);
        let header = NpyHeader::read(&mut &file(2, "{'shape':(7,),'descr':'<f4','fortran_order':True}")[..]).unwrap();
        assert_eq!((header.fortran_order, header.shape.as_slice()), (true, &[7][..]));
        let scalar = NpyHeader::read(&mut &file(3, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}")[..]);
        assert_eq!(scalar.unwrap().shape, [0; 0]);
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |bytes: &[u8]| NpyHeader::read(&mut &bytes[..]).unwrap_err();
        assert!(error(b"\x93NUMPX\x01\0\0\0").contains("no .npy file"));
        assert!(error(b"\x93NUM").contains("ends within its header"));
        assert!(error(&file(1, "{'descr': '<f8'")[..20]).contains("ends within its header"));
        assert!(error(&file(9, "")).contains("version is 9"));
        assert!(error(&file(1, "{'descr': '<f8'}")).contains("cannot be read"));
        assert!(error(&file(1, "{'descr': '<f8', 'fortran_order': 3, 'shape': (1,)}")).contains("cannot be read"));
        assert!(error(&file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}")).contains("cannot be read"));
    }
}
