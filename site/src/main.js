import "./files.js";
import "./why.js";
import "./lab.js";
