// The known answers, and what the package promises, on both builds of the module.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash, hkdfSync } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { Worker } from "node:worker_threads";

const here = (path) => new URL(path, import.meta.url);
const hex = (text) => Uint8Array.from(Buffer.from(text, "hex"));
const digits = (bytes) => Buffer.from(bytes).toString("hex");
const affine = ({ a, b, length }) => Uint8Array.from({ length }, (_, i) => (a * i + b) % 256);
const message = (rule) =>
  ({
    affine: () => affine(rule),
    repeat: () => Buffer.alloc((rule.unit_hex.length / 2) * rule.repeat, Buffer.from(rule.unit_hex, "hex")),
    concat: () => Buffer.concat(rule.parts.map(message)),
  })[rule.pattern]?.() ?? hex(rule.msg_hex ?? rule.hex);
const vectors = (file) => JSON.parse(readFileSync(here(`../../vectors/${file}`)));

/** The module with a memory that may grow by eight pages. */
function withLittleMemory(module) {
  const number = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >> 7)]);
  const read = (at) => (module[at] < 128 ? [module[at], at + 1] : [(module[at] & 127) | (read(at + 1)[0] << 7), read(at + 1)[1]]);
  const parts = [module.subarray(0, 8)];
  for (let at = 8; at < module.length; ) {
    const [length, begin] = read(at + 1);
    let body = module.subarray(begin, begin + length);
    if (module[at] === 5) {
      const [pages] = read(begin + 2);
      body = [1, 1, ...number(pages), ...number(pages + 8)];
    }
    parts.push([module[at], ...number(body.length)], body);
    at = begin + length;
  }
  return Buffer.concat(parts.map((part) => Uint8Array.from(part)));
}

for (const build of ["wegman", "wegman-simd"]) {
  // Each query string is a module of its own, and loads its own build.
  const wegman = await import(`../npm/index.js?${build}`);
  const wasm = await wegman.load(readFileSync(here(`../npm/${build}.wasm`)));

  test(`${build}: known answers`, async () => {
    let checked = 0;
    for (const [file, algorithm, Mac] of [
      ["pmac.json", "PMAC-AES128", wegman.Pmac],
      ["umac-rfc4418.json", "UMAC-64", wegman.Umac64],
    ]) {
      const { cases, sweeps } = vectors(file);
      // The package takes nonces of 8 bytes; the file has others too.
      const taken = (one) => one.algorithm === algorithm && (one.nonce_hex?.length ?? 16) === 16;
      for (const one of cases.filter(taken)) {
        const bytes = one.msg ? message(one.msg) : hex(one.msg_hex);
        const nonce = one.nonce_hex && hex(one.nonce_hex);
        const mac = await Mac.create(hex(one.key_hex));
        assert.equal(digits(mac.tag(bytes, nonce)), one.tag_hex, one.id);
        mac.verify(bytes, hex(one.tag_hex), nonce);
        mac.free();
        checked += 1;
      }
      const sweep = sweeps.find((one) => one.algorithm === algorithm);
      const mac = await Mac.create(hex(sweep.key_hex));
      const all = createHash("sha256");
      for (let length = 0; length <= 4096; length += 1) {
        all.update(mac.tag(affine({ a: 7, b: 3, length }), sweep.nonce_hex && hex(sweep.nonce_hex)));
      }
      assert.equal(all.digest("hex"), sweep.sha256_of_concatenated_tags);
      mac.free();
    }
    assert.equal(checked, 78 + 104);
  });

  test(`${build}: pieces, streams and blobs give the same tag`, async () => {
    const mac = await wegman.Pmac.create(wegman.generateKey());
    // Each piece has other bytes than the one before.
    const bytes = Uint8Array.from({ length: 9_000_001 }, (_, i) => (i * i) >>> 11);
    const tag = mac.tag(bytes);
    const stream = mac.stream();
    for (let at = 0, step = 1; at < bytes.length; at += step, step = step * 3 + 1) {
      stream.update(bytes.subarray(at, at + step));
    }
    assert.deepEqual(stream.finish(), tag);
    const seen = [];
    const blob = new Blob([bytes]);
    assert.deepEqual(await mac.tagBlob(blob, { onProgress: (done, of) => seen.push([done, of]) }), tag);
    assert.deepEqual(seen.at(-1), [bytes.length, bytes.length]);
    assert.ok(seen.length > 2 && seen.every(([done], i) => i === 0 || done > seen[i - 1][0]));
    await mac.verifyBlob(blob, tag);
    await assert.rejects(mac.verifyBlob(blob.slice(1), tag), wegman.InvalidTag);
    // Engines whose Blobs have no reader with a buffer of the caller.
    const { getReader } = ReadableStream.prototype;
    ReadableStream.prototype.getReader = function (options) {
      assert.equal(options, undefined);
      return getReader.call(this);
    };
    try {
      assert.deepEqual(await mac.tagBlob(blob), tag);
    } finally {
      ReadableStream.prototype.getReader = getReader;
    }
    assert.deepEqual(await mac.tagStream(blob.stream()), tag);
    assert.deepEqual(await mac.tagStream(Readable.from([bytes.subarray(0, 7), bytes.subarray(7)])), tag);
    const stop = new AbortController();
    await assert.rejects(
      mac.tagBlob(blob, { signal: stop.signal, onProgress: () => stop.abort() }),
      { name: "AbortError" },
    );
    mac.free();
  });

  test(`${build}: an edit gives the tag of the edited message`, async () => {
    const mac = await wegman.Pmac.create(wegman.generateKey());
    for (const size of [1, 15, 16, 17, 33, 1000]) {
      const bytes = affine({ a: 3, b: size, length: size });
      for (const [at, length] of [[0, 1], [size - 1, 1], [0, size], [size >> 1, size >> 2], [size, 0]]) {
        const after = bytes.slice();
        after.fill(0xee, at, at + length);
        const tag = await mac.tagAfter(new Blob([bytes]), mac.tag(bytes), at, new Uint8Array(length).fill(0xee));
        assert.deepEqual(tag, mac.tag(after), `${length} bytes at ${at} of ${size}`);
      }
    }
    const blob = new Blob([new Uint8Array(20)]);
    await assert.rejects(mac.tagAfter(blob, new Uint8Array(16), 20, new Uint8Array(1)), RangeError);
    await assert.rejects(mac.tagAfter(blob, new Uint8Array(16), -1, new Uint8Array(1)), RangeError);
    mac.free();
  });

  test(`${build}: every changed bit of a tag is refused`, async () => {
    const [pmac, umac] = [await wegman.Pmac.create(wegman.generateKey()), await wegman.Umac64.create(wegman.generateKey())];
    const [bytes, nonce] = [hex("00112233"), hex("0000000000000001")];
    for (const [mac, tag] of [[pmac, pmac.tag(bytes)], [umac, umac.tag(bytes, nonce)]]) {
      for (let bit = 0; bit < 8 * tag.length; bit += 1) {
        const other = tag.slice();
        other[bit >> 3] ^= 1 << (bit & 7);
        assert.throws(() => mac.verify(bytes, other, nonce), wegman.InvalidTag);
      }
      mac.verify(bytes, tag, nonce);
      assert.throws(() => mac.verify(bytes, tag.subarray(1), nonce), RangeError);
    }
    assert.throws(() => umac.tag(bytes), TypeError);
    assert.throws(() => umac.tag(bytes, hex("00")), RangeError);
    assert.throws(() => pmac.tag("text"), TypeError);
    await assert.rejects(wegman.Pmac.create(new Uint8Array(15)), RangeError);
    pmac.free();
    assert.throws(() => pmac.tag(bytes), /freed/);
  });

  test(`${build}: what is no message is no empty message`, async () => {
    const [pmac, umac] = [await wegman.Pmac.create(wegman.generateKey()), await wegman.Umac64.create(wegman.generateKey())];
    const [nothing, nonce] = [new Uint8Array(), new Uint8Array(8)];
    const [tag, packet] = [pmac.tag(nothing), umac.tag(nothing, nonce)];
    // A view whose buffer went to somebody else, and one that its buffer no longer reaches.
    const [gone, shrunk] = [new Uint8Array(3), new ArrayBuffer(3, { maxByteLength: 3 })];
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    const [out, outView] = [new Uint8Array(shrunk, 1, 2), new DataView(shrunk, 1, 2)];
    shrunk.resize(0);
    const none = [undefined, null, 0, 5, Number.NaN, false, "", "text", {}, [], [1], { size: 0, length: 0, byteLength: 0 }];
    const named = (name) => ({ [Symbol.toStringTag]: name, size: 0, arrayBuffer: async () => new ArrayBuffer(0) });
    const accepted = [];
    const refuse = async (all, works, message) => {
      for (const wrong of all) {
        for (const work of works) {
          const error = await Promise.resolve().then(() => work(wrong)).catch((error) => error);
          if (!(error instanceof TypeError && message.test(error.message))) accepted.push(`${work} of ${inspect(wrong)}: ${error}`);
        }
      }
    };
    await refuse([...none, gone, gone.buffer, out, outView, named("ArrayBuffer"), new Blob()], [
      (wrong) => pmac.tag(wrong),
      (wrong) => pmac.verify(wrong, tag),
      (wrong) => pmac.verify(nothing, wrong),
      (wrong) => umac.tag(wrong, nonce),
      (wrong) => umac.tag(nothing, wrong),
      (wrong) => umac.verify(wrong, packet, nonce),
      (wrong) => umac.verify(nothing, wrong, nonce),
      (wrong) => pmac.stream().update(wrong),
      (wrong) => pmac.stream().verify(wrong),
      (wrong) => umac.stream().finish(wrong),
      (wrong) => umac.stream().verify(wrong, nonce),
    ], /./);
    await refuse([...none, nothing, new ArrayBuffer(1), new Response(""), named("Blob"), "/etc/hostname"], [
      (wrong) => pmac.tagBlob(wrong),
      (wrong) => pmac.verifyBlob(wrong, tag),
      (wrong) => pmac.tagAfter(wrong, tag, 0, nothing),
    ], /Blob/);
    const text = new Blob(["text"]).stream().pipeThrough(new TextDecoderStream());
    const read = Readable.from([nothing]);
    for await (const chunk of read) assert.equal(chunk, nothing);
    const noStreams = [...none.filter((one) => !Array.isArray(one)), [1], nothing, new ArrayBuffer(1), new Response(""), text, read];
    await refuse(noStreams, [(wrong) => pmac.tagStream(wrong)], /./);
    assert.deepEqual(accepted, []);
    const ended = new Blob(["read"]).stream();
    for await (const _ of ended);
    await assert.rejects(pmac.tagStream(ended), /read already/);
    for (const empty of [new FormData(), new Headers(), new Map(), new Set(), new String("")]) await assert.rejects(pmac.tagStream(empty), TypeError);
    assert.deepEqual(pmac.tag(Object.defineProperty(new Uint8Array(3), "byteLength", { value: 0 })), pmac.tag(new Uint8Array(3)));
    await assert.rejects(pmac.tagStream(new Blob()), /tagBlob/);
    // Its own size counts, and not what somebody says of it.
    const small = Object.defineProperty(new Blob(["text"]), "size", { value: 0 });
    assert.deepEqual(await pmac.tagBlob(small), pmac.tag(new TextEncoder().encode("text")));
    for (const Mac of [wegman.Pmac, wegman.Umac64]) assert.throws(() => new Mac(wegman.generateKey()), /create/);
    pmac.free();
    umac.free();
  });

  // The same calls under two keys: what then differs in the memories comes from the keys.
  for (const [name, calls] of Object.entries({
    "a key": async () => {},
    tag: async (mac, nonce) => mac.tag(new Uint8Array(1000), nonce),
    "a long message": async (mac, nonce) => mac.tag(new Uint8Array(300_000), nonce),
    verify: async (mac, nonce) => assert.throws(() => mac.verify(new Uint8Array(1000), new Uint8Array(nonce ? 8 : 16), nonce)),
    stream: async (mac, nonce) => mac.stream().update(new Uint8Array(1000)).update(new Uint8Array(5)).finish(nonce),
    parts: async (mac, nonce) => nonce ?? mac.tagOfParts([await mac.partOf(new Blob([new Uint8Array(100)]), 0, 100)], 100),
    edit: async (mac, nonce) => nonce ?? mac.tagAfter(new Blob([new Uint8Array(100)]), new Uint8Array(16), 20, Uint8Array.of(1, 2)),
    derive: async (mac, nonce, { deriveKey }, fill) => deriveKey(new Uint8Array(32).fill(fill), "files/PMAC-AES128/128"),
  })) {
    test(`${build}: free leaves nothing of a key in the module's memory: ${name}`, async () => {
      for (const algorithm of ["Pmac", "Umac64"]) {
        const memories = [];
        for (const fill of [1, 2]) {
          const own = await import(`../npm/index.js?${build}-${name}-${algorithm}-${fill}`);
          const module = await own.load(readFileSync(here(`../npm/${build}.wasm`)));
          const mac = await own[algorithm].create(Uint8Array.from({ length: 16 }, (_, i) => (fill * 37 + i * 101) & 255));
          await calls(mac, algorithm === "Umac64" ? new Uint8Array(8) : undefined, own, fill);
          mac.free();
          memories.push(Buffer.from(module.memory.buffer));
        }
        assert.equal(memories[0].compare(memories[1]), 0, algorithm);
      }
    });
  }

  test(`${build}: when the memory is at its end, it is wiped, and another module takes its place`, async () => {
    // No module lies beside it: the one given is taken again.
    const alone = mkdtempSync(join(tmpdir(), "wegman-"));
    cpSync(here("../npm/index.js"), join(alone, "index.mjs"));
    const own = await import(join(alone, "index.mjs"));
    rmSync(alone, { recursive: true });
    await assert.rejects(own.Pmac.create(own.generateKey()), /wegman\/inline/);
    const module = await own.load(withLittleMemory(readFileSync(here(`../npm/${build}.wasm`))));
    const mac = await own.Umac64.create(own.generateKey());
    const streams = [];
    const fill = () => {
      for (;;) streams.push(mac.stream());
    };
    assert.throws(fill, /the module failed, and its memory was wiped/);
    assert.ok(streams.length > 10, "there was some room");
    assert.equal(Buffer.from(module.memory.buffer).findIndex((byte) => byte !== 0), -1);
    assert.throws(() => mac.tag(new Uint8Array(1), new Uint8Array(8)), /make the key again/);
    assert.throws(() => streams[0].update(new Uint8Array(1)), /make the key again/);
    [...streams, mac].forEach((one) => one.free());
    const [key, bytes] = [own.generateKey(), new Uint8Array(3)];
    assert.deepEqual((await own.Pmac.create(key)).tag(bytes), (await wegman.Pmac.create(key)).tag(bytes));
  });

  test(`${build}: what the caller wipes or changes at once plays no part`, async () => {
    const [key, bytes] = [wegman.generateKey(), new Uint8Array(100).fill(7)];
    const right = (await wegman.Pmac.create(key)).tag(bytes);
    const wiped = key.slice();
    const mac = wegman.Pmac.create(wiped);
    wiped.fill(0);
    assert.deepEqual((await mac).tag(bytes), right);
    const [old, piece, blob] = [right.slice(), Uint8Array.of(8), new Blob([bytes])];
    const after = (await mac).tagAfter(blob, old, 3, piece);
    old.fill(0);
    piece.fill(0);
    assert.deepEqual(await after, (await mac).tag(bytes.with(3, 8)));
    const secret = new Uint8Array(32).fill(9);
    const derived = wegman.deriveKey(secret, "test");
    secret.fill(0);
    assert.deepEqual(await derived, await wegman.deriveKey(new Uint8Array(32).fill(9), "test"));
    await assert.rejects(wegman.deriveKey(secret), TypeError);
    await assert.rejects(wegman.deriveKey(secret, "test", 1.5), RangeError);
  });

  test(`${build}: keys are derived as by the command`, async () => {
    const secret = Uint8Array.from({ length: 32 }, (_, i) => i);
    for (const [info, expected] of [
      ["files/PMAC-AES128/128/shard/0123456789abcdef", "26a42766506dc723ad05f3dac403e949"],
      [
        "states/PMAC-AES128/128/00112233445566778899aabbccddeeff",
        "26e05c008deaa65b95224b05520379d7762deddbd3af5a08ba2f880e9afeb9e8",
      ],
    ]) {
      const key = await wegman.deriveKey(secret, info, expected.length / 2);
      assert.equal(digits(key), expected);
      assert.equal(digits(Buffer.from(hkdfSync("sha256", secret, "wegman key 1", info, key.length))), expected);
    }
  });
}

for (const build of ["wegman", "wegman-simd"]) {
  const wegman = await import(`../npm/index.js?${build}-more`);
  await wegman.load(readFileSync(here(`../npm/${build}.wasm`)));
  const bytes = affine({ a: 11, b: 5, length: 700_003 });

  test(`${build}: the parts of a message make its tag, in any order, and nothing else`, async () => {
    const mac = await wegman.Pmac.create(wegman.generateKey());
    const other = await wegman.Pmac.create(wegman.generateKey());
    for (const size of [0, 1, 16, 17, 4096, bytes.length]) {
      const message = bytes.subarray(0, size);
      const blob = new Blob([message]);
      for (const cut of [0, 16, 160, 262_144 + 16].filter((cut) => cut <= size)) {
        const parts = [await mac.partOf(blob, cut, size), await mac.partOf(blob, 0, cut)];
        assert.deepEqual(mac.tagOfParts(parts, size), mac.tag(message), `${size} at ${cut}`);
        mac.verifyParts(parts, size, mac.tag(message));
        assert.throws(() => mac.verifyParts(parts, size + 1, mac.tag(message)), wegman.InvalidTag);
        assert.throws(() => mac.verifyParts(parts, size, new Uint8Array(16)), wegman.InvalidTag);
        assert.throws(() => other.verifyParts(parts, size, other.tag(message)), wegman.InvalidTag);
        if (cut > 0 && cut < size) {
          assert.throws(() => mac.verifyParts([parts[0]], size, mac.tag(message)), wegman.InvalidTag);
          assert.throws(() => mac.tagOfParts([...parts, parts[0]], size), /the parts make no message/);
        }
      }
      await assert.rejects(mac.partOf(blob, 8, size), RangeError);
      await assert.rejects(mac.partOf(blob, 0, size + 1), RangeError);
      await assert.rejects(mac.partOf(blob, 0, size - 0.5), RangeError);
    }
    assert.throws(() => mac.tagOfParts([new Uint8Array(68)], 0));
    const [part, tag] = [await mac.partOf(new Blob(["abc"]), 0, 3), mac.tag(new TextEncoder().encode("abc"))];
    assert.deepEqual(mac.tagOfParts([part], 3), tag);
    assert.deepEqual(await mac.partOf(new Blob(["abc"]), -0, 3), part);
    for (const size of ["3", 3n, 2 ** 64 + 3, -1, undefined]) {
      assert.throws(() => mac.tagOfParts([part], size), RangeError);
      assert.throws(() => mac.verifyParts([part], size, tag), RangeError);
    }
    mac.free();
    other.free();
  });

  test(`${build}: as many parts are joined as the buffer holds, and no more`, async () => {
    // A module of its own, whose memory has to grow for them.
    const own = await import(`../npm/index.js?${build}-parts`);
    const module = await own.load(readFileSync(here(`../npm/${build}.wasm`)));
    const mac = await own.Pmac.create(own.generateKey());
    const [most, parts] = [3854, []];
    const message = bytes.subarray(0, 16 * most);
    const [blob, tag] = [new Blob([message]), mac.tag(message)];
    for (let at = 0; at < message.length; at += 16) parts.push(await mac.partOf(blob, at, at + 16));
    const before = module.memory.buffer.byteLength;
    assert.deepEqual(mac.tagOfParts(parts, message.length), tag);
    assert.ok(module.memory.buffer.byteLength > before);
    mac.verifyParts(parts, message.length, tag);
    assert.throws(() => mac.tagOfParts([...parts, parts[0]], message.length), /at most 3854 parts/);
    assert.throws(() => mac.verifyParts([...parts, parts[0]], message.length, tag), RangeError);
    mac.free();
  });

  test(`${build}: streams and blobs are verified, and UMAC tags them`, async () => {
    const [pmac, umac] = [await wegman.Pmac.create(wegman.generateKey()), await wegman.Umac64.create(wegman.generateKey())];
    const [blob, nonce] = [new Blob([bytes]), hex("0000000000000007")];
    const chunks = () => Readable.from([bytes.subarray(0, 5), bytes.subarray(5)]);
    const [tag, packet] = [pmac.tag(bytes), umac.tag(bytes, nonce)];
    assert.deepEqual(await umac.tagBlob(blob, nonce), packet);
    assert.deepEqual(await umac.tagStream(chunks(), nonce), packet);
    await pmac.verifyStream(chunks(), tag);
    await umac.verifyStream(blob.stream(), packet, nonce);
    await umac.verifyBlob(blob, packet, nonce);
    await assert.rejects(pmac.verifyStream(Readable.from([bytes.subarray(1)]), tag), wegman.InvalidTag);
    await assert.rejects(umac.verifyStream(chunks(), packet, hex("0000000000000008")), wegman.InvalidTag);
    await assert.rejects(umac.verifyBlob(blob, packet.with(0, packet[0] ^ 1), nonce), wegman.InvalidTag);
    await assert.rejects(umac.tagBlob(blob), TypeError);
    await assert.rejects(umac.verifyBlob(blob, packet), TypeError);
    await assert.rejects(pmac.verifyStream(new Blob(), tag), /tagBlob/);
    const late = nonce.slice();
    const tagged = umac.tagBlob(blob, late);
    late.fill(9);
    assert.deepEqual(await tagged, packet);
    pmac.free();
    umac.free();
  });

  test(`${build}: counted nonces never come again within a key`, async () => {
    const secret = wegman.generateKey();
    const mac = await wegman.Umac64.create(secret, { next: 254n });
    const plain = await wegman.Umac64.create(secret);
    const seen = new Set();
    for (let i = 0; i < 5; i += 1) {
      const nonce = mac.nonce();
      seen.add(digits(nonce.bytes));
      const tag = i % 2 ? await mac.tagBlob(new Blob([bytes]), nonce) : mac.tag(bytes, nonce);
      assert.deepEqual(tag, plain.tag(bytes, nonce.bytes));
      for (const again of [() => mac.tag(bytes, nonce), () => mac.stream().finish(nonce)]) assert.throws(again, /used already/);
      await assert.rejects(mac.tagBlob(new Blob([bytes]), nonce), /used already/);
      await assert.rejects(mac.tagStream([bytes], nonce), /used already/);
    }
    assert.deepEqual([...seen], ["fe", "ff", "100", "101", "102"].map((number) => number.padStart(16, "0")));
    assert.equal(mac.next, 259n);
    assert.throws(() => mac.tag(bytes, new Uint8Array(8)), /counts its nonces/);
    assert.throws(() => plain.nonce(), /was given nonces/);
    const another = await wegman.Umac64.create(secret);
    const foreign = mac.nonce();
    assert.throws(() => another.tag(bytes, foreign), /another key/);
    // Two at once: one of them gets it.
    const ended = await Promise.allSettled([mac.tagBlob(new Blob([bytes]), foreign), mac.tagBlob(new Blob([bytes]), foreign)]);
    assert.deepEqual(ended.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const last = await wegman.Umac64.create(secret, { next: (1n << 64n) - 1n });
    assert.equal(digits(last.nonce().bytes), "f".repeat(16));
    assert.throws(() => last.nonce(), RangeError);
    for (const next of [-1n, 1n << 64n, 5]) await assert.rejects(wegman.Umac64.create(secret, { next }), RangeError);
    assert.throws(() => new wegman.Nonce(), /nonce\(\)/);
  });

  test(`${build}: UMAC with nonces of 16 bytes, as the command tags files`, async () => {
    const { cases } = vectors("umac-rfc4418.json");
    let checked = 0;
    for (const one of cases.filter(({ nonce_hex, msg_hex }) => nonce_hex.length === 32 && (msg_hex ?? "").length < 1000)) {
      const tagBytes = Number(one.algorithm.slice(5)) / 8;
      const mac = await wegman.UmacFile.create(hex(one.key_hex), tagBytes);
      const [text, tag, nonce] = [one.msg ? message(one.msg) : hex(one.msg_hex), hex(one.tag_hex), hex(one.nonce_hex)];
      mac.verify(text, tag, nonce);
      await mac.verifyBlob(new Blob([text]), tag, nonce);
      for (let bit = 0; bit < 8 * tag.length; bit += 1) {
        const other = tag.slice();
        other[bit >> 3] ^= 1 << (bit & 7);
        assert.throws(() => mac.verify(text, other, nonce), wegman.InvalidTag);
      }
      assert.throws(() => mac.stream().finish(nonce), /only verifies/);
      mac.free();
      checked += 1;
    }
    assert.ok(checked > 10, `${checked}`);
    await assert.rejects(wegman.UmacFile.create(wegman.generateKey(), 5), RangeError);
  });

  test(`${build}: what goes out of scope by Symbol.dispose is freed`, async () => {
    const mac = await wegman.Pmac.create(wegman.generateKey());
    mac.stream()[Symbol.dispose]();
    mac[Symbol.dispose]();
    assert.throws(() => mac.tag(bytes), /freed/);
  });
}

test("in a worker of node", async () => {
  const source = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(String(here("../npm/index.js")))}).then(async ({ Pmac }) => {
      const mac = await Pmac.create(new Uint8Array(16));
      parentPort.postMessage(mac.tag(new Uint8Array(3)));
    });`;
  const worker = new Worker(source, { eval: true });
  const [tag] = await once(worker, "message");
  const { Pmac } = await import("../npm/index.js?own");
  assert.deepEqual(tag, (await Pmac.create(new Uint8Array(16))).tag(new Uint8Array(3)));
});

test("what is no key is no key file", async () => {
  const { ALGORITHMS, hex, keyFor, keyText, makeKey, readKey, tagBytes } = await import("../npm/keyfile.js");
  const { deriveKey } = await import("../npm/index.js");
  assert.throws(() => hex("12"), TypeError);
  assert.equal(hex(new DataView(new ArrayBuffer(2))) + hex(Int8Array.of(-1)) + hex(new Uint16Array(1)), "0000ff0000");
  const key = makeKey();
  for (const secret of ["1".repeat(32), new Float64Array(32), new Uint16Array(32)]) await assert.rejects(keyText({ ...key, secret }), TypeError);
  await assert.rejects(keyFor(key), TypeError);
  const text = await keyText({ ...key, algorithm: "UMAC-128" });
  await assert.rejects(readKey(text), /for UMAC-128, and not for PMAC-AES128/);
  const read = await readKey(text, ALGORITHMS);
  assert.deepEqual([read.algorithm, read.id, tagBytes(read)], ["UMAC-128", key.id, 16]);
  assert.deepEqual(await keyFor(read, "files"), await deriveKey(key.secret, "files/UMAC-128/128"));
  await assert.rejects(keyText({ ...key, algorithm: "UMAC-1" }), TypeError);
});

test("scripts/site says what to install", () => {
  const path = mkdtempSync(join(tmpdir(), "wegman-"));
  symlinkSync(execFileSync("sh", ["-c", "command -v dirname"], { encoding: "utf8" }).trim(), join(path, "dirname"));
  writeFileSync(join(path, "rustc"), "#!/bin/sh\necho /no/such/folder\n", { mode: 0o755 });
  for (const [what, programs] of [["page", ["node"]], ["package", ["node", "npm"]], ["speed", ["node", "npm"]]]) {
    const { status, stderr } = spawnSync(fileURLToPath(here("../../scripts/site")), [what], { env: { PATH: path, HOME: path }, encoding: "utf8" });
    assert.equal(status, 2, stderr);
    for (const program of programs) assert.match(stderr, new RegExp(`no ${program} \\(Debian: apt-get install`));
    assert.match(stderr, /rustup target add wasm32-unknown-unknown/);
  }
  rmSync(path, { recursive: true });
});

test("loads its own file, the one with vectors where the engine has them", async () => {
  const { Pmac } = await import("../npm/index.js?own");
  const mac = await Pmac.create(hex("000102030405060708090a0b0c0d0e0f"));
  assert.equal(digits(mac.tag(new Uint8Array())), "4399572cd6ea5341b8d35876a7098af7");
});
