import { button, crossButton, h, listen } from "../browser/dom.js";
import { playSound } from "../browser/sound.js";
import { service } from "../browser/storage.js";
import { announce, notify, voice } from "../browser/toasts.js";
import { homeUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";

/**
 * Several tabs of one person. The tab that was seen last holds a lock, and it alone makes sounds and sends notifications. If a
 * match or a turn begins in another tab, that tab sends a call to the one with the lock, which shows a line with a button.
 * Without locks, each tab makes its own sounds.
 */

/** @typedef {{text: string, sound: string, path: string}} Call  what waits for the person, and on which page */

const TITLE_MARK = "● ";

/** @param {(path: string) => unknown} navigate */
export function watchTabs(navigate) {
  const name = homeUrl() + "person";
  const locks = service(() => navigator.locks);
  const channel = service(() => new BroadcastChannel(name));
  let isOurs = !locks || !document.hidden;
  /** The newest request for the lock; an older one has nothing more to say. */
  let newest = 0;
  let waiting = new AbortController();

  /** Ask for the lock, and keep it until another tab takes it. @param {boolean} steal  whether the tab is seen */
  async function claim(steal) {
    const request = ++newest;
    waiting.abort();
    waiting = new AbortController();
    const hold = () => {
      isOurs = true;
      return new Promise(() => {});
    };
    try {
      await locks?.request(name, steal ? { steal } : { signal: waiting.signal }, hold);
    } catch (error) {
      if (request !== newest) return;
      const isStolen = error instanceof DOMException && error.name === "AbortError";
      isOurs = !isStolen; // a browser that refuses locks lets each tab speak
      if (isStolen) void claim(false);
    }
  }

  const line = createLine(navigate);
  function look() {
    if (document.hidden) line.hide();
    else if (!isOurs) void claim(true);
  }

  /** Show what another tab passed on. @param {Call} call */
  function receive({ text, sound, path }) {
    if (!isOurs || path === location.pathname) return;
    line.show(text, path);
    if (locks) playSound(sound);
    notify(text, "", path);
  }

  voice.isHere = () => isOurs;
  voice.pass = (text, sound) => {
    if (document.hidden || !isOurs) channel?.postMessage({ text, sound, path: location.pathname });
  };
  if (channel) listen(channel, "message", ({ data }) => receive(data));
  listen(document, "visibilitychange", look);
  listen(window, "focus", look);
  if (locks) void claim(!document.hidden);
}

/** Create the line that leads to what waits on another page. A mark in the title belongs to it. @param {(path: string) => unknown} navigate */
function createLine(navigate) {
  const text = h("span");
  let path = "";
  const go = button(t("tabs.go"), () => {
    hide();
    return navigate(path);
  });
  const element = h("div", { class: "call buttons" }, text, go, crossButton(t("close"), hide));
  const markTitle = () => {
    if (!document.title.startsWith(TITLE_MARK)) document.title = TITLE_MARK + document.title;
  };
  const titles = new MutationObserver(markTitle);

  function hide() {
    titles.disconnect();
    element.remove();
    if (document.title.startsWith(TITLE_MARK)) document.title = document.title.slice(TITLE_MARK.length);
  }

  return {
    hide,
    /** @param {string} sentence @param {string} target */
    show(sentence, target) {
      path = target;
      text.textContent = sentence;
      const dialogs = document.querySelectorAll("dialog:modal > .dialog-toasts");
      ([...dialogs].at(-1) ?? document.getElementById("toasts"))?.append(element);
      announce(sentence);
      markTitle();
      titles.observe(document.head, { childList: true, subtree: true, characterData: true });
    },
  };
}
