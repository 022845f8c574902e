/** What this page learns about the server's tree of files. `upgrade.js`, once it is loaded, compares it with its own. */
export const pageTree = {
  served: "",
  /**
   * Return whether this page is of another tree. Then it says so in a line.
   * @type {(hasFailed: boolean) => Promise<boolean>} `hasFailed` says whether a module did not load
   */
  check: async () => false,
};

const OWN = /\/static\/([^/]+)\/js\//.exec(import.meta.url)?.[1];

/** Return whether the server serves another tree of files than this page is of. Before it has named its tree: false. */
export const isPageOld = () => Boolean(pageTree.served && OWN && pageTree.served !== OWN);

/** Return whether the server no longer has a file of this page. */
export const isPageGone = () =>
  fetch(import.meta.url, { method: "HEAD", cache: "no-store" }).then(
    ({ status }) => status === 404,
    () => false,
  );
