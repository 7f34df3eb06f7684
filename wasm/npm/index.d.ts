/// <reference lib="esnext.disposable" />
/** Bytes: a Uint8Array, another view or an ArrayBuffer. */
export type Bytes = ArrayBufferView | ArrayBuffer;
/** A Uint8Array that owns its bytes, in a form that compilers before 5.7 also take. */
export type OwnBytes = ReturnType<Uint8Array["slice"]>;
/** A node stream, a web stream, or anything else that gives chunks of bytes. */
export type Chunks = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A message is not authentic. */
export class InvalidTag extends Error {}

/**
 * Loads the module from bytes. Call it only where the file beside this one can't be read. A loaded module stays; if it fails,
 * these bytes are loaded again.
 */
export function load(source?: BufferSource | WebAssembly.Module): Promise<unknown>;
/** 16 random bytes from the system. */
export function generateKey(): OwnBytes;
/** Derives a key of `length` bytes, 1 to 32, from the 32-byte secret of a key file. `info`, such as "files/PMAC-AES128/128", has at most 256 bytes. */
export function deriveKey(secret: Bytes, info: string, length?: number): Promise<OwnBytes>;

/** A message whose bytes arrive in pieces. `finish` and `verify` free the stream, even if they throw. */
export interface PmacStream {
  update(data: Bytes): this;
  /** The tag, of 16 bytes. */
  finish(): OwnBytes;
  /** Throws InvalidTag. */
  verify(tag: Bytes): void;
  free(): void;
  [Symbol.dispose](): void;
}
/** A message whose bytes arrive in pieces. `finish` and `verify` free the stream, even if they throw. */
export interface Umac64Stream {
  update(data: Bytes): this;
  /** The nonce has 8 bytes, and the key never uses it again. */
  finish(nonce: Bytes | Nonce): OwnBytes;
  /** Throws InvalidTag. */
  verify(tag: Bytes, nonce: Bytes): void;
  free(): void;
  [Symbol.dispose](): void;
}

/** How a Blob is read: as a stream. An aborted signal rejects with its reason. */
export interface Reading {
  onProgress?: (done: number, of: number) => void;
  signal?: AbortSignal;
}

/** PMAC-AES128 with tags of 16 bytes, for files and objects. */
export class Pmac {
  private constructor();
  /** The key has 16 bytes. */
  static create(key: Bytes): Promise<Pmac>;
  tag(message: Bytes): OwnBytes;
  /** Throws InvalidTag; RangeError if the tag does not have 16 bytes. */
  verify(message: Bytes, tag: Bytes): void;
  stream(): PmacStream;
  /**
   * The tag of the chunks that were not read before. A generator that was read to its end is an empty message; a web stream or
   * a node stream that has ended is refused.
   */
  tagStream(chunks: Chunks): Promise<OwnBytes>;
  tagBlob(blob: Blob, options?: Reading): Promise<OwnBytes>;
  /** Throws InvalidTag; RangeError if the tag does not have 16 bytes. */
  verifyBlob(blob: Blob, tag: Bytes, options?: Reading): Promise<void>;
  /** Throws in the same way. */
  verifyStream(chunks: Chunks, tag: Bytes): Promise<void>;
  /**
   * The segment of the bytes from `from`, a multiple of 16, to `to`: workers with the same key may sum the parts of a Blob at
   * once. **As secret as the key**: whoever knows a message and its segment can forge.
   */
  partOf(blob: Blob, from: number, to: number, options?: Reading): Promise<OwnBytes>;
  /** The tag of a message of `size` bytes from the segments of all its parts, in any order: at most 3854. */
  tagOfParts(parts: Bytes[], size: number): OwnBytes;
  /** Throws InvalidTag, also if the parts do not make the message; RangeError if they are too many. */
  verifyParts(parts: Bytes[], size: number, tag: Bytes): void;
  /**
   * The tag after `bytes`, at most 64 KiB, replace those at offset `at`. It reads only the blocks of 16 bytes that change, and
   * trusts them: if someone changed them after `tag` was made, the new tag may be for bytes of their choice.
   */
  tagAfter(blob: Blob, tag: Bytes, at: number, bytes: Bytes): Promise<OwnBytes>;
  /** Wipes the key in the module's memory once its last stream has ended. */
  free(): void;
  [Symbol.dispose](): void;
}

/** A nonce that a key counted. It goes into one tag of that key; a second use throws. */
export class Nonce {
  private constructor();
  /** To be sent with the tag. */
  readonly bytes: OwnBytes;
}

/** UMAC-64 of RFC 4418, for packets. Never use a nonce, of 8 bytes, for two messages under one key. */
export class Umac64 {
  private constructor();
  /** The key has 16 bytes. `next` is the nonce to count from: the stored one, if the key was used before. */
  static create(key: Bytes, options?: { next?: bigint }): Promise<Umac64>;
  /**
   * The next nonce that this key counts, which never comes again. A key whose nonces are counted takes no others, and one that
   * was given nonces counts none.
   */
  nonce(): Nonce;
  /** What `nonce()` gives next, to be stored before it is used. */
  readonly next: bigint;
  tag(message: Bytes, nonce: Bytes | Nonce): OwnBytes;
  tagStream(chunks: Chunks, nonce: Bytes | Nonce): Promise<OwnBytes>;
  tagBlob(blob: Blob, nonce: Bytes | Nonce, options?: Reading): Promise<OwnBytes>;
  /** Throws InvalidTag; RangeError if the tag or the nonce does not have 8 bytes. */
  verify(message: Bytes, tag: Bytes, nonce: Bytes): void;
  verifyBlob(blob: Blob, tag: Bytes, nonce: Bytes, options?: Reading): Promise<void>;
  verifyStream(chunks: Chunks, tag: Bytes, nonce: Bytes): Promise<void>;
  stream(): Umac64Stream;
  /** Wipes the key in the module's memory once its last stream has ended. */
  free(): void;
  [Symbol.dispose](): void;
}

/** UMAC as the command tags files with it: tags of 4, 8, 12 or 16 bytes, and nonces of 16. It only verifies. */
export class UmacFile {
  private constructor();
  static create(key: Bytes, tagBytes: number): Promise<UmacFile>;
  /** These throw as those of Umac64. */
  verify(message: Bytes, tag: Bytes, nonce: Bytes): void;
  verifyBlob(blob: Blob, tag: Bytes, nonce: Bytes, options?: Reading): Promise<void>;
  verifyStream(chunks: Chunks, tag: Bytes, nonce: Bytes): Promise<void>;
  free(): void;
  [Symbol.dispose](): void;
}
