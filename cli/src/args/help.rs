//! The texts below the options in `wegman COMMAND --help`.

pub const EXIT_CODES: &str = "Exit codes: 0 all good; 1 something failed verification; 2 usage, file or \
                          key error (other files are still processed); 130 interrupted.";

pub const EDIT: &str = "\
The tag is computed from the old tag, the old bytes and the new ones; the rest of the file is not read. So an \
edit trusts that the file matches its tag. If it does not, later checks fail as they would have before. But if \
someone changed the very bytes that you then edit, the new tag may be for a file of their choice. Where \
others can write the file, give --verify: it reads the whole file once, and computes the old tag, which must \
be right, and the new one from the same bytes.

A journal beside the manifest (MANIFEST.wegman-edit) holds the new bytes until the file and the manifest have \
them. If the command is interrupted, `wegman check` says so and `wegman finish` completes the edit. Only PMAC \
keys with their longest tags support edits: a tag of UMAC or Carter needs a new nonce and the whole file.

If the manifest has the file under other names, such as hard links, these get the new tag as well, and the \
command lists them.

-j applies to --verify. --mmap has no effect: others could change the bytes of a mapped file.

Examples:
  wegman edit -k KEY -m photos.manifest photos/disk.img --at 4096 < page
  printf 'one more line\\n' | wegman append -k KEY -m logs.manifest logs/today
  wegman truncate -k KEY -m logs.manifest logs/today --size 1M

Exit codes: 0 done; 1 the manifest, a journal or, with --verify, the file failed verification; 2 usage, \
file or key error; 130 interrupted.";

pub const CLUSTER: &str = "\
Runs the Python package's `wegman-cluster`, found beside this command or on the search path. \
(docs/cluster.md of the repository says how to install it.) Both use the same manifests; `wegman check` and `wegman audit` also read its \
shards and roots.";

pub const FINISH: &str = "\
Completes the file and its manifest from the journal beside the manifest, MANIFEST.wegman-edit. Without a \
journal, it does nothing. Run it in the same directory as `wegman check`. If it is interrupted, run it again. It \
does not read the rest of the file, unless you give --verify.

Exit codes: 0 done, or nothing to do; 1 the manifest, the journal or, with --verify, the file failed \
verification, or they do not belong together; 2 usage, file or key error; 130 interrupted.";

pub const SEGMENT: &str = "\
Prints a segment, one line with the sum of a part of an object. Different machines can read the parts, in any order. \
`wegman combine` computes the object's tag from their lines: the tag that `wegman tag` gives for the whole \
object. Each part but the last must be whole cipher blocks, of 16 bytes for AES.

A segment is as secret as the key: anyone with a line and the part's bytes may be able to forge. -o \
makes a file that only you can read. Encrypt lines to send or store them, and delete them once they are combined.

Give --object, with a name and a version: `wegman combine` then refuses segments of another object or version, \
given by mistake or exchanged by an attacker.

Example: two machines with the key read the halves of an image of 2 TiB:
  one$ wegman segment -k KEY --object 'disk.img 7' --length 1T disk.img -o one.segment
  two$ wegman segment -k KEY --object 'disk.img 7' --offset 1T --length 1T disk.img -o two.segment

If a machine has only its own part, give --offset without --length:
  two$ wegman segment -k KEY --object 'disk.img 7' --size 2T --offset 1T -o two.segment half2

Then, on one machine:
  one$ wegman combine -k KEY --object 'disk.img 7' --as disk.img one.segment two.segment > new && mv new manifest

Exit codes: 0 done; 2 usage, file or key error; 130 interrupted.";

pub const COMBINE: &str = "\
Reads files with one or more lines of `wegman segment` each, in any order, and prints the object's tag. It \
refuses gaps, overlaps, and segments with different ids or lengths of the object. If the lines name no object, \
only you know the object and its length: without --length, nobody notices that the last segment is missing.

Examples:
  wegman combine -k KEY --object 'disk.img 7' --length 2048G one.segment two.segment
  wegman combine -k KEY --as disk.img *.segment > new && mv new m && wegman check -k KEY m

There is no -o: by `> new && mv new m`, a combination that fails leaves the old manifest m whole. The new one's \
serial number is 1.

Exit codes: 0 combined; 1 a line is damaged or forged; 2 segments do not fit together, or a usage, file or \
key error (also if a line has another key id, damaged or not); 130 interrupted.";

pub const BOUNDS: &str = "\
The probability that at least one forgery attempt succeeds is at most the sum of the terms plus the advantages. \
An advantage is the chance of attacks on the cipher or hash inside; nobody knows it. Bounds are rounded up, \
limits down. docs/bounds.md explains the terms.

Several names give a table of the sums; no name gives a table of all algorithms.

Numbers are decimal, with K, M, G or T for powers of 1024, or powers of two: 1500, 64K, 2^40.

Examples:
  wegman bounds UMAC-64 --messages 2^40 --attempts 2^20
  wegman bounds PMAC-AES128 --messages 1000000 --message-bytes 1M --until 2^-32

Exit codes: 0 answered; 2 usage error, or no bound is known; 130 interrupted.";

pub const ALGORITHMS: &str = "\
Without a name or option, it lists what is for new designs or used by other programs, one a line. A whole name \
describes that algorithm; the beginning of several names lists them. Upper and lower case are the same.

First come the MACs, whose names `wegman keygen`, `mac` and `bounds` take, then the families and building \
blocks, which the library has under these names.

Status: recommended, for new designs; interop, sound, here because others use it; experimental, ours and not \
reviewed; historical, to reproduce a paper; comparator, what the papers compare with.

Examples:
  wegman algorithms umac
  wegman algorithms PMAC-AES128
  wegman algorithms --all

A bound limits the probability that at least one of v forgery attempts succeeds. Add the advantages of attacks on \
the cipher or hash inside. `wegman bounds NAME` computes bounds for given numbers.

Exit codes: 0 all good; 2 usage error; 130 interrupted.";
