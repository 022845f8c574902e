import { warnOnError } from "../net/failures.js";
import { createBoardHolder } from "../board/board.js";
import { openingCells } from "../board/layout.js";
import { createVariantPicker } from "../board/variant_picker.js";
import { button, crossButton, h, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { isSlanted, loadChoice, saveChoice } from "../browser/preferences.js";
import { allVariants, features } from "../net/api.js";
import { guestToken, onGuestChange } from "../net/guest.js";
import { hasFriends, hasPlayedGames } from "../net/played_games.js";
import { forgetLastRoom, storedGameCount, storedLastRoom } from "../net/stored_rooms.js";
import { homeUrl, joinPath, learnUrl, roomUrl } from "../net/urls.js";
import { addTexts, t } from "../texts/i18n.js";
import { levelName } from "../texts/names.js";
import { clockText } from "../texts/times.js";
import { warn } from "../browser/toasts.js";
import { linkHome, showFace } from "../browser/header.js";
import { createLadder } from "./ladder.js";
import { createRooms } from "./new_rooms.js";
import { chosenVariant, createStartState, update, variantNamed } from "./state.js";

/**
 * The start page: a real board, on which one tap makes a room and plays the first move. Everything else lies
 * around it.
 */

/** @import { Change } from "./state.js" */

const MAX_GAMES = 3;

/**
 * @param {{root: HTMLElement, navigate: (path: string) => Promise<void>}} options
 * @returns {() => void} closes the page
 */
export function startPage({ root, navigate }) {
  const variants = allVariants();
  let state = createStartState(loadChoice(), variants);
  let disposed = false;
  /** @type {(() => void)|null} */ let disposeLobby = null;
  /** @type {(() => void)|null} */ let disposeGames = null;

  const line = h("p", { class: "start-line", id: "start-line" });
  const toasts = h("div", { class: "toasts page-toasts", role: "status", "aria-live": "polite" });
  const rivalHolder = h("div", { class: "rival-holder" });
  const board = createBoardHolder({
    onPlay: (cell) => void go(() => rooms.playEngine(cell), cell),
    onFirstTap: (cell) => dispatch({ type: "confirm_tap", cell }),
    describedBy: "start-line",
  });
  const friendButton = button(t("start.friend"), () => go(rooms.inviteFriend), "primary");
  const findButton = button(t("start.quick"), () => go(rooms.findOpponent));
  const screenButton = button(t("start.pass_and_play"), () => go(rooms.passAndPlay));
  const tournamentButton = button(t("tournament.new"), openTournament, "quiet-text");
  const ladder = createLadder((level) => choose({ level }));
  const picker = createVariantPicker("variant", chooseVariant, 5);
  const rules = h("p", { class: "start-rules secondary" });
  const optionsBody = h("div");
  const optionsTitle = h("summary");
  const optionsElement = h(
    "details",
    { class: "options", on: { toggle: () => void openOptions() } },
    optionsTitle,
    ladder.element,
    optionsBody,
  );
  // The page leaves room for your games from the start, so that nothing moves when they come. On a device that has
  // never listed any they come at the end of the page.
  const gameCount = guestToken() ? Math.min(MAX_GAMES, storedGameCount()) : 0;
  const gamesHolder = h("div", { class: "games-holder", "data-count": gameCount || null });
  const lobbyHolder = h("div", { class: "lobby-holder" }, gameCount ? null : gamesHolder);
  const pinLink = features().tournaments && pageLink(joinPath(), { class: "start-pin", text: t("start.pin") });
  const dailyHolder = h("div", { class: "daily-holder" });
  const playedHolder = h("div", { class: "played-holder", hidden: !hasPlayedGames() });
  const element = h(
    "div",
    { class: "start" },
    h(
      "section",
      { class: "start-play" },
      h("div", { class: "status-line" }, line, rivalHolder, toasts),
      h("div", { class: "board-area" }, board.element),
      optionsElement,
      h("div", { class: "start-buttons" }, friendButton, findButton, screenButton),
    ),
    h(
      "section",
      { class: "start-choices" },
      gameCount ? gamesHolder : null,
      createGoOn(),
      h("h2", { class: "visually-hidden", text: t("start.variant") }),
      picker.element,
      rules,
      hasFriends() ? null : pinLink,
      dailyHolder,
    ),
    playedHolder,
    lobbyHolder,
    h(
      "p",
      { class: "start-foot" },
      pageLink(learnUrl(), { text: t("learn.link") }),
      hasFriends() && pinLink, // the way to a friend took its place
      features().tournaments && tournamentButton,
    ),
  );
  root.replaceChildren(h("h1", { class: "visually-hidden", tabindex: -1, text: t("start.title") }), element);
  document.title = t("app.name");
  const rooms = createRooms({ choice: () => state.choice, variantOf: (key) => variantNamed(variants, key) });

  /** @param {Change} change */
  function dispatch(change) {
    state = update(state, change);
    draw();
  }

  /** Show the operator's text above the lobby. @param {string} text */
  async function showWelcome(text) {
    const { createWelcome } = await import("../start/welcome.js");
    if (!disposed) lobbyHolder.before(createWelcome(text));
  }

  /** Show the puzzle of the day. Without it the page is whole too. */
  async function showDaily() {
    try {
      const { createDailyPuzzle } = await import("../puzzle/daily.js");
      const daily = await createDailyPuzzle();
      if (daily && !disposed) dailyHolder.replaceChildren(daily);
    } catch {
      dailyHolder.replaceChildren();
    }
  }

  async function openTournament() {
    const { openTournamentDialog } = await import("../tournament/new_tournament.js");
    await warnOnError(() => openTournamentDialog({ variant: state.choice.variant, navigate }));
  }

  /** Show your latest games. */
  async function showPlayed() {
    const [{ createPlayedGames, createRival }] = await Promise.all([import("../start/played.js"), addTexts("server")]);
    const playAgain = (/** @type {{variant: string}} */ { variant }) => void go(() => rooms.inviteAgain(variant));
    const played = createPlayedGames(playAgain);
    if (disposed) return;
    if (played) playedHolder.replaceChildren(played);
    rivalHolder.replaceChildren(createRival(playAgain) ?? "");
    show(playedHolder, played !== null);
  }

  /** Show your games, where this browser has a guest. Without them the page is whole too. */
  async function showGames() {
    if (!guestToken() || disposed || disposeGames) return;
    disposeGames = () => {};
    const [module] = await Promise.all([import("../start/my_games.js"), addTexts("server")]).catch(() => []);
    if (disposed || !module) return;
    const { createMyGames } = module;
    const games = createMyGames({
      count: gameCount || MAX_GAMES,
      onTurns(count) {
        if (!disposed) document.title = (count ? `(${count}) ` : "") + t("app.name");
      },
    });
    disposeGames = games.dispose;
    gamesHolder.replaceChildren(games.element);
    await games.refresh();
  }

  async function openLobby() {
    const [{ createLobby }] = await Promise.all([import("../start/lobby.js"), addTexts("server")]);
    if (disposed) return;
    const lobby = createLobby();
    disposeLobby = lobby.dispose;
    lobbyHolder.prepend(lobby.element);
  }

  async function openOptions() {
    if (!optionsElement.open || optionsBody.childElementCount) return;
    const { createStartOptions } = await import("../start/options.js");
    optionsBody.replaceChildren(await createStartOptions(state.choice, choose));
  }

  /** Change the choice, and keep it. @param {Partial<import("../browser/preferences.js").StoredChoice>} change */
  function choose(change) {
    dispatch({ type: "choose", change });
    saveChoice(state.choice);
  }

  /** Say the rule of a game above the board, because on a phone the text below the games is out of sight. @param {string} key */
  function chooseVariant(key) {
    choose({ variant: key });
    warn(variantNamed(variants, key)?.rules ?? "");
  }

  function draw() {
    const { choice, played, tapped, isBusy } = state;
    const variant = chosenVariant(state);
    if (!variant || disposed) return;
    /** @type {Omit<import("../board/picture.js").Position, "variant">} */
    const position = {
      marks: {},
      turn: "X",
      legal: openingCells(variant),
      mark: choice.mark === "O" ? "O" : "X",
      pending: choice.mark === "X" ? played : null,
    };
    board.draw(variant, position, isSlanted());
    const key = choice.mark === "X" ? "start.line.X" : choice.mark === "O" ? "start.line.O" : "start.line.random";
    setText(line, tapped ? t("cell.confirm") : t(key));
    show(rivalHolder, tapped === null);
    setText(rules, variant.rules);
    show(rules, variant.key !== "classic");
    showFace(choice.mark);
    setAttr(element, "aria-busy", String(isBusy));
    ladder.draw(variant, choice.level);
    const mark = choice.mark === "random" ? t("start.mark.random") : choice.mark;
    const clock = clockText(JSON.parse(choice.clock));
    setText(optionsTitle, `${t("start.level")}: ${levelName(choice.level)} · ${mark} · ${clock}`);
  }

  /** Open the room that a function makes, and play a cell in it. @param {() => Promise<string>} create @param {string|null} [cell] */
  async function go(create, cell = null) {
    if (state.isBusy) return;
    dispatch({ type: "busy", isBusy: true, cell });
    await warnOnError(async () => {
      const id = await create();
      if (!disposed) await navigate(roomUrl(id));
    });
    dispatch({ type: "busy", isBusy: false, cell: null });
  }

  picker.draw(variants, chosenVariant(state)?.key ?? "");
  findButton.disabled = !features().lobby;
  draw();
  optionsElement.open = ladder.offersLevel();
  if (features().lobby) void openLobby();
  if (features().site.welcome) void showWelcome(features().site.welcome ?? "").catch(() => {});
  void showDaily();
  if (!playedHolder.hidden) void showPlayed().catch(() => show(playedHolder, false));
  void showGames();
  const removeGuestListener = onGuestChange(() => void showGames());

  linkHome(null);
  return () => {
    disposed = true;
    linkHome(homeUrl());
    board.dispose();
    disposeLobby?.();
    disposeGames?.();
    removeGuestListener();
  };
}

/** Create the way back into the game that you last played alone: a link, and a cross that forgets it. */
function createGoOn() {
  const id = storedLastRoom(Date.now());
  if (!id) return null;
  const cross = crossButton(t("close"), () => {
    forgetLastRoom();
    element.remove();
  });
  const element = h("p", { class: "last-room" }, pageLink(roomUrl(id), { text: t("start.last_room") }), cross);
  return element;
}
