import { request } from "../net/api.js";

/** The rows of the standings, also those that a message of a tournament has no room for. */

/** @import { Row, TournamentMessage } from "../net/messages.js" */

const PAGE = 100;
const RELOAD_MS = 3_000;

/** Fetch the standings. @param {string} id @param {number} most @returns {Promise<Row[]>} */
export async function fetchRows(id, most) {
  /** @type {Row[]} */
  const rows = [];
  for (let count = most; rows.length < Math.min(count, most); ) {
    const page = await request("GET", `tournaments/${id}/standings?from=${rows.length + 1}&count=${PAGE}`);
    rows.push(...page.standings);
    count = page.standings.length ? page.entrants : 0;
  }
  return rows.slice(0, most);
}

/** @param {{id: string, onRows: () => void}} options `onRows` runs when more rows are there */
export function createRowsReader({ id, onRows }) {
  /** @type {Row[]} */ let fetched = [];
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let timer;
  let most = 0;
  let version = -1;

  async function read() {
    fetched = await fetchRows(id, most).catch(() => fetched); // the next message reads them again
    timer = undefined;
    onRows();
  }

  return {
    /** Read so many rows from now on. @param {number} count */
    want(count) {
      if (count > most) version = -1;
      most = count;
    },
    /** Return the newest rows that are known, by rank. @param {TournamentMessage} message @returns {Row[]} */
    rows({ tournament, top, around }) {
      const isMore = Math.min(most, tournament.entrants) > top.length;
      if (isMore && !timer && version !== tournament.version) {
        timer = setTimeout(() => void read(), version < 0 ? 0 : RELOAD_MS);
        version = tournament.version;
      }
      const inTop = new Set(top.map(({ entrant }) => entrant));
      return [...top, ...(isMore && fetched.length ? fetched : around).filter(({ entrant }) => !inTop.has(entrant))];
    },
    dispose: () => clearTimeout(timer),
  };
}
