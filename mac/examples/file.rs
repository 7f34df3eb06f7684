//! The PMAC of a file, by `io::copy` and by `update_reader`.
//!
//! `cargo run --example file --features std -- FILE`

use std::fs::File;
use std::io;
use std::path::Path;
use wegman::{Aes128, Tag, pmac};

fn tag(key: &pmac::Key<Aes128, 16>, path: &Path) -> io::Result<Tag<16>> {
    let mut stream = key.stream();
    io::copy(&mut File::open(path)?, &mut stream)?;
    Ok(stream.finish())
}

fn main() -> io::Result<()> {
    let key = pmac::Key::new(b"sixteen byte key");
    let path = std::env::args_os().nth(1).unwrap_or_else(|| file!().into());
    println!("{:x}", tag(&key, path.as_ref())?);
    Ok(())
}

#[test]
fn copied_and_read_files_have_their_tags() {
    let key = pmac::Key::new(b"sixteen byte key");
    let path = std::env::temp_dir().join(format!("wegman-example-{}", std::process::id()));
    for length in [0, 1, 65_536, 1_000_001] {
        let bytes: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let copied = tag(&key, &path).unwrap();
        let mut stream = key.stream();
        assert_eq!(stream.update_reader(File::open(&path).unwrap()).unwrap(), length);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(copied, key.tag(&bytes), "{length} bytes");
        assert_eq!(stream.finish(), copied, "{length} bytes");
    }
}
