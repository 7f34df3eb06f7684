//! `libwegman` from C and C++: programs compiled by the compilers of this machine against wegman.h and the static library.

mod answers;
mod compilers;
mod header;
mod nulls;
mod openssh;
mod shipped;

use compilers::{Language, compilers, program, run};
use std::process::Command;

#[test]
fn the_contract_holds_for_every_compiler() {
    for compiler in compilers(Language::C99) {
        let contract = program(&compiler, &[], &["tests/c_library/c/contract.c"]);
        assert_eq!(run(&contract, &[], b""), "the contract holds\n");
        let watched = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];
        let contract = program(&compiler, &watched, &["tests/c_library/c/contract.c"]);
        assert_eq!(run(&contract, &[], b""), "the contract holds\n");
    }
}

/// Valgrind has no AVX-512 and says so to programs that ask the processor: the keys choose other kernels.
#[test]
fn valgrind_sees_no_error_and_no_leak() {
    let Some(valgrind) = compilers::tool("valgrind", "valgrind") else { return };
    for compiler in compilers(Language::C99).into_iter().take(1) {
        let contract = program(&compiler, &["-g"], &["tests/c_library/c/contract.c"]);
        let arguments =
            ["--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=all", "--"];
        let arguments =
            arguments.iter().map(|text| (*text).into()).chain([contract.into_os_string()]);
        assert_eq!(run(&valgrind, &arguments.collect::<Vec<_>>(), b""), "the contract holds\n");
    }
}

/// Both limits, and the size of the thread, are what wegman.h says.
#[test]
fn the_calls_fit_on_the_stack_of_a_small_thread() {
    let header = std::fs::read_to_string(compilers::here().join("include/wegman.h")).unwrap();
    let (_, stack) = header.split_once(" Stack: ").expect("wegman.h says it");
    let sizes = stack.split(" KiB").map(|before| before.rsplit(' ').next()?.parse::<usize>().ok());
    let sizes: Vec<_> = sizes.take(3).map(|size| 1024 * size.expect("a number")).collect();
    for compiler in compilers(Language::C99) {
        // A function that is looked for at its first call has all registers on the stack.
        let stack = program(&compiler, &["-Wl,-z,now"], &["tests/c_library/c/stack.c"]);
        let used = run(&stack, &[sizes[2].to_string().into()], b"");
        let used: Vec<usize> = used.split_whitespace().map(|size| size.parse().unwrap()).collect();
        assert!(used[0] <= sizes[0] && used[1] <= sizes[1], "{used:?} bytes, more than {sizes:?}");
    }
}

/// Under two secrets, the same calls leave the same memory: freed blocks, the stack, static data.
#[cfg(target_os = "linux")]
#[test]
fn what_is_freed_depends_on_no_secret() {
    // A function that is found at its first call has all registers on the stack.
    for compiler in compilers(Language::C99).into_iter().take(1) {
        let wiped = program(&compiler, &["-Wl,-z,now"], &["tests/c_library/c/wiped.c"]);
        let output = Command::new(wiped).output().unwrap();
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{report}");
        assert_eq!(output.stdout, b"0 bytes depend on the secret\n", "{report}");
    }
}
