// The sample: three files, a list of checksums and a seal, of which one holds. The tags are real.

import { $, button, focus, h, icon, say, size } from "./ui.js";
import { InvalidTag, Pmac, generateKey } from "./wegman/index.js";
import { hex } from "./wegman/keyfile.js";

const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const ACTS = [
  ["Seal", "Three files. On the left a list of checksums, as sha256sum makes it. On the right a seal."],
  ["Change a byte", "Somebody makes 100 into 900, and corrects the list of checksums. The seal stays as it was: a new one needs the key."],
  ["Check", "The list says that all is well. The seal does not."],
];

let [act, timer, isPlaying] = [0, 0, true];
/** @typedef {{ name: string, shown: string, sum: string, forged: string, tag: string, holds: boolean }} Line */
/** @type {Line[]} */
let lines = [];

/** Seals three files, changes a byte, and asks the seal. */
async function make() {
  const letter = (/** @type {string} */ text) => new TextEncoder().encode(text);
  const photo = crypto.getRandomValues(new Uint8Array(48_000));
  const sealed = [["letter.txt", "Pay Anna 100 euros", letter("Pay Anna 100 euros\n")], ["notes.txt", "Meet at noon", letter("Meet at noon\n")], ["photo.jpg", size(photo.length), photo]];
  const sum = async (/** @type {any} */ bytes) => (crypto.subtle ? hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))).slice(0, 8) : "needs https");
  const mac = await Pmac.create(generateKey());
  lines = await Promise.all(sealed.map(async ([name, shown, bytes], i) => {
    const own = /** @type {Uint8Array} */ (bytes);
    const now = own.slice();
    // 1 becomes 9.
    if (i === 0) now[9] = 0x39;
    const tag = mac.tag(own);
    let holds = true;
    try {
      mac.verify(now, tag);
    } catch (error) {
      if (!(error instanceof InvalidTag)) throw error;
      holds = false;
    }
    return { name: String(name), shown: String(shown), sum: await sum(own), forged: await sum(now), tag: hex(tag).slice(0, 8), holds };
  }));
  mac.free();
}

const four = (/** @type {string} */ text) => (/^[0-9a-f]{8}$/.test(text) ? `${text.slice(0, 4)} ${text.slice(4)}` : text);

/** @param {Line} line */
function row({ name, shown, sum, forged, tag, holds }) {
  const what = !holds && act > 0 ? ["Pay Anna ", h("mark", {}, "9"), "00 euros"] : [shown];
  const cell = (/** @type {string} */ text, /** @type {string} */ kind, /** @type {string} */ mark, /** @type {string} */ word) => h("td", {}, h("span", { class: "tag" }, four(text)), word && h("span", { class: `say ${kind}` }, icon(mark), word));
  const left = act === 2 ? ["ok", "ok", "matches"] : act === 1 && !holds ? ["careful", "warn", "rewritten"] : ["", "ok", ""];
  const right = act < 2 ? ["", "ok", ""] : holds ? ["ok", "ok", "as sealed"] : ["no", "no", "changed"];
  return h("tr", {}, h("th", { scope: "row" }, h("b", {}, name), h("span", { class: "what" }, ...what)), cell(act > 0 ? forged : sum, left[0], left[1], left[2]), cell(tag, right[0], right[1], right[2]));
}

function render() {
  const box = $("#sample");
  const to = (/** @type {number} */ i) => {
    stop();
    act = i;
    render();
    focus($(`.acts li:nth-child(${i + 1}) button`));
  };
  const acts = ACTS.map(([title], i) => h("li", { class: i < act ? "been" : "" }, h("button", { type: "button", "aria-current": i === act && "step", onclick: () => to(i) }, `${i + 1}. ${title}`)));
  const held = (/** @type {() => void} */ work) => () => {
    work();
    render();
    focus($(".row .btn", box));
  };
  const verdict = act === 2 && h("div", { class: "verdict bad" }, icon("no"), h("div", {}, h("h2", {}, `1 changed: ${lines.find(({ holds }) => !holds)?.name}`), h("p", { class: "sub" }, "The other 2 files are as you sealed them. Editing the manifest would not have helped: it is sealed, too.")));
  const acting = act === 2 ? [h("a", { class: "btn main", href: "#seal" }, "Seal a folder of yours"), button("Play again", play, "flat")] : isPlaying ? [button("Pause", held(stop), "small")] : [button("Next", held(() => (act += 1)), "small")];
  box.replaceChildren(h("h2", { id: "sample-h", class: "vh", tabindex: "-1" }, "A sample"), h("ol", { class: "acts" }, ...acts), h("p", { class: "tale" }, ACTS[act][1]),
    h("table", { class: "story" }, h("caption", { class: "vh" }, "Three files, their checksums and their tags"), h("thead", {}, h("tr", {}, ["File", "Checksum list", "Seal"].map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, lines.map(row))),
    ...(verdict ? [verdict] : []), h("div", { class: "row" }, acting));
  if (act === 2) say("1 changed: letter.txt. The list of checksums says that all is well.");
}

function stop() {
  clearTimeout(timer);
  isPlaying = false;
}

function play() {
  stop();
  [act, isPlaying] = [0, !still];
  render();
  const on = () => {
    act += 1;
    isPlaying = act < 2;
    render();
    if (isPlaying) timer = setTimeout(on, 5000);
  };
  if (!still) timer = setTimeout(on, 3600);
}

/** Lets the button tell it. */
export function tell() {
  const [open, box] = [$("#try"), $("#sample")];
  open.addEventListener("click", async () => {
    box.hidden = !box.hidden;
    open.setAttribute("aria-expanded", String(!box.hidden));
    if (box.hidden) return stop();
    await make();
    play();
    focus($("#sample-h"));
    box.scrollIntoView({ block: "nearest" });
  });
}
