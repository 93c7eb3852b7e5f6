// A little memory of this window: it survives a reload, and no other window sees it.

/** @typedef {{ read: (name: string) => any, write: (name: string, value: unknown) => void }} Memory */

/** @type {Memory} */
export const windowMemory = {
  /** The stored value, or null. */
  read(name) {
    try {
      return JSON.parse(sessionStorage.getItem(name) ?? "null");
    } catch {
      return null;
    }
  },
  /** Store a value; null removes it. */
  write(name, value) {
    try {
      if (value === null) sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, JSON.stringify(value));
    } catch {
      // A browser without storage: everything works, only a reload forgets.
    }
  },
};
