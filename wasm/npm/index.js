// PMAC-AES128 and UMAC-64 over the WebAssembly module of wasm/src/lib.rs. Nothing is fetched but the module's own file
// beside this one, and nothing is evaluated.

const SLICE = 256 << 10;
// The smallest module with a vector instruction. An engine without simd128 finds it invalid.
const VECTOR_TEST = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
);

/** A message is not authentic. */
export class InvalidTag extends Error {
  constructor() {
    super("the tag does not match the message");
    this.name = "InvalidTag";
  }
}

let loading;
/** The module's functions, loaded once: from bytes or a compiled module if given, or else from the file beside this one. */
export function load(source) {
  loading ??= instantiate(source).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function instantiate(source) {
  source ??= await ownFile();
  const result = await WebAssembly.instantiate(source, {});
  return (result.instance ?? result).exports;
}

async function ownFile() {
  // Both in full: bundlers look for exactly this form.
  const url = WebAssembly.validate(VECTOR_TEST)
    ? new URL("./wegman-simd.wasm", import.meta.url)
    : new URL("./wegman.wasm", import.meta.url);
  if (url.protocol === "file:" && globalThis.process?.versions?.node) {
    return (await import("node:fs/promises")).readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.arrayBuffer();
}

/** The module's memory may grow, at the latest in `buffer`, and then it is another object: a view is made for each use. */
function view(wasm, bytes) {
  const at = wasm.buffer();
  return new Uint8Array(wasm.memory.buffer, at, bytes);
}

function bytesOf(data, name, length) {
  let bytes;
  if (data instanceof ArrayBuffer) bytes = new Uint8Array(data);
  else if (ArrayBuffer.isView(data)) bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  else throw new TypeError(`${name} is bytes: a Uint8Array, another view or an ArrayBuffer`);
  if (length !== undefined && bytes.length !== length) {
    throw new RangeError(`${name} has ${length} bytes, not ${bytes.length}`);
  }
  return bytes;
}

// What is not freed is freed when it is collected. The collector promises no time.
const registry = new FinalizationRegistry(({ wasm, number }) => wasm.free(number));

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
    if (!this.#number) throw new Error("freed: it can't be used any more");
    return this.#number;
  }
  free() {
    if (!this.#number) return;
    registry.unregister(this);
    this.#wasm.free(this.#number);
    this.#number = 0;
  }
}

class Stream extends Owned {
  #nonced;
  // How much of the buffer this stream wrote: a nonce and a tag at least.
  #wrote = 16;
  constructor(wasm, key, nonced) {
    super(wasm, wasm.stream(key));
    this.#nonced = nonced;
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
    return this.#end(nonce, undefined, () => {
      const bytes = this._wasm.finish(this._number);
      return view(this._wasm, bytes).slice();
    });
  }
  verify(tag, nonce) {
    const valid = this.#end(nonce, bytesOf(tag, "the tag", this.#nonced ? 8 : 16), () => this._wasm.verify(this._number));
    if (valid !== 1) throw new InvalidTag();
  }
  #end(nonce, tag, work) {
    if (this.#nonced) nonce = bytesOf(nonce, "the nonce", 8);
    else if (nonce !== undefined) throw new TypeError("PMAC takes no nonce");
    const buffer = view(this._wasm, 16);
    if (nonce) buffer.set(nonce);
    if (tag) buffer.set(tag, nonce ? 8 : 0);
    try {
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

class Mac extends Owned {
  static async _of(algorithm, key) {
    // Copied before anything is waited for: the caller may wipe the key at once.
    const bytes = bytesOf(key, "the key", 16).slice();
    try {
      const wasm = await load();
      view(wasm, 16).set(bytes);
      return new this(wasm, wasm.key(algorithm));
    } finally {
      bytes.fill(0);
    }
  }
  /** The tag of a message that fits in the buffer, without a stream. */
  _tag(bytes, nonce) {
    const [wasm, before] = [this._wasm, nonce?.length ?? 0];
    if (before + bytes.length > wasm.buffer_bytes() - 8) return undefined;
    const buffer = view(wasm, Math.max(before + bytes.length, 16));
    if (nonce) buffer.set(nonce);
    buffer.set(bytes, before);
    const tag = buffer.slice(0, wasm.tag(this._number, bytes.length));
    // The module's memory grows only where objects are made.
    buffer.fill(0);
    return tag;
  }
  async _feed(stream, chunks) {
    try {
      for await (const chunk of chunks) stream.update(chunk);
      return stream;
    } catch (error) {
      stream.free();
      throw error;
    }
  }
}

/** PMAC-AES128 with tags of 16 bytes, for files and objects. */
export class Pmac extends Mac {
  static create(key) {
    return this._of(1, key);
  }
  stream() {
    return new Stream(this._wasm, this._number, false);
  }
  tag(message) {
    const bytes = bytesOf(message, "the message");
    return this._tag(bytes) ?? this.stream().update(bytes).finish();
  }
  verify(message, tag) {
    const [bytes, expected] = [bytesOf(message, "the message"), bytesOf(tag, "the tag", 16)];
    this.stream().update(bytes).verify(expected);
  }
  /**
   * The tag after bytes of a Blob are replaced, from the tag before: only the blocks that are touched are read. Bytes that
   * somebody else changed unnoticed may get a tag of that person's choice.
   */
  async tagAfter(blob, tag, at, bytes) {
    const [old, piece] = [bytesOf(tag, "the tag", 16).slice(), bytesOf(bytes, "the bytes").slice()];
    const end = at + piece.length;
    if (!(Number.isSafeInteger(at) && at >= 0 && end <= blob.size)) throw new RangeError("the bytes lie within the blob");
    if (piece.length > 64 << 10) throw new RangeError("an edit has at most 64 KiB");
    if (piece.length === 0) return old;
    const window = blob.slice(at - (at % 16), Math.min(Math.ceil(end / 16) * 16, blob.size));
    const before = new Uint8Array(await window.arrayBuffer());
    const [wasm, all] = [this._wasm, 16 + before.length + piece.length];
    const buffer = view(wasm, all);
    buffer.set(old);
    buffer.set(before, 16);
    buffer.set(piece, 16 + before.length);
    const done = wasm.replace(this._number, BigInt(blob.size), BigInt(at), before.length, piece.length);
    const after = view(wasm, 16).slice();
    wasm.wipe(all);
    if (done !== 1) throw new RangeError("this edit is not possible");
    return after;
  }
  /** The tag of a node stream, a web stream or anything else that gives chunks of bytes. */
  async tagStream(chunks) {
    return (await this._feed(this.stream(), chunks.getReader ? read(chunks) : chunks)).finish();
  }
  /** The tag of a Blob or File, read in slices: it is never held as a whole. */
  async tagBlob(blob, { onProgress, signal } = {}) {
    return (await this._feed(this.stream(), slices(blob, onProgress, signal))).finish();
  }
  async verifyBlob(blob, tag, { onProgress, signal } = {}) {
    const expected = bytesOf(tag, "the tag", 16).slice();
    (await this._feed(this.stream(), slices(blob, onProgress, signal))).verify(expected);
  }
}

/** UMAC-64 of RFC 4418, for packets: a nonce of 8 bytes that the key never uses again. */
export class Umac64 extends Mac {
  static create(key) {
    return this._of(2, key);
  }
  stream() {
    return new Stream(this._wasm, this._number, true);
  }
  tag(message, nonce) {
    const [bytes, once] = [bytesOf(message, "the message"), bytesOf(nonce, "the nonce", 8)];
    return this._tag(bytes, once) ?? this.stream().update(bytes).finish(once);
  }
  verify(message, tag, nonce) {
    const bytes = bytesOf(message, "the message");
    const [expected, once] = [bytesOf(tag, "the tag", 8), bytesOf(nonce, "the nonce", 8)];
    this.stream().update(bytes).verify(expected, once);
  }
}

async function* slices(blob, onProgress, signal) {
  for (let at = 0; at < blob.size; at += SLICE) {
    signal?.throwIfAborted();
    const piece = new Uint8Array(await blob.slice(at, at + SLICE).arrayBuffer());
    yield piece;
    onProgress?.(at + piece.length, blob.size);
  }
  signal?.throwIfAborted();
}

/** Web streams can't be gone through in every browser. */
async function* read(stream) {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
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
  if (typeof info !== "string") throw new TypeError("the info is a string, such as files/PMAC-AES128/128");
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
