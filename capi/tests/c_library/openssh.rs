//! `capi/openssh`: OpenSSH's umac interface.

use crate::compilers::{Compiler, Language, compilers, program, run};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::PathBuf;

/// Of what `capi/openssh/answers.c` prints with the objects of OpenSSH 9.2p1, Debian 1:9.2p1-2+deb12u10. `make openssh` compares
/// the lines with those of an OpenSSH that it builds.
const ANSWERS: &str = "1426fbda8163900a4a55765298d76e82e7c612d72e33c50acb5a6c710062e06b";

fn with_umac(compiler: &Compiler, options: &[&str], source: &str) -> PathBuf {
    // u_char is not of POSIX.
    let options = [&["-D_DEFAULT_SOURCE"], options].concat();
    let sources = [source, "openssh/umac.c", "tests/c_library/c/umac128.c"];
    program(compiler, &options, &sources)
}

#[test]
fn the_tags_are_those_of_openssh() {
    for compiler in compilers(Language::C99) {
        let watched = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];
        for options in [&[][..], &watched] {
            let answers = with_umac(&compiler, options, "openssh/answers.c");
            let lines = run(&answers, &[], b"");
            let mut hash = String::new();
            for byte in Sha256::digest(lines.as_bytes()) {
                write!(hash, "{byte:02x}").unwrap();
            }
            assert_eq!(hash, ANSWERS, "{} lines", lines.lines().count());
        }
    }
}

/// OpenSSH does not look at what `umac_update` and `umac_final` return: they return only when they have done it.
#[test]
fn failures_give_no_tag() {
    for compiler in compilers(Language::C99) {
        let failures = with_umac(&compiler, &[], "tests/c_library/c/umac_failures.c");
        assert_eq!(run(&failures, &[], b""), "it fails as it should\n");
    }
}
