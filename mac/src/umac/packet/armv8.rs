//! The operations of NEON and the AES instructions of ARMv8 for [`x128`](super::x128).
