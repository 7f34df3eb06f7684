/** Bytes: a Uint8Array, another view or an ArrayBuffer. */
export type Bytes = ArrayBufferView | ArrayBuffer;
/** A Uint8Array that owns its bytes. Compilers before 5.7 have no other name for it. */
export type OwnBytes = ReturnType<Uint8Array["slice"]>;
/** A node stream, a web stream, or anything else that gives chunks of bytes. */
export type Chunks = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A message is not authentic. */
export class InvalidTag extends Error {}

/**
 * Loads the module from bytes, where the file beside this one can't be read. Otherwise nobody needs to call it. What is loaded
 * already stays; if it fails, these bytes are loaded again.
 */
export function load(source?: BufferSource | WebAssembly.Module): Promise<unknown>;
/** 16 random bytes from the system. */
export function generateKey(): OwnBytes;
/** A key of 1 to 32 bytes from the 32-byte secret of a key file. `info` has at most 256 bytes, such as "files/PMAC-AES128/128". */
export function deriveKey(secret: Bytes, info: string, length?: number): Promise<OwnBytes>;

/** One message in pieces. `finish` and `verify` free it, also when they throw. */
export interface PmacStream {
  update(data: Bytes): this;
  finish(): OwnBytes;
  /** Throws InvalidTag. */
  verify(tag: Bytes): void;
  free(): void;
}
/** One message in pieces. `finish` and `verify` free it, also when they throw. */
export interface Umac64Stream {
  update(data: Bytes): this;
  /** The nonce has 8 bytes, and the key never uses it again. */
  finish(nonce: Bytes): OwnBytes;
  /** Throws InvalidTag. */
  verify(tag: Bytes, nonce: Bytes): void;
  free(): void;
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
   * Takes what has not been read yet: a generator that was read to its end is an empty message. A web stream or a node stream
   * that ended is refused.
   */
  tagStream(chunks: Chunks): Promise<OwnBytes>;
  /** Reads slices of 256 KiB. An aborted signal rejects with its reason. */
  tagBlob(
    blob: Blob,
    options?: { onProgress?: (done: number, of: number) => void; signal?: AbortSignal },
  ): Promise<OwnBytes>;
  /** Reads in the same way. Throws InvalidTag; RangeError if the tag does not have 16 bytes. */
  verifyBlob(
    blob: Blob,
    tag: Bytes,
    options?: { onProgress?: (done: number, of: number) => void; signal?: AbortSignal },
  ): Promise<void>;
  /**
   * The tag after `bytes` replace those from `at` on: from the tag of the blob as it is, and the blocks that are touched.
   * At most 64 KiB. If somebody changed these blocks after the tag was made, the new tag may be for what they chose.
   */
  tagAfter(blob: Blob, tag: Bytes, at: number, bytes: Bytes): Promise<OwnBytes>;
  /** Wipes the key in the module's memory, once its last stream has ended. */
  free(): void;
}

/** UMAC-64 of RFC 4418, for packets. Nonces have 8 bytes, and a key never uses one for two messages. */
export class Umac64 {
  private constructor();
  /** The key has 16 bytes. */
  static create(key: Bytes): Promise<Umac64>;
  tag(message: Bytes, nonce: Bytes): OwnBytes;
  /** Throws InvalidTag; RangeError if the tag or the nonce does not have 8 bytes. */
  verify(message: Bytes, tag: Bytes, nonce: Bytes): void;
  stream(): Umac64Stream;
  /** Wipes the key in the module's memory, once its last stream has ended. */
  free(): void;
}
