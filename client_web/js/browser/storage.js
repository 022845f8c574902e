/** Browser storage that may be blocked, full or absent. Then a Map keeps the values until the page is closed. */

/** @param {() => Storage} open may throw */
function createStorage(open) {
  const memory = /** @type {Map<string, string>} */ (new Map());
  return {
    /** @param {string} key @returns {string|null} */
    get(key) {
      try {
        return open().getItem(key) ?? memory.get(key) ?? null;
      } catch {
        return memory.get(key) ?? null;
      }
    },
    /** Return the JSON that a key holds, or null if it holds none. @param {string} key @returns {any} */
    load(key) {
      try {
        return JSON.parse(this.get(key) ?? "null");
      } catch {
        return null;
      }
    },
    /** @param {string} key @param {string|null} value null removes the key */
    set(key, value) {
      memory.delete(key);
      try {
        if (value === null) open().removeItem(key);
        else open().setItem(key, value);
      } catch {
        if (value !== null) memory.set(key, value);
      }
    },
    keys() {
      try {
        return Object.keys(open());
      } catch {
        return [...memory.keys()];
      }
    },
  };
}

export const browserStorage = createStorage(() => window.localStorage);
export const tabStorage = createStorage(() => window.sessionStorage);
