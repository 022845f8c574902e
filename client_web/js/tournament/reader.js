import { warnOf } from "../net/failures.js";
import { request } from "../net/api.js";
import { matchesWanted, rowsWanted } from "./state.js";

/** Reads what a tournament's message has no room for: rows of the standings and matches, as many as its page or wall wants. */

/** @import { Match, Row } from "../net/messages.js" */
/** @import { Change, OpenTournament } from "./state.js" */

const PAGE = 100;
const AGAIN_MS = 3_000; // between two readings of the same

/** @param {string} id @param {number} most @returns {Promise<Change>} */
async function readRows(id, most) {
  /** @type {Row[]} */
  const rows = [];
  for (let count = most; rows.length < Math.min(count, most); ) {
    const page = await request("GET", `tournaments/${id}/standings?from=${rows.length + 1}&count=${PAGE}`);
    rows.push(...page.standings);
    count = page.standings.length ? page.entrants : 0;
  }
  return { type: "rows", rows: rows.slice(0, most) };
}

/** @param {string} id @param {number} most @returns {Promise<Change>} */
async function readMatches(id, most) {
  /** @type {Match[]} */
  const matches = [];
  let hasMore = true;
  while (hasMore && matches.length < most) {
    const page = await request("GET", `tournaments/${id}/matches?after=${matches.at(-1)?.n ?? 0}`);
    matches.push(...page.matches);
    hasMore = page.more;
  }
  return { type: "matches", matches, hasMore };
}

/**
 * Follow one list: read it when more of it is wanted, and again after the tournament has changed.
 * @param {(most: number) => Promise<Change>} read @param {(change: Change) => void} dispatch
 */
function createReading(read, dispatch) {
  let [most, version, readMs, isOver] = [0, -1, 0, false];
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let timer;
  return {
    /** @param {number} wanted 0 for none @param {number} newest the version of the tournament */
    follow(wanted, newest) {
      if (timer || wanted === 0 || (wanted <= most && newest === version)) return;
      const waitMs = wanted > most ? 0 : Math.max(0, readMs + AGAIN_MS - performance.now());
      [most, version] = [wanted, newest];
      timer = setTimeout(async () => {
        const change = await read(wanted).catch(warnOf); // the next message reads it again
        readMs = performance.now();
        timer = undefined;
        if (change && !isOver) dispatch(change);
      }, waitMs);
    },
    dispose() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** @param {{id: string, dispatch: (change: Change) => void}} options */
export function createReader({ id, dispatch }) {
  const rows = createReading((most) => readRows(id, most), dispatch);
  const matches = createReading((most) => readMatches(id, most), dispatch);
  return {
    /** @param {OpenTournament} state @param {boolean} [isWall] */
    follow(state, isWall = false) {
      const { version } = state.message.tournament;
      rows.follow(rowsWanted(state, isWall), version);
      matches.follow(matchesWanted(state, isWall), version);
    },
    dispose() {
      rows.dispose();
      matches.dispose();
    },
  };
}
