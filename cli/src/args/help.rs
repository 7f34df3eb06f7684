//! The texts below the options in `wegman COMMAND --help`.

pub const EXIT_CODES: &str = "Exit codes: 0 all good; 1 something failed verification; 2 usage, file or \
                          key error (the other files are still done); 130 interrupted.";

pub const EDIT: &str = "\
The tag is computed from the old tag, the old bytes in the place and the new ones: the rest of the file is \
not read. So an edit trusts that the file matches its tag. If it does not, later checks fail as they \
would have before; but somebody who changed the very bytes that are then edited may get a tag for a file of \
their own. Where others can write the file, give --verify: it reads the whole file once, and computes the old \
tag, which must be right, and the new one from the same bytes.

A journal beside the manifest (MANIFEST.wegman-edit) holds the new bytes until the file and the manifest have \
them. If the command is stopped at any moment, `wegman check` says so and `wegman finish` completes the \
edit. Only PMAC keys with their longest tags can do this: a tag of UMAC or Carter needs a new nonce and the \
whole file.

If the manifest has the file under other names, too, such as hard links, these get the new tag as well, and the \
command says so.

-j is for --verify. --mmap changes nothing here: others could change the bytes of a mapped file.

Examples:
  wegman edit -k KEY -m photos.manifest photos/disk.img --at 4096 < page
  printf 'one more line\\n' | wegman append -k KEY -m logs.manifest logs/today
  wegman truncate -k KEY -m logs.manifest logs/today --size 1M

Exit codes: 0 done; 1 the manifest, a journal or, with --verify, the file failed verification; 2 usage, \
file or key error; 130 interrupted.";

pub const CLUSTER: &str = "\
Runs `wegman-cluster`, which is beside this command or on the search path: `pip install \"wegman[cluster]\"`. Its \
manifests are those of this command; `wegman check` and `wegman audit` read its shards and roots, too.";

pub const FINISH: &str = "\
Completes the file and its manifest from the journal beside the manifest, MANIFEST.wegman-edit; without one \
there is nothing to do. Run it in the same directory as `wegman check`. It can be stopped and run again. It does \
not read the rest of the file: --verify does, afterwards.

Exit codes: 0 done, or nothing to do; 1 the manifest, the journal or, with --verify, the file failed \
verification, or they do not belong together; 2 usage, file or key error; 130 interrupted.";

pub const SEGMENT: &str = "\
Prints one line that stands for a part of an object. The parts can be read on different machines, in any \
order; `wegman combine` computes the object's tag from their lines, the same that `wegman tag` gives for the \
whole object. The length of each part but the last must be a multiple of the cipher's block, 16 bytes for AES.

A segment is as secret as the key: whoever has one, and the bytes it stands for, may be able to forge. -o \
makes a file only you can read. Encrypt segments to send or store them, and delete them once they are combined.

Give --object: parts of different objects, or of two versions of one, are then not combined by mistake or by \
somebody who exchanges segments. So the ID should name the version, too.

Example, an image of 2 TiB whose halves two machines read, both of which have the key:
  one$ wegman segment -k KEY --object 'disk.img 7' --length 1T disk.img -o one.segment
  two$ wegman segment -k KEY --object 'disk.img 7' --offset 1T --length 1T disk.img -o two.segment

If a machine has only its own part, --offset says where that part begins, without --length:
  two$ wegman segment -k KEY --object 'disk.img 7' --size 2T --offset 1T -o two.segment < second-half

Then, again on one machine:
  one$ wegman combine -k KEY --object 'disk.img 7' --as disk.img one.segment two.segment > manifest

Exit codes: 0 done; 2 usage, file or key error; 130 interrupted.";

pub const COMBINE: &str = "\
Takes files with one or more lines of `wegman segment` each, in any order, and prints the tag of the object \
that they are parts of. Gaps and overlaps are refused, and segments with different ids or lengths of the object. If \
they say nothing of it, only you know which object they are of, and where it ends: without --length, nobody \
notices that the last part is missing.

Examples:
  wegman combine -k KEY --object 'disk.img 7' --length 2048G one.segment two.segment
  wegman combine -k KEY --as disk.img *.segment > m && wegman check -k KEY m

Exit codes: 0 combined; 1 a line is damaged or forged; 2 segments do not fit together, or a usage, file or \
key error (also if a line has another key id, damaged or not); 130 interrupted.";

pub const BOUNDS: &str = "\
The probability that any of the attempts to forge succeeds is at most the sum of the terms, and the advantages \
of attacks on the cipher or hash inside, which are named but not known as numbers. Bounds are \
rounded up; what is allowed is rounded down. docs/bounds.md explains the terms.

With several names, it prints a table of the sums; with none, of all algorithms.

Numbers are decimal, with K, M, G or T for powers of 1024, or powers of two: 1500, 64K, 2^40.

Examples:
  wegman bounds UMAC-64 --messages 2^40 --attempts 2^20
  wegman bounds PMAC-AES128 --messages 1000000 --message-bytes 1M --until 2^-32

Exit codes: 0 answered, also for a MAC without a bound; 2 usage error; 130 interrupted.";

pub const ALGORITHMS: &str = "\
Without a name or option, it lists what new designs and other programs use, a line for each. A whole name gives \
everything about it; the beginning of several lists these. Names are the same in capital and small letters.

First come the MACs, whose names `wegman keygen`, `mac` and `bounds` take, then the families and building \
blocks, which the library has under these names.

Status: recommended, for new designs; interop, sound, here because others use it; experimental, ours and not \
reviewed; historical, to reproduce a paper; comparator, what the papers compare with.

Examples:
  wegman algorithms umac
  wegman algorithms PMAC-AES128
  wegman algorithms --all

Bounds are on the probability that any of v forgery attempts succeeds, to which the advantages of attacks on the \
cipher or hash inside are added. `wegman bounds NAME` computes it for given numbers.

Exit codes: 0 all good; 2 usage error; 130 interrupted.";
