// Runs a WebAssembly test under node's WASI: node wasi.mjs PROGRAM.wasm ARGUMENTS. scripts/cross makes it cargo's
// runner. The program sees the repository, at its own path, and the environment's WEGMAN_ variables.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { WASI } from 'node:wasi';

// These calls go wrong, with lost output or a crash, once the program has grown its memory: nodejs/node#53087.
setFlagsFromString('--no-turbo-fast-api-calls');

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [program, ...options] = process.argv.slice(2);
const wasi = new WASI({
  version: 'preview1',
  args: [program, ...options],
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('WEGMAN_'))),
  preopens: { [root]: root },
});
const module = new WebAssembly.Module(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
