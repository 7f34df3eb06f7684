import "./files.js";
import "./why.js";
import "./lab.js";
import { load } from "./wegman/index.js";

document.getElementById("dead")?.remove();
// With the page: later nothing is loaded any more.
load().catch(() => {});
