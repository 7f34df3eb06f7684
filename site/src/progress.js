// How far the reading is, and the button that ends it.

import { button, files, h, number, say, size } from "./ui.js";

/**
 * @param {string} what @param {() => void} onCancel
 * @returns {{ box: HTMLElement, total: (files: number, bytes: number) => void, show: (files: number, bytes: number) => void, found: (text: string) => void }}
 */
export function progress(what, onCancel) {
  const fill = h("i");
  const [left, right] = [h("span", { class: "num" }, "Looking"), h("span", { class: "num" })];
  const bar = h("div", { class: "bar", role: "progressbar", "aria-label": what, "aria-valuemin": "0", "aria-valuemax": "100" }, fill);
  const bad = h("span", { class: "no" });
  const box = h("div", { class: "prog" }, h("div", { class: "line" }, left, right), bar, h("div", { class: "row" }, button("Cancel", onCancel, "small", { id: "cancel" }), bad));
  let [all, most, told, drawn, began] = [0, 0, 0, 0, performance.now()];
  return {
    box,
    total(count, bytes) {
      [all, most, began] = [count, bytes, performance.now()];
    },
    show(count, bytes) {
      const now = performance.now();
      if (now - drawn < 100) return;
      drawn = now;
      if (all === 0) {
        left.textContent = `${files(count)} found`;
        return;
      }
      // Small files take their time for each, large ones for their bytes.
      const part = (count + (most > 0 ? (all * bytes) / most : count)) / (2 * all);
      const seconds = (now - began) / 1000;
      const rest = Math.ceil((seconds / part) * (1 - part));
      fill.style.transform = `scaleX(${part})`;
      bar.setAttribute("aria-valuenow", String(Math.floor(100 * part)));
      left.textContent = `${number(count)} of ${files(all)}`;
      right.textContent = `${size(bytes)} of ${size(most)}${seconds > 2 && rest > 1 ? `, about ${rest} s left` : ""}`;
      const quarter = Math.floor(part * 4);
      if (quarter > told && quarter < 4) say(`${quarter * 25} percent read`);
      told = quarter;
    },
    found(text) {
      bad.textContent = text;
    },
  };
}
