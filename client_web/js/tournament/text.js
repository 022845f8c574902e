import { knownVariant } from "../net/api.js";
import { list, t } from "../texts/i18n.js";
import { clockText, waitingTime } from "../texts/times.js";

/** What a tournament is, in words. */

/** @import { Row, Tournament, TournamentMessage } from "../net/messages.js" */

/** @param {Tournament} tournament */
export const describe = (tournament) =>
  [
    t(`tournament.mode.${tournament.mode}`),
    knownVariant(tournament.variant)?.name ?? tournament.variant,
    clockText(tournament.clock),
    ...(tournament.bots === "no" ? [] : [t(`tournament.bots.${tournament.bots}.note`)]),
  ].join("\u00a0·\u00a0");

/** Return whether the bell of an arena has rung. @param {Tournament} tournament @param {number} nowMs */
export const hasRung = ({ bell_ms }, nowMs) => bell_ms !== null && nowMs >= bell_ms;

/** Return whether more entrants may join. @param {Tournament} tournament @param {number} nowMs */
export function mayJoin(tournament, nowMs) {
  const { state, mode, round, names_free } = tournament;
  if (state === "over" || names_free === 0) return false;
  if (state === "open") return true;
  return mode === "arena" ? !hasRung(tournament, nowMs) : mode === "round_robin" && round <= 1;
}

/** Return how far a tournament is. @param {Tournament} tournament @param {number} nowMs */
export function progress(tournament, nowMs) {
  const { state, mode, round, rounds, bell_ms } = tournament;
  if (state === "open") return t("tournament.open", { n: tournament.entrants });
  if (state === "over") return t("tournament.over");
  if (mode !== "arena")
    return rounds ? t("tournament.round", { n: round, count: rounds }) : t("tournament.round.open", { n: round });
  if (bell_ms === null) return t("tournament.running");
  return nowMs < bell_ms ? t("tournament.left", { time: waitingTime(bell_ms - nowMs) }) : t("tournament.bell");
}

/** Return the rank of an entrant in words. Only a knockout has no points, because its rank is the round reached. @param {Tournament} tournament @param {Row} row */
export const placeText = ({ mode }, { rank, points }) =>
  mode === "knockout" ? t("tournament.place.rank", { rank }) : t("tournament.place", { rank, points });

/** Return the names of the first of the standings, if a match was played. @param {readonly Row[]} top */
export const winnersOf = (top) => top.filter(({ rank }) => rank === 1 && top.some(({ points }) => points > 0));

/** Return the points of a match in games: a win gives two points, a draw one. @param {number} points */
export const gamesText = (points) => `${points === 1 ? "" : points >> 1}${points & 1 ? "½" : ""}`;

/** @param {TournamentMessage} message */
function endText({ top, you }) {
  const winners = winnersOf(top);
  const [first] = winners;
  if (!first) return t("tournament.won.none");
  if (winners.length > 1) return t("tournament.won.shared", { names: list(winners.map(({ name }) => name)) });
  return first.entrant === you.entrant ? t("tournament.won.you") : t("tournament.won.by", { name: first.name });
}

/** Return what the reader waits for, or how it ended. @param {TournamentMessage} message @param {number} nowMs */
export function statusText(message, nowMs) {
  const { tournament, you } = message;
  const host = tournament.host.name;
  if (tournament.state === "over") return endText(message);
  if (you.entrant === null) return you.host ? "" : t("tournament.watching", { host });
  const state = you.row?.state ?? "removed"; // before its first match, a removed entrant has no row
  if (state === "paused" || state === "left" || state === "removed" || state === "out")
    return t(`tournament.you.${state}`);
  if (tournament.state === "open") return you.host ? "" : t("tournament.wait.start", { host });
  if (you.match) return "";
  if (hasRung(tournament, nowMs)) return t("tournament.wait.end");
  return t(tournament.mode === "arena" ? "tournament.wait.opponent" : "tournament.wait.round");
}
