//! Links: two ends of a channel from one secret.

use crate::door::door;
use crate::raw::{
    Bytes, array, bytes, copy, ensure, list, name, not_null, take, with_parts, write_growing,
};
use crate::status::Status;
use core::ffi::{c_char, c_void};
use wegman::session::{Budget, Counts, Header, Role};
use wegman_catalogue::link::{AnyLink, LinkMac, NotStored, STANDARD};

/// One end of a channel. It numbers packets, refuses replays, changes keys, and keeps the probability of a forgery
/// below a budget. Both ends are made from one secret and one context.
///
/// A packet is a header of 12 bytes, a message, and a tag. Send all three.
///
/// A channel that lives no longer than its process needs no storage. For a longer one, store both halves before the
/// first packet (wegman_link_reserve_sealing, wegman_link_reserve_opening), and call wegman_link_restore after a
/// restart. If the process ends before both are stored, take a new secret.
///
/// A forked child has a copy of its parent's links, which return WEGMAN_OTHER_PROCESS there: both would seal under
/// the same numbers. Links that the child makes work.
///
/// Thread safety: one thread at a time.
pub struct LinkEnd(Option<Box<dyn AnyLink>>);

/// Bytes of a header.
const HEADER: usize = Header::BYTES;

/// Stores `length` secret bytes where this end finds them after a restart: write a new file, sync it, rename it, and
/// sync its folder. Return 0 once that is done, and another number if it failed. The function must not use the link,
/// throw an exception or call longjmp.
pub type LinkStore =
    Option<unsafe extern "C" fn(user: *mut c_void, stored: *const u8, length: usize) -> i32>;

/// How many packets had each outcome so far. Anyone can raise these counts by sending packets,
/// except `accepted`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkCounts {
    /// Packets accepted.
    pub accepted: u64,
    /// Packets whose number was accepted before.
    pub replayed: u64,
    /// Packets behind the window.
    pub too_old: u64,
    /// Packets whose number is too far ahead.
    pub outside: u64,
    /// Packets with a wrong tag: attempts at a forgery.
    pub forged: u64,
    /// Packets not checked because the budget was spent.
    pub closed: u64,
    /// Packets put off until the link is stored.
    pub not_reserved: u64,
}

impl LinkCounts {
    /// Its size in the first version.
    const FIRST: usize = 56;
}

impl LinkEnd {
    fn get(&self) -> Result<&dyn AnyLink, Status> {
        self.0.as_deref().ok_or(Status::Internal)
    }

    fn get_mut(&mut self) -> Result<&mut (dyn AnyLink + 'static), Status> {
        self.0.as_deref_mut().ok_or(Status::Internal)
    }

    /// Changes a setting.
    fn set(
        &mut self,
        with: impl FnOnce(Box<dyn AnyLink>) -> Box<dyn AnyLink>,
    ) -> Result<(), Status> {
        let link = self.0.take().ok_or(Status::Internal)?;
        self.0 = Some(with(link));
        Ok(())
    }
}

/// The MAC that C names. Carter-128 would bring Carter into libwegman.
///
/// # Safety
/// `mac` is NULL or a string.
unsafe fn mac_named(mac: *const c_char) -> Result<&'static LinkMac, Status> {
    // SAFETY: the caller's promise.
    let wanted = unsafe { name(mac) }?;
    STANDARD.iter().find(|mac| mac.name.eq_ignore_ascii_case(wanted)).ok_or(Status::Name)
}

door! {
    /// Makes one end of a new channel. The MAC is "UMAC-64", "UMAC-128", "PMAC-AES128" or "PMAC-AES256". `secret` is
    /// 32 random bytes from a key exchange. Never make a second channel from the same secret and context. `context` is
    /// what else both ends agree on, such as the protocol's name; it may be empty. One end is the initiator, the other
    /// is not. Free the end with wegman_link_free.
    ///
    /// Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NAME if no link has that MAC.
    /// Thread safety: any thread at any time.
    /// cbindgen:ptrs-as-arrays=[[secret;32]]
    fn wegman_link_new(
        mac: *const c_char, secret: *const u8, context: *const c_void, context_length: usize, initiator: bool;
        out: *mut *mut LinkEnd
    ) {
        let mac = mac_named(mac)?;
        let secret = bytes(secret.cast(), 32)?.try_into().map_err(|_| Status::Internal)?;
        let context = bytes(context, context_length)?;
        let role = if initiator { Role::Initiator } else { Role::Responder };
        Ok(LinkEnd(Some(mac.link(secret, context, role))))
    }

    /// Continues a channel from what wegman_link_reserve_sealing and wegman_link_reserve_opening stored last. Reserve
    /// both again before the first packet. An older state repeats nonces or accepts packets again. Both halves must
    /// be of one end of one channel; the library does not notice if they are not. The spent budget and the limit of
    /// an epoch are stored. If you changed the budget or the longest message, set them again. Packets up to the
    /// reserved numbers are refused (WEGMAN_TOO_OLD), because they may have been accepted before.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_NAME; WEGMAN_SAVED if the bytes are not those of a link with that MAC.
    /// Thread safety: any thread at any time.
    fn wegman_link_restore(
        mac: *const c_char, sealing: *const c_void, sealing_length: usize, opening: *const c_void,
        opening_length: usize; out: *mut *mut LinkEnd
    ) {
        let mac = mac_named(mac)?;
        let restored = mac.restore(bytes(sealing, sealing_length)?, bytes(opening, opening_length)?);
        Ok(LinkEnd(Some(restored.map_err(|_| Status::Saved)?)))
    }
}

/// Bytes of a tag; 0 for NULL.
///
/// Thread safety: one thread at a time.
#[unsafe(no_mangle)]
pub extern "C" fn wegman_link_tag_length(link: Option<&LinkEnd>) -> usize {
    link.and_then(|link| link.0.as_deref()).map_or(0, AnyLink::tag_bytes)
}

door! {
    /// Seals a message in `count` parts: writes the packet's header of 12 bytes and its tag. These two must not overlap.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if `tag_length` is not wegman_link_tag_length; WEGMAN_TOO_LONG, also if the
    /// message alone exceeds the limit of an epoch; WEGMAN_NOT_RESERVED; WEGMAN_EXHAUSTED; WEGMAN_OTHER_PROCESS.
    /// Thread safety: one thread at a time.
    /// cbindgen:ptrs-as-arrays=[[header;12]]
    fn wegman_link_seal(
        link: Option<&mut LinkEnd>, parts: *const Bytes, count: usize, header: *mut u8, tag: *mut u8, tag_length: usize
    ) {
        let link = link.ok_or(Status::Null)?.get_mut()?;
        not_null(header)?;
        not_null(tag)?;
        ensure(tag_length == link.tag_bytes(), Status::Length)?;
        let mut place = [0; 32];
        let made = place.get_mut(..tag_length).ok_or(Status::Internal)?;
        let sealed = with_parts(parts, count, |parts| Ok(link.seal(parts, made)?))?;
        copy(&sealed.to_bytes(), header);
        copy(made, tag);
    }

    /// Accepts a packet if its tag is right and its number is new. Use the message only if it was accepted.
    ///
    /// Errors: WEGMAN_MISMATCH, WEGMAN_REPLAYED, WEGMAN_TOO_OLD, WEGMAN_OUTSIDE, WEGMAN_TOO_LONG: drop the packet.
    /// WEGMAN_NOT_RESERVED: reserve, and open the packet again, at most twice. An authentic packet beyond the reserved
    /// numbers causes this error, and so does any packet once the reserved attempts are spent. WEGMAN_CLOSED: the
    /// budget is spent; make a channel from a new secret, or set a larger budget. WEGMAN_OTHER_PROCESS; WEGMAN_NULL;
    /// WEGMAN_LENGTH if a tag has another length.
    /// Thread safety: one thread at a time.
    /// cbindgen:ptrs-as-arrays=[[header;12]]
    fn wegman_link_open(
        link: Option<&mut LinkEnd>, header: *const u8, parts: *const Bytes, count: usize, tag: *const u8,
        tag_length: usize
    ) {
        let link = link.ok_or(Status::Null)?.get_mut()?;
        let header = Header::from_bytes(&array::<HEADER>(header)?);
        let tag = list(tag, tag_length)?;
        with_parts(parts, count, |parts| Ok(link.open(header, parts, tag)?))?;
    }

    /// Completes a short header of 4 bytes: it has bytes 3, 9, 10 and 11 of the whole header, which are the last byte
    /// of the epoch and the last three of the number. The result is a guess, made from the oldest epoch whose packets
    /// are accepted; wegman_link_open authenticates it.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_OUTSIDE if there is no such packet.
    /// Thread safety: one thread at a time.
    /// cbindgen:ptrs-as-arrays=[[short_header;4], [header;12]]
    fn wegman_link_extend(link: Option<&LinkEnd>, short_header: *const u8, header: *mut u8) {
        let link = link.ok_or(Status::Null)?.get()?;
        not_null(header)?;
        let whole = link.extend(array(short_header)?).ok_or(Status::Outside)?;
        copy(&whole.to_bytes(), header);
    }

    /// Starts the next epoch: wipes the present key and seals under the next. If the present key has sealed nothing,
    /// the call changes nothing.
    ///
    /// Errors: WEGMAN_NULL, WEGMAN_EXHAUSTED, WEGMAN_OTHER_PROCESS.
    /// Thread safety: one thread at a time.
    fn wegman_link_rekey(link: Option<&mut LinkEnd>) {
        link.ok_or(Status::Null)?.get_mut()?.rekey()?;
    }

    /// Sets the probability of an accepted forgery, over all epochs, at which this end closes: 2^-exponent. The
    /// default is 2^-40 if the tags are long enough.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if the exponent is above 120.
    /// Thread safety: one thread at a time.
    fn wegman_link_set_budget(link: Option<&mut LinkEnd>, exponent: u32) {
        let link = link.ok_or(Status::Null)?;
        ensure(exponent <= 120, Status::Length)?;
        link.set(|end| end.with_budget(Budget::close_at(exponent)))?;
    }

    /// Sets the longest message in bytes. Call it before the first packet, with the same length at both ends. A later call
    /// applies to later packets.
    ///
    /// Errors: WEGMAN_NULL.
    /// Thread safety: one thread at a time.
    fn wegman_link_set_longest(link: Option<&mut LinkEnd>, length: u64) {
        link.ok_or(Status::Null)?.set(|end| end.with_longest(length))?;
    }

    /// Sets how much is sealed under one key: messages, or blocks of 16 bytes for PMAC. Set it before the first
    /// packet, the same at both ends; if set later, it holds from then on. A limit above the present one changes
    /// nothing.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if the limit is 0.
    /// Thread safety: one thread at a time.
    fn wegman_link_set_epoch_limit(link: Option<&mut LinkEnd>, limit: u64) {
        let link = link.ok_or(Status::Null)?;
        // The shortest message costs 1.
        ensure(limit > 0, Status::Length)?;
        link.set(|end| end.with_epoch_limit(limit))?;
    }

    /// Stores the half that seals, and reserves more packets: `messages` is their number, `bytes` the sum of their
    /// lengths. It reserves at most to the end of the epoch. Call it before the first packet, and whenever
    /// wegman_link_seal returns WEGMAN_NOT_RESERVED. Only PMAC counts the bytes, because its limit is in blocks. A
    /// restart loses what was reserved and not used. A thousand messages are a good start. The stored bytes are secret,
    /// and fewer than 512.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_STORE if `store` failed; WEGMAN_OTHER_PROCESS.
    /// Thread safety: one thread at a time.
    fn wegman_link_reserve_sealing(
        link: Option<&mut LinkEnd>, messages: u64, bytes: u64, store: LinkStore, user: *mut c_void
    ) {
        let link = link.ok_or(Status::Null)?.get_mut()?;
        let mut store = storing(store.ok_or(Status::Null)?, user);
        link.reserve_sealer(messages, bytes, &mut store)?;
    }

    /// Stores the half that opens, and reserves packet numbers and forgery attempts: `numbers` is how far above the
    /// highest number so far, `attempts` the count of further forged packets, `bytes` the sum of their lengths. Call it
    /// before the first packet, and whenever wegman_link_open returns WEGMAN_NOT_RESERVED. After a restart, packets up
    /// to the reserved numbers are refused: a smaller number loses fewer packets, a larger one stores less often. The
    /// stored bytes are secret, and fewer than 512.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_STORE if `store` failed; WEGMAN_OTHER_PROCESS.
    /// Thread safety: one thread at a time.
    fn wegman_link_reserve_opening(
        link: Option<&mut LinkEnd>, numbers: u64, attempts: u64, bytes: u64, store: LinkStore, user: *mut c_void
    ) {
        let link = link.ok_or(Status::Null)?.get_mut()?;
        let mut store = storing(store.ok_or(Status::Null)?, user);
        link.reserve_opener(numbers, attempts, bytes, &mut store)?;
    }

    /// How many packets had each outcome. `size` is sizeof(wegman_counts), because a later library may count more.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if `size` is below the first version's.
    /// Thread safety: one thread at a time.
    fn wegman_link_counts(link: Option<&LinkEnd>, counts: *mut LinkCounts, size: usize) {
        let Counts { accepted, replayed, too_old, outside, forged, closed, not_reserved, .. } =
            link.ok_or(Status::Null)?.get()?.counts();
        let made = LinkCounts { accepted, replayed, too_old, outside, forged, closed, not_reserved };
        write_growing(counts, size, LinkCounts::FIRST, &made)?;
    }
}

/// Wipes and frees one end. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wegman_link_free(link: *mut LinkEnd) {
    // SAFETY: the caller's promise.
    unsafe { take(link) };
}

/// C's function that stores.
fn storing(
    store: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> i32,
    context: *mut c_void,
) -> impl FnMut(&[u8]) -> Result<(), NotStored> {
    move |bytes| {
        // SAFETY: C gave the function, and the context for it.
        match unsafe { store(context, bytes.as_ptr(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(NotStored),
        }
    }
}
