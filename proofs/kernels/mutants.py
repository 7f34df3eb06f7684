"""`make kernels MUTANTS=1`: errors planted in the source, one at a time for each row. Each must be refused at a case that
is proved of the source as it is.

  mutants.py TARGET [WORD]  builds those with this word in their or their row's name, or all of them, in TARGET/mutants; exit 1 if one is proved, or its line does not stand there
"""
import collections
import multiprocessing
import os
import subprocess
import sys
import time

import controls
import ir
import kernels
import prove

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")

# `file` is in the package's src; `old` stands in it exactly once. `rows` are all that the change reaches, by a name:
# mutants of one build have none in common. `title` and `case` name what must be refused; `cpu` is an end of files' names.
Mutant = collections.namedtuple("Mutant", "what package rows file old new title case cpu", defaults=("",))

UMAC, UMAC_256, UMAC_SCALAR = ["sse", "avx2", "vaes256", "avx512"], ["avx2", "vaes256"], ["sse", "avx2", "vaes256"]
PMAC, CARTER = ["aesni", "vaes256", "vaes512"], ["pclmul", "vpclmul", "avx512"]


def umac(what, rows, file, old, new, *case, size=64, row=None, eight=False):
    title = f"UMAC-{size} {row or rows[0]} {'eight tags' if eight else 'tag'}"
    return Mutant(what, "mac", ["UMAC " + r for r in rows], "umac/" + file, old, new, title, case)


def nh(what, rows, file, old, new, *case):
    return Mutant(what, "mac", rows, "umac/l1_nh/" + file, old, new, f"UMAC-96 {rows[0].split()[1]} level 1", case)


def pmac(what, rows, file, old, new, *case, row=None, eight=False, after=""):
    title = f"PMAC-AES128 {row or rows[0]} {'eight tags' if eight else 'tag' + after}"
    return Mutant(what, "mac", ["PMAC " + r for r in rows], "pmac/" + file, old, new, title, case)


def carter(what, rows, file, old, new, *case, row=None, after=False):
    return Mutant(what, "carter", ["Carter " + r for r in rows], file, old, new,
                  f"Carter-AES128 {row or rows[0]} tag{' after a line' if after else ''}", case)


def arm(mutant):
    return mutant._replace(cpu="-arm")


MIXED = (16, 64, 33, 0, 32, 31, 1, 63)

MUTANTS = [
    umac("33 bytes: no second unit", ["avx512"], "l1_nh/avx512.rs", "let counted = if message.len() > UNIT { 0xff } else { 0x0f };",
         "let counted = if message.len() > UNIT + 1 { 0xff } else { 0x0f };", 33, 0),
    umac("POLY: the carry of a sum is lost", ["avx512"], "packet/avx512.rs", "let carried = less(sum, b);",
         "let carried = less(sum, b) & 0;", 1025, 0),
    umac("POLY: 2^104 = 59 2^39", ["avx512"], "packet/avx512.rs", "all(59 << 40)", "all(59 << 39)", 1025, 0),
    umac("POLY: signed shifts in 256 bits", ["avx512"], "packet/avx512.rs", "_mm256_srli_epi64 as right", "_mm256_srai_epi64 as right",
         1025, 0),
    umac("POLY: the larger of two in 512 bits", ["avx512"], "packet/avx512.rs", "_mm512_min_epu64 as least", "_mm512_max_epu64 as least",
         1025, 0, size=128),
    umac("POLY: two steps above the limit, not at it", ["avx512"], "packet/avx512.rs", "_mm256_cmpge_epu64_mask as at_least",
         "_mm256_cmpgt_epu64_mask as at_least", 1025, 0),
    umac("level 3: no last reduction, wrong for one sum in 50,000", ["avx512"], "packet/avx512.rs",
         "    Mod36(_mm512_min_epu64(folded, less))", "    let _ = less;\n    Mod36(folded)", 1, 0),
    umac("eight: 33 bytes without a second unit", ["avx512"], "packet/avx512.rs",
         "_mm512_cmpgt_epu64_mask(lengths, _mm512_set1_epi64(UNIT as i64))", "_mm512_cmpgt_epu64_mask(lengths, _mm512_set1_epi64(33))",
         *MIXED, eight=True),
    umac("eight of four streams: 33 bytes without a second unit", ["avx512"], "packet/avx512.rs",
         "_mm256_cmpgt_epu64_mask(lengths, _mm256_set1_epi64x(UNIT as i64))", "_mm256_cmpgt_epu64_mask(lengths, _mm256_set1_epi64x(33))",
         *((33,) * 8), size=128, eight=True),
    umac("eight: messages 2 to 5 in another order", ["avx512"], "packet/avx512.rs", "_mm512_shuffle_i64x2::<0xd8>(sums, sums)",
         "_mm512_shuffle_i64x2::<0xe4>(sums, sums)", *range(25, 33), eight=True),
    umac("AMD: sums of two streams exchanged", ["avx512amd"], "l1_nh/avx512.rs", "halved(halved(a, b), halved(c, d))",
         "halved(halved(a, c), halved(b, d))", 449, 0, size=128),
    umac("level 3: digits 2 and 3 exchanged", UMAC_256, "packet/avx2.rs", "[spread([0, 1]), spread([2, 3])];",
         "[spread([0, 1]), spread([3, 2])];", 1, 0),
    umac("level 3: folded one bit too high", UMAC_256, "packet/avx2.rs", "_mm256_or_si256(sums, _mm256_set1_epi64x(!0 << 36))",
         "_mm256_or_si256(sums, _mm256_set1_epi64x(!0 << 37))", 2, 0),
    umac("NH: no length of 1024 bytes", UMAC_256, "packet/avx2.rs", "_mm256_set1_epi64x(8 * length as i64))",
         "_mm256_set1_epi64x(8 * length as i64 & 0x1fff))", 1024, 0),
    umac("POLY: a carry is lost that comes once in 2^50 words", UMAC_SCALAR, "l2_poly.rs", "let (sum, carry) = (sum as u64).overflowing_add(59 * (sum >> 64) as u64);",
         "let (sum, carry) = ((sum as u64).wrapping_add(59 * (sum >> 64) as u64), false);", 1025, 0, row="avx2"),
    umac("the first word of POLY is not reduced", UMAC_SCALAR, "l2_poly.rs", "let reduced = less.wrapping_add(P64 & mask(below));",
         "let reduced = y;", 1025, 0, row="sse"),
    umac("eight: the pads' rounds 1 to 8", ["vaes256"], "packet/vaes256.rs", "for i in 1..10 {", "for i in 1..9 {", *MIXED, eight=True),
    umac("level 3: 4 for 5", ["sse"], "packet/sse.rs", "_mm_srli_epi64::<61>(lanes), _mm_set1_epi64x(5)",
         "_mm_srli_epi64::<61>(lanes), _mm_set1_epi64x(4)", 1, 0),
    umac("the key of the next unit behind whole units", ["sse"], "l1_nh/halves.rs", "key.unit(before / UNIT + units.len()), x, y)",
         "key.unit(before / UNIT + units.len() + 1), x, y)", 70, 0),
    umac("the second unit's y first", ["sse"], "l1_nh/halves.rs", "add(1, half(message, UNIT), half(message, UNIT + 16));",
         "add(1, half(message, UNIT + 16), half(message, UNIT));", 50, 0),
    umac("four streams: 1 for 5 where p is not subtracted", ["sse"], "packet/sse.rs", "_mm_srli_epi32::<29>(upper)",
         "_mm_srli_epi32::<31>(upper)", 5, 0, size=128),
    umac("the third pad of a block begins a byte early", UMAC, "../pads.rs", "orders[i] = i as u8 % 16;",
         "orders[i] = if i < 8 { i as u8 } else { i as u8 - 1 } % 16;", 1, 8, size=32),
    pmac("a full last block has no bytes", PMAC, "sum.rs", "let bytes = (message.len() - 1) % 16 + 1;",
         "let bytes = message.len() % 16;", 16),
    pmac("rounds 1 to 8", PMAC, "sum/x86.rs", "for round in &key.rounds[1..ROUNDS] {", "for round in &key.rounds[1..ROUNDS - 1] {", 0),
    pmac("groups count by one", PMAC, "sum/kernel.rs", "first += GROUP as u64;", "first += 1;", 1060),
    pmac("eight: sums of all messages so far", ["aesni", "vaes256"], "sum/kernel.rs", "*each = one.xor(up_to, before);", "*each = up_to;",
         *MIXED, eight=True),
    pmac("the wrong last block of nine", PMAC, "sum/kernel.rs", "isa.apart::<Few<ROUNDS, 3>, A, B>(key, given, message, tag),",
         "isa.apart::<Few<ROUNDS, 2>, A, B>(key, given, message, tag),", 60),
    pmac("after a block: the second group is taken for the first", PMAC, "sum/kernel.rs", "1 + GROUP as u64", "1", 1500, after=" after a block"),
    pmac("after a block: the block before the message is read", ["vaes512"], "sum/x86.rs", "& 0xff << (2 * AT)", "& 0xff << (0 * AT)", 100, after=" after a block"),
    pmac("after two blocks: one is left out of a long message", PMAC, "sum/kernel.rs", "(blocks, base, number) = (after, ",
         "(blocks, base, number) = (after.get(count - 1..).unwrap_or_default(), ", 1500, after=" after two blocks"),
    pmac("after two blocks: the first twice", ["vaes512"], "sum/x86.rs", "let both = _mm256_set_m128i(*second, *first);",
         "let both = _mm256_set_m128i(*first, *first);", 100, after=" after two blocks"),
    pmac("after two blocks: the second twice", ["vaes256", "vaes512"], "sum/x86.rs", "([first, second, ..], _) => _mm256_set_m128i(*second, *first)",
         "([first, second, ..], _) => _mm256_set_m128i(*second, *second)", 20, after=" after two blocks"),
    pmac("a block alone brings its neighbour", ["vaes256"], "sum/x86.rs",
         "        1 => _mm256_zextsi128_si256(_mm256_castsi256_si128(register)),", "        0 => register,", 20),
    pmac("a group's last offset is the first group's", PMAC, "sum/kernel.rs", "if at + R::WIDTH == GROUP {", "if at == GROUP {", 1060,
         row="vaes256"),
    pmac("the lower lane twice", ["vaes256", "vaes512"], "sum/x86.rs", "_mm_xor_si128(_mm256_castsi256_si128(blocks), high)",
         "_mm_xor_si128(_mm256_castsi256_si128(blocks), _mm256_castsi256_si128(blocks))", 40),
    pmac("a block too many is summed", ["vaes512"], "sum/x86.rs", "_mm256_maskz_mov_epi64(0xf >> (2 * 2_usize.wrapping_sub(count)), register)",
         "_mm256_maskz_mov_epi64(0xf >> (0 * 2_usize.wrapping_sub(count)), register)", 17),
    pmac("eight bytes behind the last block are read", ["vaes512"], "sum/x86.rs", "let mask = 0xf >> (2 * 2_usize.saturating_sub(blocks.len()));",
         "let mask = 0xf >> 2_usize.saturating_sub(blocks.len());", 17),
    pmac("eight: the first block of two twice", ["vaes512"], "sum/x86.rs", "states[0] = self.both(states[0], states[1]);",
         "states[0] = self.both(states[0], states[0]);", 33, 17, 33, 33, 33, 33, 33, 33, eight=True),
    carter("the wrong entry where 16 divides the length", ["pclmul", "vpclmul"], "kernel.rs", "&key.of_zero[count.div_ceil(16).min(4)]",
           "&key.of_zero[(count / 16 + 1).min(4)]", 16),
    carter("the first block twice", ["pclmul", "vpclmul"], "kernel.rs",
           "isa.plus(two, isa.plus(whole_part(isa, key, last, 2), last_part(isa, key, last, 3)))",
           "isa.plus(two, isa.plus(whole_part(isa, key, last, 1), last_part(isa, key, last, 3)))", 60),
    carter("the key of another pair", ["pclmul", "vpclmul"], "kernel.rs", "sums = plus_one(isa, sums, x, [&keys[j], &keys[4 + j]]);",
           "sums = plus_one(isa, sums, x, [&keys[j], &keys[3 + j]]);", 130),
    carter("half a reduction", CARTER, "lanes.rs", "self.xor(high, self.xor(self.lower(middle, modulus), self.swapped(middle)))",
           "self.xor(high, self.xor(middle, self.swapped(middle)))", 1, row="pclmul"),
    carter("a block half over the one before", ["vpclmul"], "kernel.rs", "block_and_order(bytes, at + from + 16 * j)",
           "block_and_order(bytes, at + from + 8 * j)", 100),
    carter("the end a byte off", ["vpclmul"], "kernel.rs", "slide(16 - few.len())", "slide(15 - few.len())", 133),
    carter("after a line: the second group's x begins with the first one's y", ["pclmul", "avx512"], "kernel.rs",
           "(&rest[SHORT..], &rest[2 * SHORT..])", "(rest, &rest[2 * SHORT..])", 300, after=True),
    carter("after a line: 15 bytes of rest in each register", ["pclmul", "vpclmul"], "kernel.rs", "bytes.len() < 16 && i > 0",
           "bytes.len() < 15 && i > 0", 79, after=True),
    carter("lanes swapped", ["avx512"], "x86.rs", "_mm256_permute2x128_si256::<0x21>(a, c)",
           "_mm256_permute2x128_si256::<0x12>(a, c)", 15),
    carter("a pair too many where 16 divides the length", ["avx512"], "x86.rs", "let pairs = last.len().div_ceil(16).min(4);",
           "let pairs = (last.len() / 16 + 1).min(4);", 16),
    carter("a group's keys again", ["avx512"], "kernel.rs", "isa.rest(sums, &keys[groups.len()], x, bytes, at)",
           "isa.rest(sums, &keys[groups.len().saturating_sub(1)], x, bytes, at)", 500),
    carter("behind the first 64 bytes a pair too many", ["avx512"], "x86.rs",
           "let pairs = _bzhi_u32(0xff, 2 * x.len().div_ceil(16) as u32)", "let pairs = _bzhi_u32(0xff, 2 * (x.len() / 16 + 1) as u32)", 144),
    arm(umac("level 3: 3 for 5", ["armv8"], "packet/armv8.rs", "vsraq_n_u64::<34>(vsraq", "vsraq_n_u64::<35>(vsraq", 1, 0)),
    arm(umac("level 3: 5 is not taken off", ["armv8"], "packet/armv8.rs",
             "as_block(vsubq_u64(lanes, less))", "as_block(vaddq_u64(lanes, vsubq_u64(less, less)))", 1, 0)),
    arm(umac("level 3: a bit of a key", ["armv8"], "packet/armv8.rs", "as u16 & 0xff", "as u16 & 0x7f", 1, 0, size=128)),
    arm(umac("eight: the halves of hashes exchanged", ["armv8"], "packet/armv8.rs",
             "(vuzp1q_u32(a, b), vuzp2q_u32(a, b))", "(vuzp1q_u32(b, a), vuzp2q_u32(b, a))", *MIXED, eight=True)),
    arm(pmac("rounds 1 to 8", ["armv8"], "sum/armv8.rs", "&key.rounds[1..ROUNDS - 1]", "&key.rounds[1..ROUNDS - 2]", 0)),
    arm(pmac("eight: without the last round key", ["armv8"], "sum/armv8.rs", "self.spread(&key.rounds[ROUNDS][0])", "self.spread(&key.rounds[14][0])",
             *MIXED, eight=True)),
    arm(carter("the other half is exchanged", ["pmull"], "armv8.rs", "vextq_u64::<1>(number, number)", "vextq_u64::<0>(number, number)", 1)),
    arm(carter("one key for both of a pair", ["pmull"], "armv8.rs", "veorq_u64(part[1], load(&keys[1]))", "veorq_u64(part[1], load(&keys[0]))", 40)),
    Mutant("eight: no length of 64", "carter", ["Carter pmull"], "kernel.rs", "self.short(key, message, message.len() as u64)",
           "self.short(key, message, message.len() as u64 & 63)", "Carter-AES128 pmull eight tags", MIXED, "-arm"),
    arm(nh("a's upper words twice", ["UMAC neon", "UMAC armv8"], "neon.rs", "vmlal_high_u32(*upper, a, b)", "vmlal_high_u32(*upper, a, a)", 33)),
    nh("b's lower words twice", ["UMAC sse"], "sse.rs", "_mm_shuffle_epi32::<0xf5>(b)", "_mm_shuffle_epi32::<0xa0>(b)", 33),
    nh("the third unit's keys", ["UMAC portable"], "portable.rs", "let key = key.unit(i);", "let key = key.unit(i & 1);", 100),
    Mutant("any number: of more than 40 groups not the last", "mac", ["PMAC " + r for r in PMAC], "pmac/sum/kernel.rs",
           "for (i, group) in groups.iter().enumerate() {", "for (i, group) in groups[..groups.len() - usize::from(groups.len() > 40)].iter().enumerate() {",
           "PMAC-AES128 aesni add_groups, any length", ()),
    Mutant("any number: a lane's base is that of the group before, once", "mac", ["PMAC " + r for r in PMAC], "pmac/sum/kernel.rs",
           "bases = isa.xor(bases, isa.spread(step));",
           "bases = isa.xor(bases, if i == 40 { isa.alone(one.spread(step)) } else { isa.spread(step) });",
           "PMAC-AES128 vaes256 add_groups, any length", ()),
    Mutant("any number: the third group's number again", "mac", ["PMAC " + r for r in PMAC], "pmac/sum/kernel.rs", "first += GROUP as u64;",
           "first += if i == 2 { 0 } else { GROUP as u64 };", "PMAC-AES128 vaes512 add_groups, any length", ()),
    Mutant("any number: words of two streams exchanged, once", "mac", ["UMAC avx2", "UMAC vaes256"], "umac/packet/flow.rs",
           "if let Some(before) = before.replace(scalars::<STREAMS>(words)) {",
           "if let Some(mut before) = before.replace(scalars::<STREAMS>(words)) {\n if i == 40 { before.swap(0, 1); }",
           "UMAC-64 avx2 absorb, any length", ()),
    Mutant("any number: the length's key for r, once", "carter", ["Carter pclmul"], "kernel.rs", "y = isa.reduce(isa.plus_product(isa.of_three(sums), y, r));",
           "y = isa.reduce(isa.plus_product(isa.of_three(sums), y, if i == 40 { isa.spread(&key.length) } else { r }));",
           "Carter pclmul absorb, any length", ()),
    umac("POLY: half an accumulator", UMAC_SCALAR, "l2_poly.rs", "self.y64[t] = poly64(&keys[t], self.y64[t], word);",
         "self.y64[t] = Lazy(reduce64(poly64(&keys[t], self.y64[t], word)).0 >> 1);", 5, 1, row="sse")._replace(title="UMAC-32 sse absorb"),
    umac("eight: words of neighbours of one length exchanged", UMAC_256, "packet/avx2.rs",
         "    for (i, message) in messages.iter().enumerate() {\n        let words = match message.len() {",
         "    for (i, message) in messages.iter().enumerate() {\n        let i = if messages[2].len() == messages[3].len() && i / 2 == 1 { i ^ 1 } else { i };\n"
         "        let words = match message.len() {", *(100,) * 8)._replace(title="UMAC-64 avx2 words8, inner8"),
    pmac("eight: a result that depends on a tag", PMAC, "sum/kernel.rs", "isa.and(sums[i], mask));\n    }\n    true",
         "isa.and(sums[i], mask));\n    }\n    tags[3][0] != 0", *(43,) * 8, row="vaes256", eight=True),
    Mutant("keys: the ninth constant", "mac", ["schedule"], "cipher/aes/aesni.rs", "_mm_set1_epi32(0x1b)", "_mm_set1_epi32(0x1d)",
           "AES, key schedule", (16,)),
    Mutant("keys: KDF counts from 0", "mac", ["KDF"], "umac/kdf.rs", "(i - STARTS[index] + 1) as u128", "(i - STARTS[index]) as u128", "UMAC, KDF", (2, 48)),
    Mutant("keys: a bit of k64 is not cleared", "mac", ["level 2"], "umac/l2_poly.rs", "& 0x01ff_ffff_01ff_ffff", "& 0x01ff_ffff_03ff_ffff",
           "UMAC, keys by levels", (2,)),
    Mutant("keys: the middle part without C", "carter", ["prepare"], "key.rs", "fold(of_zero ^ low, |sum, [_, _, c]| sum ^ c)",
           "fold(of_zero ^ low, |sum, [_, _, _]| sum)", "Carter, prepare", (10,)),
]


def builds(mutants):
    """Mutants that reach different rows are built together."""
    out = []
    for m in mutants:
        for group in out:
            if group[0].package == m.package and group[0].cpu == m.cpu and not any(set(n.rows) & set(m.rows) for n in group):
                group.append(m)
                break
        else:
            out.append([m])
    return out


def planted(source, group):
    """Writes the errors into a copy of the source; the texts as they were."""
    before = {}
    for m in group:
        path = os.path.join(source, m.package, "src", m.file)
        text = open(path).read()
        before.setdefault(path, text)
        if text.count(m.old) != 1:
            sys.exit(f"{m.package}/src/{m.file}: {text.count(m.old)} times `{m.old}`: change proofs/kernels/mutants.py ({m.what})")
        with open(path, "w") as file:
            file.write(text.replace(m.old, m.new))
    return before


def built(source, target, package, cpu):
    """The name and the IR of a package, made as scripts/prove-kernels makes it, but without the editions of 1999 and 2000:
    they are two fifths of the IR, and no mutant is in them."""
    crate, name, features = {"mac": ("wegman", "wegman", ["--features", "hazmat,session"]),
                             "carter": ("wegman-carter", "carter", [])}[package]
    path = os.path.join(target, f"mutants/{name}{cpu}.ll")
    features += ["--target", "aarch64-unknown-linux-gnu"] if cpu else []
    command = ["cargo", "rustc", "--quiet", "--locked", "--release", "-p", crate, "--lib", *features, "--", f"--emit=llvm-ir={path}",
               "-C", "codegen-units=1", "-C", "debuginfo=0", "--cap-lints=allow"]
    subprocess.run(command, cwd=source, env=dict(os.environ, CARGO_TARGET_DIR=os.path.join(target, "mutants/target")), check=True)
    return name + cpu, ir.Module(path)


def decided(m):
    """What the checker says of the source as it is, and of the mutant, within as many steps of z3."""
    answers = []
    for module in (SHIPPED, CHANGED):
        kernels.reset()
        job = next(j for j in [*prove.jobs(module, False), *prove.premises(module)] if j.title == m.title)
        try:
            answers.append(job.make(*job.args).decide(m.case, controls.STEPS))
        except kernels.Refused as e:
            answers.append(str(e))
    return m, answers


def main():
    global SHIPPED, CHANGED
    target, word = os.path.abspath(sys.argv[1]), (sys.argv[2:] or [""])[0]
    SHIPPED = prove.modules(target)
    mutants = [m for m in MUTANTS if word in m.what + m.title and m.cpu in prove.cpus(SHIPPED)]
    groups = builds(mutants)
    source, survived = os.path.join(target, "mutants/source"), []
    os.makedirs(source, exist_ok=True)
    subprocess.run(f"git ls-files -z | tar -c --null -T - | tar -x -C '{source}'", shell=True, cwd=ROOT, check=True)
    for number, group in enumerate(groups, 1):
        started = time.time()
        before = planted(source, group)
        name, changed = built(source, target, group[0].package, group[0].cpu)
        CHANGED = dict(SHIPPED, **{name: changed})
        for path, text in before.items():
            with open(path, "w") as file:
                file.write(text)
        print(f"build {number} of {len(groups)}: {time.time() - started:.0f} seconds", flush=True)
        with multiprocessing.get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
            for m, (as_it_is, answer) in pool.imap_unordered(decided, group, chunksize=1):
                if as_it_is is not None or answer is None:
                    survived.append(m)
                print(f"  {m.title} {m.case}: {m.what}: "
                      + (f"NOT PROVED AS IT IS: {as_it_is}" if as_it_is else f"refused: {answer[:120]}" if answer else "PROVED, WHICH IS WRONG"),
                      flush=True)
    print(f"{len(mutants) - len(survived)} of {len(mutants)} mutants refused, {sum(os.times()[:4]):.0f} seconds of a processor")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
