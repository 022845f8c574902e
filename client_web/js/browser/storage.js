/** Browser storage that may be blocked, full or absent. Then a Map keeps the values until the page is closed. */

/** @param {"localStorage"|"sessionStorage"} name */
function createStorage(name) {
  const memory = /** @type {Map<string, string>} */ (new Map());

  /** @template T @param {(storage: Storage) => T} use @returns {T|null} null where the browser's storage fails */
  function attempt(use) {
    try {
      return use(window[name]);
    } catch {
      return null;
    }
  }

  const get = (/** @type {string} */ key) => attempt((storage) => storage.getItem(key)) ?? memory.get(key) ?? null;
  return {
    get,
    /** Return the JSON that a key holds, or null if it holds none. @param {string} key @returns {any} */
    load(key) {
      try {
        return JSON.parse(get(key) ?? "null");
      } catch {
        return null;
      }
    },
    /** @param {string} key @param {string|null} value null removes the key */
    set(key, value) {
      memory.delete(key);
      if (value === null) attempt((storage) => storage.removeItem(key));
      else if (attempt((storage) => storage.setItem(key, value)) === null) memory.set(key, value);
    },
  };
}

/** Return a service of the browser, or null where it is absent or blocked. @template T @param {() => T} find */
export function service(find) {
  try {
    return find() ?? null;
  } catch {
    return null;
  }
}

export const serviceWorkers = () => service(() => navigator.serviceWorker);
export const notifications = () => service(() => Notification);
/** Return what the player allows: "granted", "denied", "default", or null where there are no notifications. */
export const notificationPermission = () => service(() => Notification.permission);

export const browserStorage = createStorage("localStorage");
export const tabStorage = createStorage("sessionStorage");
