// The package as its users have it, as an ES module and, copied to use.cts, as a CommonJS one.
import { InvalidTag, Nonce, Pmac, Umac64, deriveKey, generateKey, type PmacStream } from "wegman";
import { Refused, keyFor, keyText, makeKey, readKey, type Key } from "wegman/keyfile";

async function main(): Promise<void> {
  const file: Key = makeKey();
  const text = await keyText(file);
  const again = await readKey(text);
  if (again.id !== file.id || again.secret.join() !== file.secret.join()) throw new Error("key file");
  (await Pmac.create(await keyFor(again, "files"))).free();
  for (const damaged of [text.replace("128", "064"), text.slice(1), text + "\n", text.replace(/secret: ./, "secret: x")]) {
    await readKey(damaged).then(
      () => Promise.reject(new Error("a damaged key file")),
      (error: unknown) => {
        if (!(error instanceof Refused)) throw error;
      },
    );
  }
  const key: Uint8Array = generateKey();
  const pmac: Pmac = await Pmac.create(key);
  const message = new TextEncoder().encode("a message");
  const tag: Uint8Array = pmac.tag(message);
  pmac.verify(message, tag);
  const stream: PmacStream = pmac.stream();
  const same = stream.update(message.subarray(0, 3)).update(message.subarray(3)).finish();
  if (same.join() !== tag.join()) throw new Error("pieces");
  const blob = new Blob([message]);
  const controller = new AbortController();
  const progress: number[] = [];
  await pmac.tagBlob(blob, { onProgress: (done, of) => progress.push(done / of), signal: controller.signal });
  await pmac.verifyBlob(blob, tag);
  await pmac.tagStream(blob.stream());
  await pmac.tagAfter(blob, tag, 0, new Uint8Array([1]));
  const umac = await Umac64.create(await deriveKey(new Uint8Array(32), "files/UMAC-64/64"));
  const nonce = new Uint8Array(8);
  umac.verify(message, umac.tag(message, nonce), nonce);
  await umac.verifyStream(blob.stream(), await umac.tagBlob(blob, nonce), nonce);
  const counting = await Umac64.create(key, { next: 5n });
  const once: Nonce = counting.nonce();
  await counting.verifyBlob(blob, await counting.tagStream([message], once), once.bytes);
  if (counting.next !== 6n) throw new Error("counted");
  counting[Symbol.dispose]();
  await pmac.verifyStream(blob.stream(), tag);
  pmac.verifyParts([await pmac.partOf(blob, 0, blob.size)], blob.size, tag);
  try {
    pmac.verify(message, new Uint8Array(16));
    throw new Error("accepted");
  } catch (error) {
    if (!(error instanceof InvalidTag)) throw error;
  }
  // @ts-expect-error a key is bytes
  const wrong = () => Pmac.create("a key");
  pmac.free();
  umac.free();
  console.log(wrong.name, progress.at(-1));
}

void main();
