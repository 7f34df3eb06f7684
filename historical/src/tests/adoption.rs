//! What other crates rely on, of keys: traits, formats.

use crate::umac_1999::Std30;
use crate::{Umac16, Umac32, Umac1999, Umac2000};
use zeroize::ZeroizeOnDrop;

fn is_a_key<K: Clone + Send + Sync + ZeroizeOnDrop>() {}

#[test]
fn keys_have_the_traits_of_keys() {
    is_a_key::<Umac16<8>>();
    is_a_key::<Umac32<8>>();
    is_a_key::<Umac1999<Std30>>();
    is_a_key::<Umac2000>();
}

#[test]
fn debug_shows_no_secret() {
    let text = format!("{:?}", Umac16::<8>::new(&[0x5a; 16]));
    assert!(!text.contains("5a") && !text.contains("90") && text.len() < 60, "{text}");
}
