import { boardEmoji } from "../board/emoji.js";
import { createGamePicture, pngFile, svgFile } from "../board/game_picture.js";
import { positionOf } from "../board/picture.js";
import { gameText } from "../board/replay.js";
import { button, createDialog, h, openOnce, show } from "../browser/dom.js";
import { warn } from "../browser/toasts.js";
import { knownVariant } from "../net/api.js";
import { warnOf } from "../net/failures.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { replayLink } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { nameWithLevel } from "../texts/names.js";
import { copy, shareByDevice } from "./invitations.js";
import { fetchSeries, lastPosition, scoreOf, seriesText, sidesOf, winnerOf } from "./series.js";
import { variantOf } from "./state.js";
import { headline } from "./text.js";

/**
 * The dialog that shares a game. It opens the device's own dialog with a text, a link that never expires, and a picture. Without
 * that dialog it copies text and link. Each of them is there on its own too.
 */

/** @import { Mark, Outcome, Variant } from "../net/messages.js" */
/** @import { SharedGame, SharedSeries } from "../board/game_picture.js" */
/** @import { OpenState } from "./state.js" */

const SAVED_MS = 60_000; // a browser has read the file by then
const sheet = loadStyleSheet("share.css");

/** Let the browser save a file. @param {Blob} blob @param {string} name */
function saveFile(blob, name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), SAVED_MS);
}

/** Share the finished game of a room, or its series once that is over. @param {OpenState} state */
export async function shareRoomGame(state) {
  const { view, you, record, analysis } = state;
  const variant = variantOf(state);
  if (!variant || !view.game) return;
  const nameOf = (/** @type {Mark} */ mark) => nameWithLevel(view.seats[mark]);
  const title = headline({ ...state, you: { ...you, mark: null } });
  const players = { X: nameOf("X"), O: nameOf("O") };
  const game = { position: positionOf(variant, view.game), title, players, analysis, record };
  await openShareDialog(variant, { ...game, series: await seriesOf(state, players) });
}

/** Return the series that has just ended, if it has several games. @param {OpenState} state @param {Record<Mark, string>} players @returns {Promise<SharedSeries|null>} */
async function seriesOf({ view }, players) {
  if (!view.series?.over || view.series.games < 2) return null;
  const games = await fetchSeries(view);
  const [sides, wins] = [sidesOf(games), scoreOf(games)];
  const boards = games.flatMap((game) => {
    const variant = knownVariant(game.record.variant);
    const winner = winnerOf(game);
    const caption = winner ? players[sides.X === winner ? "X" : "O"] : "=";
    return variant ? [{ position: lastPosition(game.record, variant), caption }] : [];
  });
  return { text: seriesText(games), score: { X: wins[sides.X], O: wins[sides.O] }, games: boards };
}

/** @param {Variant} variant @param {Omit<SharedGame, "name">} game */
export async function openShareDialog(variant, game) {
  const { key, name, shape } = variant;
  const { moves = [], outcome = null, marks } = game.position;
  const { series = null, record } = game;
  const url = replayLink(series?.text ?? gameText(key, moves, /** @type {Outcome|null} */ (outcome)));
  const score = series
    ? ` · ${Math.max(series.score.X, series.score.O)} : ${Math.min(series.score.X, series.score.O)}`
    : "";
  const text = `${name} · ${game.title}${score}\n${boardEmoji(shape, marks)}`;
  const picture = createGamePicture({ ...game, name });
  const isNative = typeof navigator.share === "function";
  const output = h("textarea", { class: "link", readonly: true, rows: 5, "aria-label": t("share.link") });
  show(output, false);

  async function share() {
    if (!isNative) return copy(`${text}\n${url}`, output, t("share.game.copied"));
    const png = await pngFile(picture).catch(() => null);
    const files = png ? [new File([png], `${key}.png`, { type: png.type })] : [];
    const content = { title: name, text, url };
    if (await shareByDevice(navigator.canShare?.({ files }) ? { ...content, files } : content)) dialog.close();
  }
  const saveSvg = () => saveFile(new Blob([svgFile(picture)], { type: "image/svg+xml" }), `${key}.svg`);
  function saveInstead() {
    saveSvg();
    warn(t("share.game.no_png"));
  }
  const savePng = () => pngFile(picture).then((blob) => saveFile(blob, `${key}.png`), saveInstead);

  /** Make the moving picture, and share it by the device, or save it. */
  async function saveMoving() {
    movingButton.disabled = true;
    try {
      const { gifFile } = await import("../board/moving_picture.js");
      const file = new File([await gifFile({ ...game, name }, holder)], `${key}.gif`, { type: "image/gif" });
      const isShared = navigator.canShare?.({ files: [file] }) && (await shareByDevice({ files: [file] }));
      if (!isShared) saveFile(file, file.name);
    } catch (error) {
      if (error instanceof TypeError) warnOf(error);
      else saveInstead();
    }
    movingButton.disabled = false;
  }
  const movingButton = button(t("share.game.moving"), () => saveMoving());
  show(movingButton, !series && record !== null && moves.length > 1);
  const onlyButton = button(t("share.game.only"), () => {
    dialog.close();
    void openShareDialog(variant, { ...game, series: null });
  });
  show(onlyButton, series !== null);
  const title = t(series ? "share.series.title" : "share.game.title");
  const holder = h("div", { class: "share-picture" }, picture);

  const dialog = createDialog(
    t("close"),
    { class: "dialog share-game", "aria-label": title },
    h("h2", { text: title }),
    holder,
    h("div", { class: "dialog-toasts", role: "status" }),
    button(t(isNative ? "share" : "share.copy"), () => share(), "primary"),
    button(t("share.game.png"), savePng),
    movingButton,
    onlyButton,
    output,
  );
  await sheet;
  openOnce(dialog);
  await share();
}
