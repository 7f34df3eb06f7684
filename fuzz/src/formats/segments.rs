//! Segments: their lines, their bytes, and what they combine to.

use crate::input::Input;
use crate::keys::key;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use wegman::Bits;
use wegman::pmac::hazmat::Segment;
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::segment::{Object, line, parse};

/// The first byte says what the rest is: a line, a line that is sealed here, a segment's bytes, or a message in parts.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let key = key(0);
    match input.byte() % 4 {
        0 => check_line(&key, input.rest()),
        1 => {
            let version = 1 + input.below(2);
            let start = format!("wegman-segment {version}: {}: ", key.describe());
            let covered = [start.as_bytes(), input.rest()].concat();
            let seal = key.derive(Purpose::Segments).tag(None, &covered).expect("no nonce");
            check_line(&key, &[&covered[..], format!(" seal={seal}").as_bytes()].concat());
        }
        2 => {
            let bytes = input.rest();
            let Ok(segment) = Segment::from_bytes(bytes) else { return };
            assert_eq!(segment.to_bytes()[..], *bytes);
            let _ = segment.then(&segment);
        }
        _ => combined(&key, input),
    }
}

fn check_line(key: &KeyFile, text: &[u8]) {
    let seals = key.derive(Purpose::Segments);
    let Ok((object, segment)) = parse(text, key, &*seals) else { return };
    // Lines of version 1 are read, and written as version 2.
    let printed = line(key, &object, &segment).expect("it was read");
    let printed = printed.strip_suffix(b"\n").expect("a line");
    assert!(printed == text || text.starts_with(b"wegman-segment 1: "));
    let (again, back) = parse(printed, key, &*seals).ok().expect("what was printed");
    assert_eq!((again.id, again.length), (object.id, object.length));
    assert_eq!(back.to_bytes(), segment.to_bytes());
}

/// A message in parts, in any order: their tag is that of the message.
fn combined(key: &KeyFile, mut input: Input<'_>) {
    let file_key = key.derive(Purpose::Files);
    let pmac = file_key.pmac().expect("PMAC");
    let message = input.message(5000);
    let mut segments = Vec::new();
    let mut at = 0;
    loop {
        let blocks = usize::from(input.byte()) % 40;
        let end = if segments.len() == 12 { message.len() } else { at + 16 * blocks };
        let end = end.min(message.len());
        let (start, part) = ((at / 16) as u64, &message[at..end]);
        let segment = pmac.segment(start, Bits::from(part)).expect("it is in the message");
        let mut stream = pmac.segment_stream(start);
        input.pieces(part, 4).iter().for_each(|piece| pmac.update_segment(&mut stream, piece));
        let streamed = pmac.segment_of_stream(&stream).expect("it is in the message");
        assert_eq!(streamed.to_bytes(), segment.to_bytes());
        segments.push(segment);
        at = end;
        if at == message.len() {
            break;
        }
    }
    let id = input.bool().then(|| OsString::from_vec(input.message(60)));
    let object = Object { id, length: input.bool().then(|| input.number()) };
    let printed = line(key, &object, &segments[0]).expect("it can be written");
    check_line(key, printed.strip_suffix(b"\n").expect("a line"));
    for i in (1..segments.len()).rev() {
        segments.swap(i, input.below(i + 1));
    }
    let whole = Segment::combine(&mut segments).expect("no gap");
    assert_eq!(whole.bits(), 8 * message.len() as u64);
    let tag = pmac.tag_of_segment(&whole).expect("from the beginning");
    assert_eq!(tag, file_key.tag(None, &message).expect("no nonce"));
}
