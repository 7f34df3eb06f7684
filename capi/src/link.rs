//! Links: two ends of a channel from one secret.

use crate::door::door;
use crate::raw::{Bytes, array, bytes, copy, list, take, with_parts, writable, write_growing};
use crate::status::Status;
use core::ffi::{CStr, c_char, c_void};
use wegman::session::{Budget, Header, Role};
use wegman_catalogue::link::{AnyLink, NotStored, link_mac};

/// One end of a channel: it counts, refuses replays, changes keys, and keeps the chance of a forgery below a budget. Both ends
/// are made from one secret and context. docs/sessions.md of wegman says what it does and which keys it derives.
///
/// A packet is a header of 12 bytes, a message, and a tag. The header is sent with the packet.
///
/// A channel that lives as long as its process needs nothing stored. One that outlives it stores both halves, by
/// wegman_link_reserve_sealing and wegman_link_reserve_opening, before its first packet, and after a restart begins with
/// wegman_link_restore. If it ends before both were stored once, the channel needs a new secret.
///
/// A fork copies the numbers, and the parent goes on with them: in the child, the link seals, opens and stores nothing, and
/// returns WEGMAN_OTHER_PROCESS. A link that the child makes works there.
///
/// Thread safety: one thread at a time.
pub struct LinkEnd(Option<Box<dyn AnyLink>>);

/// Bytes of a header.
const HEADER: usize = Header::BYTES;

/// Stores `length` bytes, which are secret, where this end finds them after a restart: writes another file, syncs it, renames
/// it, and syncs its folder. Returns 0 once that is done, and another number if it failed. It must not use the link, throw an
/// exception or longjmp.
pub type LinkStore =
    Option<unsafe extern "C" fn(user: *mut c_void, stored: *const u8, length: usize) -> i32>;

/// How many packets had each outcome so far. Anybody can send packets that are counted: only `accepted` are authentic.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkCounts {
    /// Packets accepted.
    pub accepted: u64,
    /// Packets whose number had been accepted before.
    pub replayed: u64,
    /// Packets behind the window.
    pub too_old: u64,
    /// Packets whose number is too far ahead.
    pub outside: u64,
    /// Packets whose tag was wrong: attempts at a forgery.
    pub forged: u64,
    /// Packets that were not checked because the budget was spent.
    pub closed: u64,
    /// Packets that were put off until the link is stored.
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

/// The name that C passes.
///
/// # Safety
/// `name` is NULL or a string.
pub(crate) unsafe fn name<'a>(name: *const c_char) -> Result<&'a str, Status> {
    if name.is_null() {
        return Err(Status::Null);
    }
    // SAFETY: not NULL, and the caller's promise.
    unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Status::Name)
}

door! {
    /// Makes one end of a new channel with the MAC "UMAC-64", "UMAC-128", "PMAC-AES128", "PMAC-AES256" or, experimental,
    /// "Carter-128". `secret` has 32 random bytes, from a key exchange. A secret and a context never make a second channel.
    /// `context` is what else the ends agree on, such as the protocol's name; it may be empty. One end is the initiator, the other
    /// is not. Free it with wegman_link_free.
    ///
    /// Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NAME if no link has that MAC. Thread safety: any thread at any time.
    /// cbindgen:ptrs-as-arrays=[[secret;32]]
    fn wegman_link_new(
        mac: *const c_char, secret: *const u8, context: *const c_void, context_length: usize, initiator: bool;
        out: *mut *mut LinkEnd
    ) {
        let mac = link_mac(name(mac)?).ok_or(Status::Name)?;
        let secret = bytes(secret.cast(), 32)?.try_into().map_err(|_| Status::Internal)?;
        let context = bytes(context, context_length)?;
        let role = if initiator { Role::Initiator } else { Role::Responder };
        Ok(LinkEnd(Some(mac.link(secret, context, role))))
    }

    /// Continues a channel from what wegman_link_reserve_sealing and wegman_link_reserve_opening have stored last: reserve both
    /// again before the first packet. Older states repeat nonces, or accept packets again. Both halves are of one end of one
    /// channel: halves of different ones are not noticed. What was spent and the limit of an epoch are stored; set the budget and
    /// the longest message again if they were not the usual ones. Packets up to the numbers that were reserved are refused
    /// (WEGMAN_TOO_OLD): they may have been accepted before.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_NAME; WEGMAN_SAVED if the bytes are not those of a link with that MAC.
    /// Thread safety: any thread at any time.
    fn wegman_link_restore(
        mac: *const c_char, sealing: *const c_void, sealing_length: usize, opening: *const c_void,
        opening_length: usize; out: *mut *mut LinkEnd
    ) {
        let mac = link_mac(name(mac)?).ok_or(Status::Name)?;
        let (sealing, opening) =
            (bytes(sealing, sealing_length)?, bytes(opening, opening_length)?);
        let restored = mac.restore(sealing, opening).map_err(|_| Status::Saved)?;
        Ok(LinkEnd(Some(restored)))
    }
}

/// How many bytes a tag has; 0 for NULL. Thread safety: one thread at a time.
#[unsafe(no_mangle)]
pub extern "C" fn wegman_link_tag_length(link: Option<&LinkEnd>) -> usize {
    link.and_then(|link| link.0.as_deref()).map_or(0, AnyLink::tag_bytes)
}

door! {
    /// Seals a message in `count` parts: writes the packet's header, of 12 bytes, and its tag.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if `tag_length` is not wegman_link_tag_length; WEGMAN_TOO_LONG, also if the message alone
    /// is more than is sealed under one key; WEGMAN_NOT_RESERVED; WEGMAN_EXHAUSTED; WEGMAN_OTHER_PROCESS. Thread safety: one
    /// thread at a time.
    /// cbindgen:ptrs-as-arrays=[[header;12]]
    fn wegman_link_seal(
        link: Option<&mut LinkEnd>, parts: *const Bytes, count: usize, header: *mut u8, tag: *mut u8, tag_length: usize
    ) {
        let link = link.ok_or(Status::Null)?.get_mut()?;
        writable(header)?;
        writable(tag)?;
        if tag_length != link.tag_bytes() {
            return Err(Status::Length);
        }
        let mut place = [0; 32];
        let made = place.get_mut(..tag_length).ok_or(Status::Internal)?;
        let sealed = with_parts(parts, count, |parts| Ok(link.seal(parts, made)?))?;
        copy(&sealed.to_bytes(), header);
        copy(made, tag);
    }

    /// Accepts a packet if its tag is right and its number is new. Use the message only then.
    ///
    /// Errors: WEGMAN_MISMATCH, WEGMAN_REPLAYED, WEGMAN_TOO_OLD, WEGMAN_OUTSIDE, WEGMAN_TOO_LONG: drop the packet.
    /// WEGMAN_NOT_RESERVED: reserve, and open it again, twice at most. Only an authentic packet, or as many forged ones as were
    /// reserved, give it. WEGMAN_CLOSED: the budget is spent; make a channel from a new secret, or set a larger budget.
    /// WEGMAN_OTHER_PROCESS; WEGMAN_NULL; WEGMAN_LENGTH if a tag has another length. Thread safety: one thread at a time.
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

    /// The whole header of a packet that came with a short one, of 4 bytes: the last byte of the epoch and the last three of the
    /// number, bytes 3, 9, 10 and 11 of the header. It is a guess that wegman_link_open authenticates, from the oldest epoch whose
    /// packets are accepted on.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_OUTSIDE if there is no such packet. Thread safety: one thread at a time.
    /// cbindgen:ptrs-as-arrays=[[short_header;4], [header;12]]
    fn wegman_link_extend(link: Option<&LinkEnd>, short_header: *const u8, header: *mut u8) {
        let link = link.ok_or(Status::Null)?.get()?;
        writable(header)?;
        let whole = link.extend(array(short_header)?).ok_or(Status::Outside)?;
        copy(&whole.to_bytes(), header);
    }

    /// Seals from now on under the key of the next epoch, and wipes the present one. A key that has sealed nothing stays.
    ///
    /// Errors: WEGMAN_NULL, WEGMAN_EXHAUSTED, WEGMAN_OTHER_PROCESS. Thread safety: one thread at a time.
    fn wegman_link_rekey(link: Option<&mut LinkEnd>) {
        link.ok_or(Status::Null)?.get_mut()?.rekey()?;
    }

    /// Sets the chance of an accepted forgery, over all epochs, at which the end closes: 2^-exponent. It is 2^-40 at first, if the
    /// tags are long enough.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if the exponent is above 120. Thread safety: one thread at a time.
    fn wegman_link_set_budget(link: Option<&mut LinkEnd>, exponent: u32) {
        let link = link.ok_or(Status::Null)?;
        if exponent > 120 {
            return Err(Status::Length);
        }
        link.set(|end| end.with_budget(Budget::close_at(exponent)))?;
    }

    /// Sets, before the first packet, the longest message in bytes. Both ends set the same. It matters for Carter. Set later, it counts
    /// from then on.
    ///
    /// Errors: WEGMAN_NULL. Thread safety: one thread at a time.
    fn wegman_link_set_longest(link: Option<&mut LinkEnd>, length: u64) {
        link.ok_or(Status::Null)?.set(|end| end.with_longest(length))?;
    }

    /// Sets, before the first packet, how much is sealed under one key: messages, or blocks of 16 bytes for PMAC. Both ends set
    /// the same. A higher limit than the present one changes nothing. Set later, it holds from then on.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if the limit is 0, under which no message fits. Thread safety: one thread at a time.
    fn wegman_link_set_epoch_limit(link: Option<&mut LinkEnd>, limit: u64) {
        let link = link.ok_or(Status::Null)?;
        // The shortest message costs 1.
        if limit == 0 {
            return Err(Status::Length);
        }
        link.set(|end| end.with_epoch_limit(limit))?;
    }

    /// Stores the half that seals, and lets it seal `messages` more messages of `bytes` bytes in all, at most to the end of its
    /// epoch: before the first packet, and whenever wegman_link_seal returns WEGMAN_NOT_RESERVED. The bytes count for PMAC, whose
    /// limit is in blocks. After a restart, what was reserved and not used is lost. A thousand messages are a good start. What is
    /// stored is secret, and shorter than 512 bytes.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_STORE if `store` failed; WEGMAN_OTHER_PROCESS. Thread safety: one thread at a time.
    fn wegman_link_reserve_sealing(
        link: Option<&mut LinkEnd>, messages: u64, bytes: u64, store: LinkStore, user: *mut c_void
    ) {
        let link = link.ok_or(Status::Null)?.get_mut()?;
        let mut store = storing(store.ok_or(Status::Null)?, user);
        link.reserve_sealer(messages, bytes, &mut store)?;
    }

    /// Stores the half that opens, and lets it accept numbers up to `numbers` above the highest so far, and examine `attempts` more
    /// forged packets of `bytes` bytes in all: before the first packet, and whenever wegman_link_open returns
    /// WEGMAN_NOT_RESERVED. After a restart, packets up to those numbers are refused: a small number loses fewer of them, a large
    /// one stores less often. What is stored is secret, and shorter than 512 bytes.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_STORE if `store` failed; WEGMAN_OTHER_PROCESS. Thread safety: one thread at a time.
    fn wegman_link_reserve_opening(
        link: Option<&mut LinkEnd>, numbers: u64, attempts: u64, bytes: u64, store: LinkStore, user: *mut c_void
    ) {
        let link = link.ok_or(Status::Null)?.get_mut()?;
        let mut store = storing(store.ok_or(Status::Null)?, user);
        link.reserve_opener(numbers, attempts, bytes, &mut store)?;
    }

    /// What became of packets. `size` is sizeof(wegman_counts): a later library may count more.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if no version of this library has so short a wegman_counts.
    /// Thread safety: one thread at a time.
    fn wegman_link_counts(link: Option<&LinkEnd>, counts: *mut LinkCounts, size: usize) {
        let now = link.ok_or(Status::Null)?.get()?.counts();
        let made = LinkCounts {
            accepted: now.accepted,
            replayed: now.replayed,
            too_old: now.too_old,
            outside: now.outside,
            forged: now.forged,
            closed: now.closed,
            not_reserved: now.not_reserved,
        };
        write_growing(counts, size, LinkCounts::FIRST, &made)?;
    }
}

/// Wipes and frees one end. NULL is allowed, and nothing happens.
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
