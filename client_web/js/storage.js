/** Browser storage that may be blocked, full or absent: then a Map stands in for it until the page is closed. */

/** @param {() => Storage} find */
function keeper(find) {
  const memory = /** @type {Map<string, string>} */ (new Map());
  return {
    /** @param {string} key @returns {string|null} */
    get(key) {
      try {
        return find().getItem(key) ?? memory.get(key) ?? null;
      } catch {
        return memory.get(key) ?? null;
      }
    },
    /** @param {string} key @param {string|null} value null removes it */
    set(key, value) {
      memory.delete(key);
      try {
        if (value === null) find().removeItem(key);
        else find().setItem(key, value);
      } catch {
        if (value !== null) memory.set(key, value);
      }
    },
    keys() {
      try {
        return Object.keys(find());
      } catch {
        return [...memory.keys()];
      }
    },
  };
}

export const lasting = keeper(() => window.localStorage);
export const forThisTab = keeper(() => window.sessionStorage);
