/** Browser storage that may be blocked, full or absent. Then a Map keeps the values until the page is closed. */

/**
 * Return whether a value has the type of a model, and each part that the model has. In a model, null stands for any value. A model
 * with an entry 0 stands for a list, or an object, of any number of such entries.
 * @param {any} value @param {any} model @returns {boolean}
 */
function hasForm(value, model) {
  if (typeof model !== "object" || !model) return model === null || typeof value === typeof model;
  if (typeof value !== "object" || !value || Array.isArray(value) !== Array.isArray(model)) return false;
  return Object.keys(0 in model ? value : model).every((name) => hasForm(value[name], model[0] ?? model[name]));
}

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
    /**
     * Return the JSON that a key holds, or null if it holds none in the form of a model: an older version, an extension or another
     * program on this address may have stored it.
     * @template T @param {string} key @param {T} model @returns {T|null}
     */
    load(key, model) {
      try {
        const value = JSON.parse(get(key) ?? "null");
        return hasForm(value, model) ? value : null;
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
