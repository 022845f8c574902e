/** Making nodes, changing them only where they differ, and listeners that can be taken back. */

/** @typedef {Node|string|null|undefined|false} Child */

/**
 * An element: `on` holds listeners, `class` and `text` are what they say, all else becomes attributes (false and null: absent).
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
      for (const [type, heard] of Object.entries(value)) node.addEventListener(type, /** @type {EventListener} */ (heard));
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
 * @param {string} tag
 * @param {Record<string, string|number>} [attributes]
 * @param {...Node} children
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {Element} node @param {string} name @param {string|null} value null takes the attribute away */
export function setAttr(node, name, value) {
  if (value === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** @param {HTMLElement} node @param {boolean} visible */
export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/**
 * Makes the children of `parent` match `items`, keeping the node of every key that stays, so that focus stays too.
 * @template T
 * @param {HTMLElement} parent
 * @param {readonly T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => HTMLElement} make
 * @param {(node: HTMLElement, item: T) => void} [update]
 */
export function keyed(parent, items, keyOf, make, update) {
  const old = new Map([...parent.children].map((node) => [/** @type {HTMLElement} */ (node).dataset["key"], node]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let node = /** @type {HTMLElement|undefined} */ (old.get(key));
    old.delete(key);
    if (!node) {
      node = make(item);
      node.dataset["key"] = key;
    }
    if (node === place) place = place.nextElementSibling;
    else parent.insertBefore(node, place);
    update?.(node, item);
  }
  for (const node of old.values()) node.remove();
}

/**
 * @param {EventTarget} target
 * @param {string} type
 * @param {(event: any) => void} heard
 * @param {AddEventListenerOptions} [options]
 * @returns {() => void} takes the listener back
 */
export function listen(target, type, heard, options) {
  target.addEventListener(type, heard, options);
  return () => target.removeEventListener(type, heard, options);
}

/** @param {number} ms @param {() => void} tick @returns {() => void} stops it */
export function every(ms, tick) {
  const id = setInterval(tick, ms);
  return () => clearInterval(id);
}

/** @param {string} label @param {() => void} press @param {string} [kind] */
export function button(label, press, kind = "") {
  return h("button", { type: "button", class: kind || null, text: label, on: { click: press } });
}

/**
 * A labelled choice.
 * @param {string} label
 * @param {readonly {value: string, text: string}[]} choices
 * @param {string} [value]
 */
export function choice(label, choices, value) {
  const select = h("select");
  fillChoice(select, choices, value);
  return { select, element: h("label", { class: "choice" }, h("span", { text: label }), select) };
}

/**
 * @param {HTMLSelectElement} select
 * @param {readonly {value: string, text: string}[]} choices
 * @param {string} [value]
 */
export function fillChoice(select, choices, value) {
  const wanted = value ?? select.value;
  const signature = JSON.stringify(choices);
  if (select.dataset["choices"] !== signature) {
    select.dataset["choices"] = signature;
    select.replaceChildren(...choices.map(({ value, text }) => h("option", { value, text })));
  }
  if (choices.some((one) => one.value === wanted)) select.value = wanted;
}
