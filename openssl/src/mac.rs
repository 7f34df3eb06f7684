//! The functions of a MAC, as EVP_MAC calls them. A panic never crosses: it is an error.

use crate::algorithms::{OFFERED, Offered};
use crate::context::{Context, Error, Failure};
use crate::ffi::{
    Algorithm, Core, Dispatch, END, NO_ALGORITHM, Param, answer_params, bytes, params,
};
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;
use std::panic::{AssertUnwindSafe, catch_unwind};
use wegman_catalogue::wegman::hazmat::wiped::Wiped;

/// A context, and where its errors go.
struct Mac {
    core: Core,
    context: Context,
}

/// Runs a body. OpenSSL takes 1 for success and 0 for failure.
fn guard(core: Option<&Core>, body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    let outcome =
        catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(Error::Internal.into()));
    match (outcome, core) {
        (Ok(()), _) => 1,
        (Err(Failure { error, place }), Some(core)) => {
            core.raise(error as u32, place);
            0
        }
        (Err(_), None) => 0,
    }
}

/// The context that OpenSSL passes, and a copy of its core for errors.
///
/// # Safety
/// `context` is NULL or came from [`new`] and is used by nobody else.
unsafe fn with(
    context: *mut c_void,
    body: impl FnOnce(&mut Context) -> Result<(), Failure>,
) -> c_int {
    // SAFETY: the caller's promise.
    let Some(Mac { core, context }) = (unsafe { context.cast::<Mac>().as_mut() }) else { return 0 };
    guard(Some(core), || body(context))
}

/// What OpenSSL keeps of a context; NULL if it can't be made.
fn give(core: &Core, context: impl FnOnce() -> Result<Context, Failure>) -> *mut c_void {
    let mut made = null_mut();
    guard(Some(core), || {
        let mac = || Ok::<_, Failure>(Mac { core: *core, context: context()? });
        made = Box::into_raw(Wiped::try_boxed(mac)?).cast();
        Ok(())
    });
    made
}

/// A new context of the algorithm number `I`.
unsafe extern "C" fn new<const I: usize>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL passes what `OSSL_provider_init` gave it.
    let Some(core) = (unsafe { provider.cast::<Core>().as_ref() }) else { return null_mut() };
    give(core, || Ok(Context::new(OFFERED[I].algorithm().ok_or(Error::Internal)?)))
}

unsafe extern "C" fn duplicate(context: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL passes a context of ours.
    let Some(Mac { core, context }) = (unsafe { context.cast::<Mac>().as_ref() }) else {
        return null_mut();
    };
    give(core, || Ok(context.copy()))
}

unsafe extern "C" fn free(context: *mut c_void) {
    if !context.is_null() {
        guard(None, || {
            // SAFETY: OpenSSL passes a context of ours, and does not use it any more.
            drop(unsafe { Box::from_raw(context.cast::<Wiped<Mac>>()) });
            Ok(())
        });
    }
}

unsafe extern "C" fn init(
    context: *mut c_void,
    key: *const u8,
    length: usize,
    list: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, the bytes of the key, and a list of parameters.
    unsafe {
        with(context, |context| {
            context.begin_with(|context| {
                if !key.is_null() {
                    context.set_key(bytes(key, length).ok_or(Error::KeyLength)?)?;
                }
                set(context, list)
            })
        })
    }
}

unsafe extern "C" fn update(context: *mut c_void, data: *const u8, length: usize) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and the bytes.
    unsafe { with(context, |context| context.update(bytes(data, length).ok_or(Error::Parameter)?)) }
}

unsafe extern "C" fn finish(
    context: *mut c_void,
    out: *mut u8,
    length: *mut usize,
    room: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, a place of `room` bytes, and one for the length. The bytes of the place may
    // not be initialised, so the tag is made elsewhere.
    unsafe {
        with(context, |context| {
            let mut tag = [0; 32];
            let mut made = context.tag_bytes();
            if !out.is_null() {
                let usable = room.min(tag.len());
                made = context.finish(&mut tag[..usable])?;
                out.copy_from_nonoverlapping(tag.as_ptr(), made);
            }
            if let Some(length) = length.as_mut() {
                *length = made;
            }
            Ok(())
        })
    }
}

/// # Safety
/// As for [`params`].
unsafe fn set(context: &mut Context, list: *const Param) -> Result<(), Failure> {
    // The key first, wherever it is in the list: the others depend on it.
    // SAFETY: the caller's promise.
    for param in unsafe { params(list) } {
        if param.is(c"key") {
            context.set_key(param.as_octets().ok_or(Error::Parameter)?)?;
        }
    }
    // SAFETY: the caller's promise.
    for param in unsafe { params(list) } {
        // As with OpenSSL's own MACs, what they do not know is for others.
        if param.is(c"iv") {
            context.set_nonce(param.as_octets().ok_or(Error::Parameter)?)?;
        } else if param.is(c"size") {
            context.set_tag_bytes(param.as_number().ok_or(Error::Parameter)?)?;
        } else if param.is(c"xof") && param.as_number() != Some(0) {
            // There is no output of any length: whoever asks for it would take what is after the tag for output.
            return Err(Error::Parameter.into());
        }
    }
    Ok(())
}

unsafe extern "C" fn set_params(context: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: OpenSSL passes a context of ours and a list of parameters.
    unsafe { with(context, |context| set(context, list)) }
}

unsafe extern "C" fn get_params(context: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: OpenSSL passes a context of ours and a list of parameters.
    unsafe {
        with(context, |context| {
            let answered = answer_params(list, |param| {
                if param.is(c"size") {
                    param.answer_number(context.tag_bytes())
                } else if param.is(c"block-size") {
                    param.answer_number(16)
                } else {
                    true
                }
            });
            if answered { Ok(()) } else { Err(Error::Parameter.into()) }
        })
    }
}

static GETTABLE: [Param; 3] = [Param::number(c"size"), Param::number(c"block-size"), Param::END];
/// The first is not for MACs without a nonce.
static SETTABLE: [Param; 4] =
    [Param::octets(c"iv"), Param::octets(c"key"), Param::number(c"size"), Param::END];

extern "C" fn gettable(_: *mut c_void, _: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

extern "C" fn settable<const I: usize>(_: *mut c_void, _: *mut c_void) -> *const Param {
    let takes_nonces = OFFERED[I].algorithm().is_some_and(|it| it.nonce_bytes.is_some());
    SETTABLE[usize::from(!takes_nonces)..].as_ptr()
}

/// The functions of the algorithm number `I`.
const fn functions<const I: usize>() -> [Dispatch; 11] {
    [
        Dispatch::new(1, new::<I> as *const c_void), // OSSL_FUNC_MAC_NEWCTX
        Dispatch::new(2, duplicate as *const c_void), // OSSL_FUNC_MAC_DUPCTX
        Dispatch::new(3, free as *const c_void),     // OSSL_FUNC_MAC_FREECTX
        Dispatch::new(4, init as *const c_void),     // OSSL_FUNC_MAC_INIT
        Dispatch::new(5, update as *const c_void),   // OSSL_FUNC_MAC_UPDATE
        Dispatch::new(6, finish as *const c_void),   // OSSL_FUNC_MAC_FINAL
        Dispatch::new(8, get_params as *const c_void), // OSSL_FUNC_MAC_GET_CTX_PARAMS
        Dispatch::new(9, set_params as *const c_void), // OSSL_FUNC_MAC_SET_CTX_PARAMS
        Dispatch::new(11, gettable as *const c_void), // OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS
        Dispatch::new(12, settable::<I> as *const c_void), // OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS
        END,
    ]
}

/// The algorithm number `I`, as OpenSSL wants it.
const fn entry<const I: usize>() -> Algorithm {
    let Offered { name, properties, description } = OFFERED[I];
    Algorithm {
        names: name.as_ptr(),
        properties: properties.as_ptr(),
        functions: const { &functions::<I>() }.as_ptr(),
        description: description.as_ptr(),
    }
}

/// Every algorithm that is offered.
pub(crate) static ENTRIES: [Algorithm; OFFERED.len() + 1] = [
    entry::<0>(),
    entry::<1>(),
    entry::<2>(),
    entry::<3>(),
    entry::<4>(),
    entry::<5>(),
    entry::<6>(),
    entry::<7>(),
    NO_ALGORITHM,
];
