//! What other crates rely on, of keys: traits, formats; and `generate`.

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

#[cfg(feature = "getrandom")]
#[test]
fn generated_keys_come_with_their_secrets() {
    use crate::umac_2000::Parameters;
    for parameters in [Parameters::UMAC16, Parameters::UMAC32] {
        let (key, secret) = Umac2000::generate(&parameters).unwrap();
        let nonce = crate::Nonce::counter(1);
        let again = Umac2000::new(&parameters, &secret).unwrap();
        assert_eq!(again.tag(&nonce, b"x"), key.clone().tag(&nonce, b"x"));
    }
    let (key, secret) = Umac1999::<Std30>::generate().unwrap();
    assert_eq!(Umac1999::<Std30>::new(&secret).tag(1, &[7; 99]), key.tag(1, &[7; 99]));
}
