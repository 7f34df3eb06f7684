//! A stream that owns its key by `Arc`, and so moves into a task on another thread.
//!
//! `cargo run --example async_stream`

use std::sync::Arc;
use wegman::{NonceOf, Tag, umac};

type Key = umac::Key<16>;

/// Tags what arrives on a channel, under a key that other tasks use too. Who starts the tasks counts the nonces.
async fn tag_upload(
    key: Arc<Key>,
    nonce: NonceOf<8>,
    mut pieces: tokio::sync::mpsc::Receiver<Vec<u8>>,
) -> Tag<16> {
    let mut stream = umac::Stream::<_, 16>::new(key);
    while let Some(piece) = pieces.recv().await {
        stream.update(&piece); // the stream lives across this await, on whatever thread goes on
    }
    stream.finish(nonce)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let key = Arc::new(Key::new(b"sixteen byte key"));
    let tag = runtime.block_on(async {
        let (sender, pieces) = tokio::sync::mpsc::channel(4);
        let upload = tokio::spawn(tag_upload(Arc::clone(&key), NonceOf::counter(1), pieces));
        for piece in 0..100 {
            sender.send(vec![piece; 1000]).await.unwrap();
        }
        drop(sender);
        upload.await.unwrap()
    });
    let whole: Vec<u8> = (0..100).flat_map(|piece| vec![piece; 1000]).collect();
    assert!(key.verify(&NonceOf::counter(1), &whole, &tag).is_ok());
    println!("{tag}");
}

#[test]
fn it_runs() {
    main();
}
