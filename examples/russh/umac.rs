//! The four UMACs of OpenSSH, by `wegman`. This file becomes `src/mac/umac.rs` of russh.

use super::{Mac, MacAlgorithm, Name};
use wegman::ssh;

/// `umac-64@openssh.com`
pub const UMAC_64: Name = Name("umac-64@openssh.com");
/// `umac-128@openssh.com`
pub const UMAC_128: Name = Name("umac-128@openssh.com");
/// `umac-64-etm@openssh.com`
pub const UMAC_64_ETM: Name = Name("umac-64-etm@openssh.com");
/// `umac-128-etm@openssh.com`
pub const UMAC_128_ETM: Name = Name("umac-128-etm@openssh.com");

pub(crate) struct Umac(pub(super) Name);

impl MacAlgorithm for Umac {
    fn key_len(&self) -> usize {
        ssh::KEY_BYTES
    }

    #[allow(clippy::expect_used)]
    fn make_mac(&self, key: &[u8]) -> Box<dyn Mac + Send> {
        Box::new(ssh::Mac::new(self.0.0, key).expect("a name of wegman's and a key of key_len bytes"))
    }
}

impl Mac for ssh::Mac {
    fn mac_len(&self) -> usize {
        self.tag_bytes()
    }

    fn is_etm(&self) -> bool {
        ssh::Mac::is_etm(self)
    }

    fn compute(&self, sequence_number: u32, payload: &[u8], output: &mut [u8]) {
        output.copy_from_slice(self.tag(sequence_number, &[payload]).to_bytes());
    }

    fn verify(&self, sequence_number: u32, payload: &[u8], mac: &[u8]) -> bool {
        ssh::Mac::verify(self, sequence_number, &[payload], mac).is_ok()
    }
}
