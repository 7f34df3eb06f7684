//! Messages by the rules of the files.

use serde_json::json;
use wegman_answers::message::{of_case, of_sweep};

#[test]
fn rules_expand_as_the_files_describe_them() {
    let bytes = |rule| of_case(&json!({ "msg": rule })).unwrap();
    assert_eq!(bytes(json!({"pattern": "repeat", "unit_hex": "6162", "repeat": 2})), b"abab");
    let affine = json!({"pattern": "affine", "a": 7, "b": 3, "length": 38});
    assert_eq!((bytes(affine.clone())[1], bytes(affine)[37]), (10, ((7 * 37 + 3) % 256) as u8));
    let quad = json!({"pattern": "quad", "a": 1, "b": 2, "c": 5, "length": 40});
    assert_eq!(bytes(quad)[39], ((39 * 39 + 2 * 39 + 5) / 4 % 256) as u8);
    let krovetz = json!({"pattern": "krovetz2000", "length": 300});
    assert_eq!(bytes(krovetz)[299], ((299 % 127) * (299 % 123) % 127) as u8);
    let concat =
        json!({"pattern": "concat", "parts": [{"hex": "ff"}, {"hex": ""}, {"hex": "0102"}]});
    assert_eq!(bytes(concat), [255, 1, 2]);
    assert!(of_case(&json!({"msg": {"pattern": "unheard of"}})).is_err());
}

#[test]
fn sweeps_give_each_length() {
    let sweep = of_sweep("for every length L = 1..3: affine a=7 b=3 length=L").unwrap();
    let messages: Vec<_> = sweep.map(Result::unwrap).collect();
    assert_eq!(messages, [(vec![3], None), (vec![3, 10], None), (vec![3, 10, 17], None)]);
    let rule = "for every bit count N = 8..9: the first N bits of affine a=7 b=3 length=ceil(N/8)";
    let messages: Vec<_> = of_sweep(rule).unwrap().map(Result::unwrap).collect();
    assert_eq!(messages, [(vec![3], Some(8)), (vec![3, 10], Some(9))]);
    assert!(of_sweep("for some lengths").is_err());
    assert!(of_sweep("for every length L = 0..99999999: affine a=7 b=3 length=L").is_err());
}
