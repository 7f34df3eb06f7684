/** A Uint8Array that owns its bytes. Compilers before 5.7 have no other name for it. */
export type OwnBytes = ReturnType<Uint8Array["slice"]>;
/** A key file: its id of 16 digits, its secret of 32 bytes, and its algorithm, PMAC-AES128 if nothing is said. */
export interface Key {
  id: string;
  secret: Uint8Array;
  algorithm?: string;
}
/** What the user can mend; the message says how. */
export class Refused extends Error {}
export const ALGORITHM: "PMAC-AES128";
/** What key files may be for: this one, and UMAC-32, -64, -96 and -128. */
export const ALGORITHMS: string[];

/** A new key from random bytes. */
export function makeKey(): Key;
/** The text of its key file. */
export function keyText(key: Key): Promise<string>;
/** Reads a key file. Throws Refused if it is damaged or not for one of `algorithms`, by default PMAC-AES128 alone. */
export function readKey(text: string, algorithms?: string[]): Promise<Key>;
/** The bytes of a key's tags, as `UmacFile.create` takes them. */
export function tagBytes(key: Key): number;
/** What `Pmac.create` or `UmacFile.create` takes: the key for "files" or for "seals", of 16 bytes. */
export function keyFor(key: Key, purpose: string): Promise<OwnBytes>;

/** What the module takes as a key. Not for others. @internal */
export function partsOf(key: Key): Uint8Array[];
/** Bytes as hexadecimal digits, and back. */
export function hex(bytes: Uint8Array): string;
/** Throws TypeError if there is anything but pairs of digits. */
export function bytesOfHex(text: string): OwnBytes;
