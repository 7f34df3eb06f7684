//! Runs single instructions for instructions.py.

// One instruction with all registers: `step(state, code)` loads them from the state, jumps to the code, and stores them when
// the code jumps to `stepped`. The state: 16 numbers, the flags, 8 masks, 32 vectors; each kind begins at a multiple of 64.
core::arch::global_asm!(
    ".macro all_numbers load",
    ".set number, 0",
    ".irp r, rax, rcx, rdx, rbx, rsp, rbp, rsi, r8, r9, r10, r11, r12, r13, r14, r15",
    ".if number == 56",
    ".set number, 64",
    ".endif",
    ".if \\load",
    "mov \\r, [rdi + number]",
    ".else",
    "mov [rdi + number], \\r",
    ".endif",
    ".set number, number + 8",
    ".endr",
    ".endm",
    ".globl step",
    "step:",
    "push rbx; push rbp; push r12; push r13; push r14; push r15",
    "mov [rip + step_state], rdi; mov [rip + step_code], rsi; mov [rip + step_stack], rsp",
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7",
    "kmovq k\\n, [rdi + 192 + 8 * \\n]",
    ".endr",
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "vmovdqu64 zmm\\n, [rdi + 256 + 64 * \\n]",
    ".endr",
    "push [rdi + 128]; popfq",
    "all_numbers 1",
    "mov rdi, [rdi + 56]",
    "jmp [rip + step_code]",
    ".globl stepped",
    "stepped:",
    "mov [rip + step_code], rdi; mov rdi, [rip + step_state]",
    "all_numbers 0",
    "mov rsp, [rip + step_stack]; pushfq; pop [rdi + 128]",
    "mov rax, [rip + step_code]; mov [rdi + 56], rax",
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7",
    "kmovq [rdi + 192 + 8 * \\n], k\\n",
    ".endr",
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "vmovdqu64 [rdi + 256 + 64 * \\n], zmm\\n",
    ".endr",
    "vzeroupper; pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx",
    "ret",
    ".local step_state, step_code, step_stack",
    ".comm step_state, 8, 8",
    ".comm step_code, 8, 8",
    ".comm step_stack, 8, 8",
);

unsafe extern "C" {
    fn step(state: *mut u8, code: *const u8);
    fn stepped();
}

/// Runs the code at an address, which ends with a jump to what `after` returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn one(state: *mut u8, code: *const u8) {
    step(state, code);
}

#[unsafe(no_mangle)]
pub extern "C" fn after() -> usize {
    stepped as usize
}
