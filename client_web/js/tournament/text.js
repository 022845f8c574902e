import { clockText, t, waitingTime } from "../texts/i18n.js";

/** What a tournament is, in words. */

/** @import { Tournament, Variant } from "../net/messages.js" */

/** @param {Tournament} tournament @param {Variant|undefined} variant */
export const describe = (tournament, variant) =>
  [
    t(`tournament.mode.${tournament.mode}`),
    variant?.name ?? tournament.variant,
    clockText(tournament.clock),
    ...(tournament.bots === "no" ? [] : [t(`tournament.bots.${tournament.bots}.note`)]),
  ].join(" · ");

/** Return how far a tournament is. @param {Tournament} tournament @param {number} nowMs */
export function progress(tournament, nowMs) {
  const { state, mode, round, rounds, bell_ms } = tournament;
  if (state === "open") return t("tournament.open", { n: tournament.entrants });
  if (state === "over") return t("tournament.over");
  if (mode !== "arena") return rounds ? t("tournament.round", { n: round, count: rounds }) : t("tournament.running");
  if (bell_ms === null) return t("tournament.running");
  return nowMs < bell_ms ? t("tournament.left", { time: waitingTime(bell_ms - nowMs) }) : t("tournament.bell");
}
