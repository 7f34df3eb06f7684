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
}
/** A message whose bytes arrive in pieces. `finish` and `verify` free the stream, even if they throw. */
export interface Umac64Stream {
  update(data: Bytes): this;
  /** The tag, of 8 bytes. Never use a nonce, of 8 bytes, for two messages under one key. */
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
   * The tag of the chunks that were not read before. A generator that was read to its end is an empty message; a web stream or
   * a node stream that has ended is refused.
   */
  tagStream(chunks: Chunks): Promise<OwnBytes>;
  /** The tag of a Blob or File, read in slices of 256 KiB. If the signal is aborted, it rejects with the signal's reason. */
  tagBlob(
    blob: Blob,
    options?: { onProgress?: (done: number, of: number) => void; signal?: AbortSignal },
  ): Promise<OwnBytes>;
  /** Reads like tagBlob. Throws InvalidTag; RangeError if the tag does not have 16 bytes. */
  verifyBlob(
    blob: Blob,
    tag: Bytes,
    options?: { onProgress?: (done: number, of: number) => void; signal?: AbortSignal },
  ): Promise<void>;
  /**
   * The tag after `bytes`, at most 64 KiB, replace those at offset `at`. It reads only the blocks of 16 bytes that change, and
   * trusts them: if someone changed them after `tag` was made, the new tag may be for bytes of their choice.
   */
  tagAfter(blob: Blob, tag: Bytes, at: number, bytes: Bytes): Promise<OwnBytes>;
  /** Wipes the key in the module's memory once its last stream has ended. */
  free(): void;
}

/** UMAC-64 of RFC 4418, for packets. Never use a nonce, of 8 bytes, for two messages under one key. */
export class Umac64 {
  private constructor();
  /** The key has 16 bytes. */
  static create(key: Bytes): Promise<Umac64>;
  tag(message: Bytes, nonce: Bytes): OwnBytes;
  /** Throws InvalidTag; RangeError if the tag or the nonce does not have 8 bytes. */
  verify(message: Bytes, tag: Bytes, nonce: Bytes): void;
  stream(): Umac64Stream;
  /** Wipes the key in the module's memory once its last stream has ended. */
  free(): void;
}
