//! Every algorithm of the catalogue on every kernel: tags, streams and batches.
//!
//! Not watched: triple DES, whose crate uses tables.

use crate::cases::{Cases, LONGEST};
use wegman::Cpu;
use wegman_catalogue::{ALGORITHMS, Algorithm, Nonce};

const TAKEN: &str = "lengths that the algorithm takes";

/// All of them, under nonces of the greatest length each takes.
pub fn add(cases: &mut Cases) {
    for algorithm in ALGORITHMS.iter().filter(|algorithm| &*algorithm.name != "PMAC-DES-EDE3") {
        add_algorithm(algorithm, cases);
    }
}

/// The pieces of a long message: beyond the switch of level 2, and enough for threads.
fn long(algorithm: &Algorithm) -> &'static [usize] {
    match &*algorithm.name {
        "UMAC-32" | "UMAC-64" | "UMAC-96" | "UMAC-128" => &[LONGEST, 3 << 20],
        "Carter-128" | "PMAC-AES128" => &[(3 << 20) + 7],
        name if name.starts_with("UMAC") => &[513 * 1024 + 1],
        _ => &[],
    }
}

fn add_algorithm(algorithm: &'static Algorithm, cases: &mut Cases) {
    let (short, whole) = (*algorithm.tag_bytes.start(), *algorithm.tag_bytes.end());
    let nonce_bytes = algorithm.nonce_bytes.and_then(|lengths| lengths.last().copied());
    // In batches, some carry into their third byte.
    let nonce = nonce_bytes.map(|bytes| Nonce::counter_of(bytes, 0xfffd));
    // The highest bit of hash127 is known.
    let known = usize::from(algorithm.name.starts_with("hash127"));
    let (lengths, are_traced) = (cases.lengths(), cases.are_traced);
    let rows = algorithm.kernels(Cpu::detect());
    cases.add(algorithm.name.to_string(), rows, move |cpu, secret, message| {
        let nonce = nonce.as_ref();
        let make = |tag_bytes| {
            let secret = &secret[..algorithm.key_bytes];
            algorithm.key_with(cpu, secret, tag_bytes, nonce_bytes).expect(TAKEN)
        };
        let (key, cut) = (make(whole), make(short));
        let mut results = Vec::new();
        let mut add = |tag: &[u8]| results.push(tag[..tag.len() - known].to_vec());
        for message in lengths.iter().map(|&length| &message[..length]) {
            add(key.tag(nonce, message).expect(TAKEN).to_bytes());
            add(cut.tag(nonce, message).expect(TAKEN).to_bytes());
            let mut stream = key.stream();
            stream.update(&message[..message.len() / 3]);
            stream.update(&message[message.len() / 3..]);
            add(stream.finish(nonce).expect(TAKEN).to_bytes());
        }
        let mut stream = key.stream();
        let long = if are_traced { &[] } else { long(algorithm) };
        long.iter().for_each(|&piece| stream.update_rayon(&message[..piece]));
        add(stream.finish(nonce).expect(TAKEN).to_bytes());
        // Short, around one and a few blocks, and all lengths.
        let longest = |longest: usize| move |i| longest - 7 * i % (longest.min(16) + 1);
        let batches: [&dyn Fn(usize) -> usize; 7] = [
            &|i| i % 65,
            &longest(16),
            &longest(32),
            &longest(48),
            &longest(80),
            &|i| 1 + 7 * i % 2100,
            &|i| lengths[i % lengths.len()],
        ];
        for length in batches {
            for &count in if are_traced { &[2, 11][..] } else { &[2, 11, 41] } {
                let batch: Vec<&[u8]> = (0..count).map(|i| &message[..length(i)]).collect();
                let mut tags = vec![0; count * whole];
                key.tags(nonce, &batch, &mut tags).expect(TAKEN);
                tags.chunks_exact(whole).for_each(&mut add);
            }
        }
        results
    });
}
