//! docs/sizes.md tells the truth.

use wegman::{Aes128, Aes256, NonceOf, Tag, pmac, umac};

#[test]
fn the_page_has_the_sizes() {
    let page = include_str!("../docs/sizes.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let column = if cfg!(target_arch = "x86_64") {
        2
    } else if cfg!(all(target_arch = "x86", target_pointer_width = "32")) {
        3
    } else {
        return; // the page says nothing of other machines
    };
    let said: Vec<(&str, usize)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            (cells[1].trim_matches('`'), cells[column].replace(',', "").parse().expect("a size"))
        })
        .collect();
    macro_rules! sizes {
        ($($type:ty),* $(,)?) => { [$((stringify!($type), size_of::<$type>())),*] };
    }
    let are = sizes![
        umac::Key<4>,
        umac::Key<8>,
        umac::Key<16>,
        umac::CompactKey<8>,
        umac::Stream<&umac::Key<8>, 8>,
        pmac::Key<Aes128, 16>,
        pmac::Key<Aes256, 16>,
        pmac::Stream<&pmac::Key<Aes128, 16>, Aes128, 16>,
        NonceOf<8>,
        Tag<8>,
    ];
    assert_eq!(said, are);
}
