// Section 3: three demonstrations. Each runs the real MACs in this page.

import { element, size, the } from "./dom.js";
import { InvalidTag, Pmac, Umac64, generateKey } from "./wegman/index.js";
import { hex } from "./wegman/keyfile.js";

const text = (/** @type {string} */ message) => new TextEncoder().encode(message);
const xor = (/** @type {Uint8Array} */ a, /** @type {Uint8Array} */ b) => a.map((byte, i) => byte ^ b[i]);

/** @param {number} number */
function nonce(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

/** A list item by item. @param {HTMLElement} list @param {string} line @param {Uint8Array} [tag] */
function say(list, line, tag) {
  list.append(element("li", {}, line, ...(tag ? [" ", element("code", {}, hex(tag))] : [])));
}

/** A button that is off while its work goes on. @param {string} id @param {() => Promise<void>} work */
function onClick(id, work) {
  const button = the(id, HTMLButtonElement);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await work();
    } finally {
      button.disabled = false;
    }
  });
}

onClick("run-reuse", async () => {
  const list = the("reuse", HTMLOListElement);
  list.replaceChildren();
  const [pay, get] = [the("reuse-first", HTMLInputElement), the("reuse-second", HTMLInputElement)].map((input) => text(input.value));
  if (hex(pay) === hex(get)) return say(list, "Write two different messages.");
  const mac = await Umac64.create(generateKey());
  // What the owner of the key does.
  const [first, second] = [mac.tag(pay, nonce(7)), mac.tag(get, nonce(7))];
  say(list, "The sender tags the first message under nonce 7:", first);
  say(list, "By mistake, it tags the second under nonce 7, too:", second);
  const honest = mac.tag(pay, nonce(8));
  say(list, "Later it tags the first message again, under nonce 8, as it should:", honest);
  // What anybody can do who saw these three.
  const forged = xor(honest, xor(first, second));
  say(list, "Whoever saw the three tags takes their xor, without any key:", forged);
  try {
    mac.verify(get, forged, nonce(8));
    say(list, "The receiver accepts the second message under nonce 8. Nobody ever tagged it with that nonce: a forgery.");
  } catch (error) {
    if (!(error instanceof InvalidTag)) throw error;
    say(list, "The receiver refuses it.");
  }
  mac.free();
});

/** What one attempt costs, in powers of two. @type {Record<string, number>} */
const EXPONENTS = { "UMAC-32": 30, "UMAC-64": 60, "UMAC-128": 120 };

{
  const [choice, rate, budget] = [the("spend-mac", HTMLSelectElement), the("spend-rate", HTMLInputElement), the("spend-budget", HTMLInputElement)];
  const show = () => {
    const exponent = EXPONENTS[choice.value];
    const [perSecond, limit] = [2 ** Number(rate.value), Number(budget.value)];
    the("spend-rate-shown", HTMLOutputElement).value = perSecond.toLocaleString("en");
    the("spend-budget-shown", HTMLOutputElement).value = `2^-${limit}`;
    const most = 2 ** (exponent - limit);
    const seconds = most / perSecond;
    the("spend-result", HTMLElement).textContent =
      most < 1
        ? `${choice.value} can't be used with this budget: one attempt succeeds with probability up to 2^-${exponent}.`
        : `${choice.value}: one attempt succeeds with probability at most 2^-${exponent}. The budget is spent after 2^${exponent - limit} attempts, that is after ${lasting(seconds)}. Then a receiver of the library closes, and the key has to be changed.`;
  };
  [choice, rate, budget].forEach((input) => input.addEventListener("input", show));
  show();
}

/** @param {number} seconds */
function lasting(seconds) {
  for (const [unit, length] of /** @type {const} */ ([["years", 31_557_600], ["days", 86_400], ["hours", 3600], ["minutes", 60]])) {
    if (seconds >= length) {
      const count = seconds / length;
      return `${count >= 1e6 ? count.toExponential(1) : count.toPrecision(3)} ${unit}`;
    }
  }
  return `${seconds.toPrecision(3)} seconds`;
}

onClick("run-spend", async () => {
  const bar = the("spend-bar", HTMLProgressElement);
  const out = the("spend-run", HTMLElement);
  const mac = await Umac64.create(generateKey());
  const message = text("transfer 100");
  // 2^-42 is spent after 2^18 attempts at UMAC-64.
  const most = 2 ** 18;
  bar.max = most;
  let [refused, accepted] = [0, 0];
  const tag = new Uint8Array(8);
  while (refused + accepted < most) {
    const until = performance.now() + 30;
    while (performance.now() < until && refused + accepted < most) {
      crypto.getRandomValues(tag);
      try {
        mac.verify(message, tag, nonce(1));
        accepted += 1;
      } catch (error) {
        if (!(error instanceof InvalidTag)) throw error;
        refused += 1;
      }
    }
    bar.value = refused + accepted;
    out.textContent = `${refused.toLocaleString("en")} random tags refused, ${accepted} accepted`;
    await new Promise((resolve) => setTimeout(resolve));
  }
  out.textContent += ". The budget of 2^-42 is spent: no more attempts.";
  mac.free();
});

onClick("run-edit", async () => {
  const list = the("edit", HTMLOListElement);
  list.replaceChildren();
  const bytes = 2 ** Number(the("edit-size", HTMLSelectElement).value);
  const piece = new Uint8Array(1 << 20);
  for (let at = 0; at < piece.length; at += 65_536) crypto.getRandomValues(piece.subarray(at, at + 65_536));
  const half = new Blob(Array(bytes / 2 ** 21).fill(piece));
  const blob = new Blob([half, half]);
  const mac = await Pmac.create(generateKey());
  /** @template T @param {() => Promise<T>} work @returns {Promise<[T, string]>} */
  const timed = async (work) => {
    const began = performance.now();
    const result = await work();
    return [result, `${(performance.now() - began).toPrecision(3)} ms`];
  };
  const [before, whole] = await timed(() => mac.tagBlob(blob));
  say(list, `The tag of ${size(bytes)}, in ${whole}:`, before);
  const [place, change] = [bytes / 2, text("edited")];
  const [after, edit] = await timed(() => mac.tagAfter(blob, before, place, change));
  say(list, `Six bytes in the middle are replaced. The new tag from the old one and one block, in ${edit}:`, after);
  const edited = new Blob([half, change, half.slice(change.length)]);
  const [again, slow] = await timed(() => mac.tagBlob(edited));
  say(list, `The tag of the edited whole, in ${slow}:`, again);
  say(list, hex(after) === hex(again) ? "They are equal." : "They differ!");
  mac.free();
});
