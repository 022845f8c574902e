/** What this page learns about the server's tree of files. `upgrade.js`, once it is loaded, compares it with its own. */
export const pageTree = {
  served: "",
  /** @param {boolean} hasFailed whether a module did not load @returns {unknown} */
  check: (hasFailed) => hasFailed,
};
