import "./files.js";
import "./why.js";
import "./lab.js";
import { load } from "./wegman/index.js";

// With the page: later nothing is loaded any more.
load().catch(() => {});
