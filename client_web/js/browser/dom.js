/** DOM elements: create them, change only what differs, and listen to them. */

/** @typedef {Node|string|null|undefined|false} Child */

/**
 * Create an element. `on` maps event types to listeners, and `text` sets the text. All other props become attributes: true
 * gives an empty one; false, null and undefined give none.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [props]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "on") {
      for (const [type, listener] of Object.entries(value))
        node.addEventListener(type, /** @type {EventListener} */ (listener));
    } else if (name === "text") node.textContent = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.filter(isNode));
  return node;
}

/** @param {Child} child @returns {child is Node|string} */
const isNode = (child) => child !== null && child !== undefined && child !== false;

/**
 * Create an SVG element. `text` sets its text.
 * @param {string} tag
 * @param {Record<string, string|number>} [attributes]
 * @param {...Node} children
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = String(value);
    else node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/** @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {Element} node @param {string} name @param {string|null} value null removes the attribute */
export function setAttr(node, name, value) {
  if (value === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** @param {HTMLElement} node @param {boolean} visible */
export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/** Draw the newest item in a child that is kept. @type {WeakMap<Element, (item: any) => void>} */
const drawers = new WeakMap();

/**
 * Give `parent` one child for each item, in the same order. A child is kept while its key is, so that it keeps the focus.
 * @template T
 * @param {HTMLElement} parent
 * @param {readonly T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => HTMLElement|{element: HTMLElement, draw: (item: T) => void}} create a part is drawn now, and again each time
 */
export function drawChildren(parent, items, keyOf, create) {
  const oldNodes = new Map(
    [...parent.children].map((node) => [/** @type {HTMLElement} */ (node).dataset["key"], node]),
  );
  let next = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let node = /** @type {HTMLElement|undefined} */ (oldNodes.get(key));
    oldNodes.delete(key);
    if (!node) {
      const child = create(item);
      node = "draw" in child ? child.element : child;
      if ("draw" in child) drawers.set(node, child.draw);
      node.dataset["key"] = key;
    }
    if (node === next) next = next.nextElementSibling;
    else parent.insertBefore(node, next);
    drawers.get(node)?.(item);
  }
  for (const node of oldNodes.values()) node.remove();
}

/**
 * Return a part whose module is imported when it is first drawn. `onReady` gets the part after its first drawing.
 * @template S
 * @template {{element: HTMLElement, draw: (state: S) => void, dispose?: () => void}} P
 * @param {string} className of the element that holds the part
 * @param {() => Promise<P>} load
 * @param {{onError?: () => void, onReady?: (part: P) => void, needs?: (state: S) => boolean}} [options]
 *   `needs` says whether a state needs the part. Before one does, it is not loaded
 */
export function createLater(className, load, { onError = () => {}, onReady = () => {}, needs = () => true } = {}) {
  const element = h("div", { class: className });
  /** @type {P|null} */ let part = null;
  /** @type {S} */ let newest;
  let isLoading = false;

  async function loadPart() {
    isLoading = true;
    try {
      part = await load();
      element.replaceChildren(part.element);
      part.draw(newest);
      onReady(part);
    } catch {
      onError();
    }
    isLoading = false;
  }

  return {
    element,
    /** Return the part, or null before it is there. */
    part: () => part,
    /** @param {S} state */
    draw(state) {
      newest = state;
      if (part) part.draw(state);
      else if (!isLoading && needs(state)) void loadPart();
    },
    dispose: () => part?.dispose?.(),
  };
}

/**
 * @param {EventTarget} target
 * @param {string} type
 * @param {(event: any) => void} listener
 * @param {AddEventListenerOptions} [options]
 * @returns {() => void} removes the listener
 */
export function listen(target, type, listener, options) {
  target.addEventListener(type, listener, options);
  return () => target.removeEventListener(type, listener, options);
}

/** Return whether a key is held that gives a click or another key its own meaning. @param {MouseEvent|KeyboardEvent} event */
export const hasModifier = ({ ctrlKey, metaKey, altKey }) => ctrlKey || metaKey || altKey;

/** Create a small button with a cross. @param {string} label @param {(click: MouseEvent) => unknown} onClick */
export function crossButton(label, onClick) {
  const cross = button("✕", onClick, "cross quiet-text");
  cross.setAttribute("aria-label", label);
  return cross;
}

/**
 * Return a function that does nothing while its last run is under way.
 * @template {unknown[]} A
 * @param {(...values: A) => unknown} run
 */
export function oneAtATime(run) {
  let isUnderWay = false;
  return (/** @type {A} */ ...values) => {
    if (isUnderWay) return;
    const outcome = run(...values);
    if (!(outcome instanceof Promise)) return;
    isUnderWay = true;
    void outcome.finally(() => {
      isUnderWay = false;
    });
  };
}

/**
 * Create a button. While the promise of a click is open, another click does nothing.
 * @param {string} label @param {(click: MouseEvent) => unknown} onClick @param {string} [className]
 */
export function button(label, onClick, className = "") {
  return h("button", { type: "button", class: className || null, text: label, on: { click: oneAtATime(onClick) } });
}

/** Create an icon from a path in a box of 24. @param {string} d */
export const icon = (d) =>
  svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d }));

/** Create a button that steps through something, also by quick presses. @param {string} label @param {string} d its icon @param {() => unknown} onClick */
export function stepButton(label, d, onClick) {
  const step = button("", onClick, "quiet-text step");
  step.append(icon(d));
  setAttr(step, "aria-label", label);
  setAttr(step, "data-repeats", "");
  return step;
}

/**
 * Create a form that stays on the page when it is sent.
 * @param {Record<string, any>} props
 * @param {() => unknown} onSubmit  while its promise is open, the form is not sent again
 * @param {...Child} children
 */
export function createForm(props, onSubmit, ...children) {
  const form = h("form", props, ...children);
  const submit = oneAtATime(onSubmit);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return form;
}

/** Create the place for what a screen reader says while a dialog is open, because the rest of the page is inert. */
export const createLog = () => h("div", { class: "visually-hidden announcements", role: "log" });

/**
 * Create a dialog with a cross that closes it.
 * @param {string} closeLabel
 * @param {Record<string, any>} props
 * @param {...Child} children
 */
export function createDialog(closeLabel, props, ...children) {
  const closeButton = crossButton(closeLabel, () => dialog.close());
  const dialog = h("dialog", { class: "dialog", ...props }, ...children, closeButton, createLog());
  return dialog;
}

/** Show a dialog once: its close removes it. @param {HTMLDialogElement} dialog */
export function openOnce(dialog) {
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Create a link that `main.js` follows without a reload. @param {string} path @param {Record<string, any>} props @param {...Child} children */
export const pageLink = (path, props, ...children) =>
  h("a", { href: path, "data-page-link": "", ...props }, ...children);

/** Create an input that shows a link, to copy it by hand. @param {string} label */
export function linkInput(label) {
  const input = h("input", { type: "text", readonly: true, class: "link", "aria-label": label });
  input.addEventListener("focus", () => input.select());
  return input;
}

/** @typedef {{value: string, text: string}} SelectOption */

/** @param {string} label @param {HTMLElement} control */
export const labelled = (label, control) => h("label", { class: "labelled" }, h("span", { text: label }), control);

/**
 * Create a select element with its label.
 * @param {string} label
 * @param {readonly SelectOption[]} options
 * @param {string} [value]
 * @param {(value: string) => void} [onChange]
 */
export function labelledSelect(label, options, value, onChange = () => {}) {
  const select = h("select", { on: { change: () => onChange(select.value) } });
  setOptions(select, options, value);
  return { select, element: labelled(label, select) };
}

/**
 * Set the options. Select `value`, by default the value from before, if it is one of them.
 * @param {HTMLSelectElement} select @param {readonly SelectOption[]} options @param {string} [value]
 */
export function setOptions(select, options, value) {
  const newValue = value ?? select.value;
  const optionsJson = JSON.stringify(options);
  if (select.dataset["options"] !== optionsJson) {
    select.dataset["options"] = optionsJson;
    select.replaceChildren(...options.map(({ value, text }) => h("option", { value, text })));
  }
  if (options.some((option) => option.value === newValue)) select.value = newValue;
}
