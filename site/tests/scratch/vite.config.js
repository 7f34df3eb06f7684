// The module's files as files.
export default { build: { assetsInlineLimit: 0 } };
