// A nonce used twice, with the real MAC.

import { $, h, note } from "./ui.js";
import { InvalidTag, Umac64, generateKey } from "./wegman/index.js";

// Not keyfile.js, which has the command's formats inside.
const groups = (/** @type {Uint8Array} */ tag) => Array.from(tag, (byte, i) => byte.toString(16).padStart(2, "0") + (i % 2 ? " " : "")).join("").trim();
const text = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ ($(id)).value;
const xor = (/** @type {Uint8Array} */ a, /** @type {Uint8Array} */ b) => a.map((byte, i) => byte ^ b[i]);
const nonce = (/** @type {number} */ number) => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, number);

$("#go-nonce").addEventListener("click", async () => {
  const [pay, get] = [text("#first"), text("#second")];
  const [list, end] = [$("#ledger"), $("#nonce-end")];
  list.replaceChildren();
  if (pay === get) return end.replaceChildren(note("warn", "warn", h("p", {}, "Write two different messages.")));
  const [honest, wanted] = [pay, get].map((message) => new TextEncoder().encode(message));
  const mac = await Umac64.create(generateKey());
  // What the owner of the key does.
  const tags = [mac.tag(honest, nonce(7)), mac.tag(wanted, nonce(7)), mac.tag(honest, nonce(8))];
  // What anybody can do who saw these three.
  const forged = tags.reduce(xor);
  const line = (/** @type {number} */ at, /** @type {string} */ words, /** @type {Uint8Array} */ tag, kind = "") => h("li", {}, h("span", { class: "k" }, String(at)), h("div", {}, words, h("code", { class: kind }, groups(tag))));
  list.replaceChildren(line(1, `“${pay}” under nonce 7`, tags[0]), line(2, `“${get}” under nonce 7, by mistake`, tags[1]), line(3, `“${pay}” under nonce 8, as it should be`, tags[2]), line(4, "The three tags xored, by somebody without any key", forged, "no"));
  try {
    mac.verify(wanted, forged, nonce(8));
    end.replaceChildren(note("bad", "no", h("p", {}, h("strong", {}, `The receiver accepts “${get}” under nonce 8.`), " Nobody with the key ever tagged that message under that nonce: a forgery.")));
  } catch (error) {
    if (!(error instanceof InvalidTag)) throw error;
    end.replaceChildren(note("good", "ok", h("p", {}, "The receiver refuses it.")));
  } finally {
    mac.free();
  }
});
