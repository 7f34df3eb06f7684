// PMAC-AES128 and UMAC-64 over the WebAssembly module of wasm/src/lib.rs. Nothing is fetched but the module's own file
// beside this one, and nothing is evaluated.

const CHANGED = "the file changed while it was read: read it again";
// The smallest module with a vector instruction. An engine without simd128 finds it invalid.
const VECTOR_TEST = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
);

// What may say no, and what has nothing to say.
const MAY_REFUSE = new Set(["check", "check_join", "join", "verify", "replace", "free", "wipe"]);
// Bytes of a segment, and of what lies before a message at most: a nonce and a tag.
const [SEGMENT, BEFORE] = [68, 32];
// Bytes of the module's buffer, and the segments that it holds behind a tag.
const BUFFER = 256 << 10;
const MOST_PARTS = Math.floor((BUFFER - BEFORE) / SEGMENT);

/** A message is not authentic. */
export class InvalidTag extends Error {
  constructor() {
    super("the tag does not match the message");
    this.name = "InvalidTag";
  }
}

let [loading, given] = [];
/** The module's functions, loaded once: from bytes or a compiled module if given, or else from the file beside this one. */
export function load(source) {
  given = source ?? given;
  loading ??= instantiate(given).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function instantiate(source) {
  source ??= await ownFile();
  const result = await WebAssembly.instantiate(source, {});
  return guarded((result.instance ?? result).exports);
}

/**
 * A function that fails, for want of memory or stack, leaves the module in a state that nobody knows: then its memory is wiped,
 * what lived there is gone, and the next key gets another instance.
 */
function guarded({ memory, ...calls }) {
  const module = { memory };
  let [failed, left] = [undefined, memory];
  const over = () => {
    if (left) new Uint8Array(left.buffer).fill(0);
    left = undefined;
    return new Error("the module failed, and its memory was wiped: make the key again", { cause: failed });
  };
  for (const [name, call] of Object.entries(calls).filter(([, call]) => typeof call === "function")) {
    module[name] = (...values) => {
      if (failed && MAY_REFUSE.has(name)) return 0;
      if (failed) throw over();
      let result;
      try {
        result = call(...values);
      } catch (error) {
        [failed, loading] = [error, undefined];
        throw over();
      }
      if (result === 0 && !MAY_REFUSE.has(name)) throw new Error(`the module does not take this (${name})`);
      return result;
    };
  }
  return module;
}

async function ownFile() {
  // Both in full: bundlers look for exactly this form.
  const url = WebAssembly.validate(VECTOR_TEST)
    ? new URL("./wegman-simd.wasm", import.meta.url)
    : new URL("./wegman.wasm", import.meta.url);
  try {
    if (url.protocol === "file:" && globalThis.process?.versions?.node) {
      // For a browser, webpack refuses the name.
      return await (await import(/* webpackIgnore: true */ "node:fs/promises")).readFile(url);
    }
    const response = await fetch(url);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await response.arrayBuffer();
  } catch (cause) {
    const advice = "Did a bundler leave it behind? Import wegman/inline, or give its bytes to load().";
    throw new Error(`${url}: the module can't be read: ${cause.message}. ${advice}`, { cause });
  }
}

/** The module's memory may grow, at the latest in `buffer`, and then it is another object: a view is made for each use. */
function view(wasm, bytes) {
  const at = wasm.buffer();
  return new Uint8Array(wasm.memory.buffer, at, bytes);
}

/** What only objects of a class have, of whatever realm; undefined for all others, whatever they say of themselves. */
function ownOf(type, property, object) {
  try {
    return Object.getOwnPropertyDescriptor(type.prototype, property).get.call(object);
  } catch {
    return undefined;
  }
}

/** The same of views, without throwing: that takes longer than a tag. */
const gettersOf = (type, ...names) => names.map((name) => Object.getOwnPropertyDescriptor(type.prototype, name).get);
const PLACE = ["buffer", "byteOffset", "byteLength"];
const [KIND, ...OF_TYPED] = gettersOf(Object.getPrototypeOf(Uint8Array), Symbol.toStringTag, ...PLACE);
const OF_DATA_VIEW = gettersOf(DataView, ...PLACE);

const isBuffer = (data) => ownOf(ArrayBuffer, "byteLength", data) !== undefined;

function sizeOf(blob) {
  const size = ownOf(globalThis.Blob, "size", blob);
  if (size === undefined) throw new TypeError("pass a Blob here, such as a File; bytes go to tag and verify, streams to tagStream");
  return size;
}

function bytesOf(data, name, length) {
  let bytes;
  const isTyped = KIND.call(data) !== undefined;
  if (ArrayBuffer.isView(data)) bytes = new Uint8Array(...(isTyped ? OF_TYPED : OF_DATA_VIEW).map((get) => get.call(data)));
  else if (isBuffer(data)) bytes = new Uint8Array(data);
  else throw new TypeError(`${name} is bytes: a Uint8Array, another view or an ArrayBuffer`);
  // A view that its buffer no longer reaches has no bytes, but is no empty message: this throws.
  if (bytes.length === 0 && isTyped) bytes.keys.call(data);
  if (length !== undefined && bytes.length !== length) {
    throw new RangeError(`${name} has ${length} bytes, not ${bytes.length}`);
  }
  return bytes;
}

/** Writes one after the other. */
function fill(buffer, parts) {
  let at = 0;
  for (const part of parts) {
    buffer.set(part, at);
    at += part.length;
  }
}

// What is not freed is freed when it is collected. The collector promises no time.
const registry = new FinalizationRegistry(({ wasm, number }) => {
  wasm.wipe(BUFFER);
  wasm.free(number);
});

class Owned {
  #wasm;
  #number;
  constructor(wasm, number) {
    this.#wasm = wasm;
    this.#number = number;
    registry.register(this, { wasm, number }, this);
  }
  get _wasm() {
    return this.#wasm;
  }
  get _number() {
    if (!this.#number) throw new Error("it was freed: make another one");
    return this.#number;
  }
  free() {
    if (!this.#number) return;
    registry.unregister(this);
    this.#wasm.free(this.#number);
    this.#number = 0;
  }
}
// `using` calls it, in engines that have that.
if (Symbol.dispose) {
  Object.defineProperty(Owned.prototype, Symbol.dispose, { value() { this.free(); }, writable: true, configurable: true });
}

class Stream extends Owned {
  #key;
  // How much of the buffer this stream wrote: a segment, or a nonce and a tag, at least.
  #wrote = SEGMENT;
  /** `key` says what tags and nonces it takes. */
  constructor(key, number) {
    super(key._wasm, number ?? key._wasm.stream(key._number));
    this.#key = key;
  }
  update(data) {
    const bytes = bytesOf(data, "data");
    const [wasm, number, most] = [this._wasm, this._number, this._wasm.buffer_bytes()];
    for (let at = 0; at < bytes.length; at += most) {
      const piece = bytes.subarray(at, at + most);
      view(wasm, piece.length).set(piece);
      this.#wrote = Math.max(this.#wrote, piece.length);
      wasm.update(number, piece.length);
    }
    return this;
  }
  /** The tag of all that came. The stream is freed. */
  finish(nonce) {
    return this.#end(() => this.#key._spent(nonce), () => {
      const bytes = this._wasm.finish(this._number);
      return view(this._wasm, bytes).slice();
    });
  }
  verify(tag, nonce) {
    const valid = this.#end(() => this.#key._before(tag, nonce), () => this._wasm.verify(this._number));
    if (valid !== 1) throw new InvalidTag();
  }
  #end(before, work) {
    try {
      fill(view(this._wasm, BEFORE), before());
      return work();
    } finally {
      this.free();
    }
  }
  /** The last piece of the message lies in the buffer, too. */
  free() {
    this._wasm.wipe(this.#wrote);
    super.free();
  }
}

const MADE = Symbol("made by create");

/** A nonce that a key counted. It goes into one tag of that key. */
export class Nonce {
  #key;
  #bytes;
  constructor(made, key, number) {
    if (made !== MADE) throw new TypeError("nonces are not made by new: call a key's nonce()");
    this.#key = key;
    this.#bytes = new Uint8Array(8);
    new DataView(this.#bytes.buffer).setBigUint64(0, number);
  }
  /** To be sent with the tag. */
  get bytes() {
    return this.#bytes.slice();
  }
  _spend(key) {
    if (this.#key !== key) throw new TypeError("this nonce was used already, or another key counted it");
    this.#key = undefined;
    return this.#bytes;
  }
}

class Mac extends Owned {
  constructor(made, wasm, number) {
    if (made !== MADE) throw new TypeError("keys are not made by new: await the static method create(key)");
    super(wasm, number);
  }
  static async _of(algorithm, key) {
    // Copied before anything is waited for: the caller may wipe the key at once.
    const bytes = bytesOf(key, "the key", 16).slice();
    try {
      const wasm = await load();
      view(wasm, 16).set(bytes);
      return new this(MADE, wasm, wasm.key(algorithm));
    } finally {
      bytes.fill(0);
    }
  }
  stream() {
    return new Stream(this);
  }
  verify(message, tag, nonce) {
    const [bytes, before] = [bytesOf(message, "the message"), this._before(tag, nonce)];
    const valid = this._whole(before, bytes, (wasm, key) => wasm.check(key, bytes.length));
    if (valid === 0) throw new InvalidTag();
    if (!valid) this.stream().update(bytes).verify(tag, nonce);
  }
  /** Of a message that fits in the buffer behind what comes before it, without a stream: what `work` gives. */
  _whole(before, bytes, work) {
    const [wasm, number] = [this._wasm, this._number];
    const all = before.reduce((sum, { length }) => sum + length, bytes.length);
    if (all > wasm.buffer_bytes() - BEFORE) return undefined;
    // The module's memory grows only where objects are made.
    const buffer = view(wasm, Math.max(all, BEFORE));
    try {
      fill(buffer, [...before, bytes]);
      return work(wasm, number, buffer);
    } finally {
      buffer.fill(0);
    }
  }
  _tag(bytes, ...nonce) {
    return this._whole(nonce, bytes, (wasm, key, buffer) => buffer.slice(0, wasm.tag(key, bytes.length)));
  }
  async _feed(chunks, stream = this.stream()) {
    try {
      for await (const chunk of chunks) stream.update(chunk);
      return stream;
    } catch (error) {
      stream.free();
      throw error;
    }
  }
  async _verifyBlob(blob, tag, nonce, { onProgress, signal } = {}) {
    const kept = this._kept(tag, nonce);
    (await this._feed(piecesOf(blob, onProgress, signal))).verify(...kept);
  }
  async verifyStream(chunks, tag, nonce) {
    const kept = this._kept(tag, nonce);
    (await this._feed(chunksOf(chunks))).verify(...kept);
  }
  /** Copied: while the message is read, the caller may change them. */
  _kept(tag, nonce) {
    const [last, first] = this._before(tag, nonce).map((bytes) => bytes.slice()).reverse();
    return [last, first];
  }
}

/** PMAC-AES128 with tags of 16 bytes, for files and objects. */
export class Pmac extends Mac {
  static create(key) {
    return this._of(1, key);
  }
  get _tagBytes() {
    return 16;
  }
  _spent(nonce) {
    if (nonce !== undefined) throw new TypeError("PMAC takes no nonce");
    return [];
  }
  _before(tag, nonce) {
    return [...this._spent(nonce), bytesOf(tag, "the tag", 16)];
  }
  verify(message, tag) {
    super.verify(message, tag);
  }
  tag(message) {
    const bytes = bytesOf(message, "the message");
    return this._tag(bytes) ?? this.stream().update(bytes).finish();
  }
  /**
   * The tag after an edit of a Blob, from its tag before. It reads only the blocks that change, and trusts them: if someone
   * changed them after the tag was made, the new tag may be for bytes of their choice.
   */
  async tagAfter(blob, tag, at, bytes) {
    const [old, piece] = [bytesOf(tag, "the tag", 16).slice(), bytesOf(bytes, "the bytes").slice()];
    const [size, end] = [sizeOf(blob), at + piece.length];
    if (!(Number.isSafeInteger(at) && at >= 0 && end <= size)) throw new RangeError("the replaced bytes must lie within the blob");
    if (piece.length > 64 << 10) throw new RangeError("an edit has at most 64 KiB");
    if (piece.length === 0) return old;
    const [from, to] = [at - (at % 16), Math.min(Math.ceil(end / 16) * 16, size)];
    const before = await read(blob.slice(from, to), to - from);
    return this._whole([old, before], piece, (wasm, key, buffer) => {
      const done = wasm.replace(key, BigInt(size), BigInt(at), before.length, piece.length);
      if (done !== 1) throw new RangeError("this edit is not possible: the tag or the blocks do not fit");
      return buffer.slice(0, 16);
    });
  }
  /** The tag of a node stream, a web stream or anything else that gives chunks of bytes. */
  async tagStream(chunks) {
    return (await this._feed(chunksOf(chunks))).finish();
  }
  /** The tag of a Blob or File, which is never held as a whole. */
  async tagBlob(blob, { onProgress, signal } = {}) {
    return (await this._feed(piecesOf(blob, onProgress, signal))).finish();
  }
  verifyBlob(blob, tag, options) {
    return this._verifyBlob(blob, tag, undefined, options);
  }
  /** The segment of a part of a Blob, which several workers may sum at once. It is as secret as the key. */
  async partOf(blob, from, to, { onProgress, signal } = {}) {
    const isIn = [from, to].every(Number.isSafeInteger) && from >= 0 && from % 16 === 0 && from <= to && to <= sizeOf(blob);
    if (!isIn) throw new RangeError("a part begins at a multiple of 16, and lies within the blob");
    const part = new Stream(this, this._wasm.part(this._number, BigInt(from / 16)));
    // Node aborts on slice(-0).
    return (await this._feed(piecesOf(blob.slice(Math.abs(from), Math.abs(to)), onProgress, signal), part)).finish();
  }
  /** The tag of a message of `size` bytes from the segments of all its parts. */
  tagOfParts(parts, size) {
    const tag = this._joined([], parts, size, (wasm, key, bytes) => view(wasm, wasm.join(key, parts.length, bytes)).slice());
    if (tag.length === 0) throw new RangeError(`the parts make no message of ${size} bytes: one is missing, there twice, or of another key`);
    return tag;
  }
  verifyParts(parts, size, tag) {
    const valid = this._joined(this._before(tag), parts, size, (wasm, key, bytes) => wasm.check_join(key, parts.length, bytes));
    if (valid !== 1) throw new InvalidTag();
  }
  _joined(before, parts, size, work) {
    if (!(Number.isSafeInteger(size) && size >= 0)) throw new RangeError("size is a whole number of bytes, below 2 ** 53");
    if (parts.length > MOST_PARTS) throw new RangeError(`at most ${MOST_PARTS} parts are joined: make larger ones`);
    const [wasm, number] = [this._wasm, this._number];
    const all = [...before, ...parts.map((part) => bytesOf(part, "a part", SEGMENT))];
    try {
      fill(view(wasm, BUFFER), all);
      return work(wasm, number, BigInt(size));
    } finally {
      // The memory may have grown: a view from before has no bytes then.
      wasm.wipe(BUFFER);
    }
  }
}

/** What takes a nonce. */
class Nonced extends Mac {
  _before(tag, nonce) {
    return [bytesOf(nonce, "the nonce", this._nonceBytes), bytesOf(tag, "the tag", this._tagBytes)];
  }
  verifyBlob(blob, tag, nonce, options) {
    return this._verifyBlob(blob, tag, nonce, options);
  }
}

/** UMAC-64 of RFC 4418, for packets: a nonce of 8 bytes that the key never uses again. */
export class Umac64 extends Nonced {
  // Undefined until the first nonce: then whether they are counted here.
  #counts;
  #next = 0n;
  static async create(key, { next = 0n } = {}) {
    if (typeof next !== "bigint" || next < 0n || next >= 1n << 64n) throw new RangeError("the next nonce is a bigint below 2n ** 64n");
    const mac = await this._of(2, key);
    mac.#next = next;
    return mac;
  }
  get _tagBytes() {
    return 8;
  }
  get _nonceBytes() {
    return 8;
  }
  /** What `nonce()` gives next. Store it before that is used, if the key lives on. */
  get next() {
    return this.#next;
  }
  /** The next of the nonces that this key counts. From then on it takes no others. */
  nonce() {
    if (this.#counts === false) throw new Error("this key was given nonces, so it can't count them: one of them may come again");
    if (this.#next >= 1n << 64n) throw new RangeError("all nonces are used: make another key");
    this.#counts = true;
    return new Nonce(MADE, this, this.#next++);
  }
  _spent(nonce) {
    if (nonce instanceof Nonce) return [nonce._spend(this)];
    const bytes = bytesOf(nonce, "the nonce", 8);
    if (this.#counts) throw new Error("this key counts its nonces: take one from nonce()");
    this.#counts = false;
    return [bytes];
  }
  tag(message, nonce) {
    const bytes = bytesOf(message, "the message");
    // Before the nonce is spent: a long message goes through a stream, which spends it.
    const isLong = bytes.length + 8 > this._wasm.buffer_bytes() - BEFORE;
    return isLong ? this.stream().update(bytes).finish(nonce) : this._tag(bytes, ...this._spent(nonce));
  }
  async tagStream(chunks, nonce) {
    const kept = this.#kept(nonce);
    return (await this._feed(chunksOf(chunks))).finish(kept);
  }
  async tagBlob(blob, nonce, { onProgress, signal } = {}) {
    const kept = this.#kept(nonce);
    return (await this._feed(piecesOf(blob, onProgress, signal))).finish(kept);
  }
  #kept(nonce) {
    return nonce instanceof Nonce ? nonce : bytesOf(nonce, "the nonce", 8).slice();
  }
}

/** UMAC as the command tags files with it: nonces of 16 random bytes, which the manifest has. It only verifies. */
export class UmacFile extends Nonced {
  #tagBytes;
  static async create(key, tagBytes) {
    if (![4, 8, 12, 16].includes(tagBytes)) throw new RangeError("UMAC has tags of 4, 8, 12 or 16 bytes");
    const mac = await this._of(100 + tagBytes, key);
    mac.#tagBytes = tagBytes;
    return mac;
  }
  get _tagBytes() {
    return this.#tagBytes;
  }
  get _nonceBytes() {
    return 16;
  }
  _spent() {
    throw new TypeError("this key only verifies");
  }
}

/** Of a Blob. The browser reads ahead of the stream, which slices make it begin anew. */
async function* piecesOf(blob, onProgress, signal) {
  const size = sizeOf(blob);
  let done = 0;
  if (size > 0) {
    // With 256 KiB, Chromium wakes up so often that everything takes a third longer.
    for await (const piece of chunksOfWeb(blob.stream(), new ArrayBuffer(1 << 20))) {
      signal?.throwIfAborted();
      yield piece;
      done += piece.length;
      onProgress?.(done, size);
    }
  }
  // Whether the file is there and unchanged is asked when it is opened: once more now, even if it says that it is empty.
  await read(blob.slice(0, 1), Math.min(1, size));
  if (done !== size) throw new Error(CHANGED);
  signal?.throwIfAborted();
}

/** All its bytes, or none. */
async function read(blob, size) {
  const piece = new Uint8Array(await blob.arrayBuffer());
  if (piece.length !== size) throw new Error(CHANGED);
  return piece;
}

/** What gives chunks. Bytes, text and Blobs can be gone through or read too, but not in chunks of bytes. */
function chunksOf(source) {
  if (ownOf(globalThis.Blob, "size", source) !== undefined) throw new TypeError("this takes a stream; a Blob goes to tagBlob");
  const isData = typeof source !== "object" || ArrayBuffer.isView(source) || isBuffer(source);
  if (!isData && source?.getReader) {
    if (ownOf(globalThis.ReadableStream, "locked", source) !== undefined) {
      // A response takes no stream that was read or that somebody reads, and leaves this one alone.
      try {
        new Response(source);
      } catch (cause) {
        throw new TypeError("this stream was read already, or another reader has it", { cause });
      }
    }
    return chunksOfWeb(source);
  }
  // Of what can be gone through, forms, headers and maps are no lists of chunks, and an empty one is no empty message.
  const isList = Array.isArray(source) || (typeof source?.next === "function" && source[Symbol.iterator]);
  if (isData || !(source?.[Symbol.asyncIterator] ?? isList)) {
    throw new TypeError("this takes a web stream, a node stream or an iterable of chunks; bytes go to tag");
  }
  // Node gives nothing more of it, and no error.
  if (source.readableEnded || source.destroyed) throw new TypeError("this stream was read already");
  return source;
}

/** Web streams can't be gone through in every browser. One buffer for all chunks of a Blob saves Chromium half the reading. */
async function* chunksOfWeb(stream, buffer) {
  let reader;
  try {
    reader = stream.getReader(buffer && { mode: "byob" });
  } catch (error) {
    // Older engines have no such reader of a Blob.
    if (!buffer) throw error;
    reader = stream.getReader();
    buffer = undefined;
  }
  try {
    for (;;) {
      const { done, value } = await (buffer ? reader.read(new Uint8Array(buffer)) : reader.read());
      if (done) return;
      yield value;
      buffer &&= value.buffer;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** 16 random bytes. */
export function generateKey() {
  return crypto.getRandomValues(new Uint8Array(16));
}

/** A key of at most 32 bytes from the secret of a key file, as cli/docs/keys.md says. */
export async function deriveKey(secret, info, length = 16) {
  if (typeof info !== "string" || info.isWellFormed?.() === false) throw new TypeError("info must be a string, such as files/PMAC-AES128/128");
  const [bytes, text] = [bytesOf(secret, "the secret", 32).slice(), new TextEncoder().encode(info)];
  if (text.length > 256) throw new RangeError("the info has at most 256 bytes");
  if (!(Number.isInteger(length) && length >= 1 && length <= 32)) throw new RangeError("a derived key has 1 to 32 bytes");
  const wasm = await load();
  const buffer = view(wasm, 32 + text.length);
  buffer.set(bytes);
  buffer.set(text, 32);
  bytes.fill(0);
  wasm.derive(text.length);
  const key = view(wasm, length).slice();
  wasm.wipe(32);
  return key;
}
