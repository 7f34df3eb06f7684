/** A Uint8Array that owns its bytes. Compilers before 5.7 have no other name for it. */
export type OwnBytes = ReturnType<Uint8Array["slice"]>;
/** A key file for PMAC-AES128 with 128-bit tags: its id of 16 digits, and its secret of 32 bytes. */
export interface Key {
  id: string;
  secret: Uint8Array;
}
/** What the user can mend; the message says how. */
export class Refused extends Error {}
export const ALGORITHM: "PMAC-AES128";

/** A new key from random bytes. */
export function makeKey(): Key;
/** The text of its key file. */
export function keyText(key: Key): Promise<string>;
/** Reads a key file. Throws Refused if it is damaged, or for another algorithm or tag length. */
export function readKey(text: string): Promise<Key>;
/** What `Pmac.create` takes: the key for "files" or for "seals", of 16 bytes. */
export function keyFor(key: Key, purpose: string): Promise<OwnBytes>;

/** What the module takes as a key. Not for others. @internal */
export function partsOf(key: Key): Uint8Array[];
/** Bytes as hexadecimal digits, and back. */
export function hex(bytes: Uint8Array): string;
/** Throws TypeError if there is anything but pairs of digits. */
export function bytesOfHex(text: string): OwnBytes;
