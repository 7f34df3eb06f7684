// Top-level await, and the module's files as files.
export default { build: { target: "esnext", assetsInlineLimit: 0 } };
