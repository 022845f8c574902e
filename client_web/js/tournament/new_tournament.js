import { warnOnError } from "../net/failures.js";
import {
  createDialog,
  createForm,
  h,
  labelled,
  labelledSelect,
  openOnce,
  pageLink,
  setText,
  show,
} from "../browser/dom.js";
import { allVariants } from "../net/api.js";
import { serverClock } from "../net/clock.js";
import { requestAsGuest } from "../net/guest.js";
import { tournamentUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { dayText } from "../texts/moments.js";
import { clockOptions } from "../texts/names.js";
import { prepare } from "./enter.js";
import { storedTournaments } from "./pin.js";

/** The dialog that makes a tournament: a game, a mode and a length are chosen already, so one more tap creates it. */

const MODES = /** @type {const} */ (["arena", "round_robin", "knockout"]);
const LENGTHS = [5, 10, 15, 20, 30, 45, 60, 90];
const DEFAULT_CLOCK = JSON.stringify({ mode: "move", move_ms: 30_000 });
const MAX_CLOCK_MS = 3_600_000;

/** @param {{variant: string, navigate: (path: string) => Promise<void>}} options */
export async function openTournamentDialog({ variant, navigate }) {
  await prepare();
  const game = labelledSelect(
    t("tournament.game"),
    allVariants().map(({ key, name }) => ({ value: key, text: name })),
    variant,
  );
  const mode = labelledSelect(
    t("tournament.mode"),
    MODES.map((value) => ({ value, text: t(`tournament.mode.${value}`) })),
    "arena",
    drawMode,
  );
  const what = h("p", { class: "secondary" });
  const length = labelledSelect(
    t("tournament.length"),
    LENGTHS.map((n) => ({ value: String(n), text: t("time.min", { n }) })),
    "10",
  );
  const name = h("input", { type: "text", maxlength: 60 });
  const defaultName = t("tournament.default_name", { date: dayText(serverClock.now()) });
  name.placeholder = defaultName;
  const clock = labelledSelect(t("tournament.clock"), clockOptions().filter(isShort), DEFAULT_CLOCK);
  const games = labelledSelect(
    t("tournament.games_each"),
    ["1", "2"].map((value) => ({ value, text: value })),
    "2",
  );
  const bots = labelledSelect(
    t("tournament.bots"),
    /** @type {const} */ (["no", "yes", "only"]).map((value) => ({ value, text: t(`tournament.bots.${value}`) })),
    "no",
  );
  const names = h("textarea", { rows: 5, autocomplete: "off" });
  const chat = h("input", { type: "checkbox" });
  const isPublic = h("input", { type: "checkbox" });
  const createButton = h("button", { type: "submit", class: "primary big", text: t("tournament.create") });
  const form = createForm(
    { class: "tournament-form" },
    () => create(),
    game.element,
    mode.element,
    what,
    length.element,
    createButton,
    h(
      "details",
      {},
      h("summary", { text: t("tournament.options") }),
      labelled(t("tournament.title"), name),
      clock.element,
      games.element,
      labelled(t("tournament.names"), names),
      bots.element,
      h("label", { class: "check" }, chat, t("tournament.chat")),
      h("label", { class: "check" }, isPublic, t("tournament.public")),
    ),
  );
  const earlier = storedTournaments();
  const dialog = createDialog(
    t("close"),
    { "aria-labelledby": "tournament-dialog" },
    h("h2", { id: "tournament-dialog", text: t("tournament.new") }),
    form,
    ...(earlier.length
      ? [
          h("h3", { text: t("tournament.yours") }),
          h("ul", {}, ...earlier.map(({ id, name }) => h("li", {}, pageLink(tournamentUrl(id), { text: name })))),
        ]
      : []),
    h("div", { class: "dialog-toasts", role: "status" }),
  );
  dialog.addEventListener("click", (event) => event.target instanceof HTMLAnchorElement && dialog.close());
  drawMode();
  openOnce(dialog);

  function drawMode() {
    const chosen = /** @type {typeof MODES[number]} */ (mode.select.value);
    setText(what, t(`tournament.mode.${chosen}.what`));
    show(length.element, chosen === "arena");
  }

  async function create() {
    createButton.disabled = true;
    const list = namesIn(names.value);
    await warnOnError(async () => {
      const { tournament } = await requestAsGuest("POST", "tournaments", {
        name: name.value.trim() || defaultName,
        mode: mode.select.value,
        variant: game.select.value,
        clock: JSON.parse(clock.select.value),
        games: Number(games.select.value),
        bots: bots.select.value,
        chat: chat.checked,
        visibility: isPublic.checked ? "public" : "unlisted",
        ...(mode.select.value === "arena" ? { minutes: Number(length.select.value) } : {}),
        ...(list.length ? { entry: "names", names: list } : {}),
      });
      dialog.close();
      await navigate(tournamentUrl(tournament.id));
    });
    createButton.disabled = false;
  }
}

/** @param {{value: string}} option */
function isShort({ value }) {
  const setting = JSON.parse(value);
  return setting !== null && setting.mode !== "days" && !(setting.move_ms > MAX_CLOCK_MS);
}

/**
 * Return the names of a list, each once: the lines, or in a single line what commas or semicolons separate. The columns of a
 * spreadsheet make one name.
 * @param {string} text
 */
function namesIn(text) {
  const lines = text.trim().split("\n");
  const names = lines.length > 1 ? lines : text.split(/[;,]/);
  return [...new Set(names.map((name) => name.replace(/\s+/g, " ").trim()).filter(Boolean))];
}
