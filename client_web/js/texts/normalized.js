/** What a person typed as a PIN, a code or the name of a cell, ready to be compared. */

const isDigit = (/** @type {number} */ code) => /\p{Nd}/u.test(String.fromCodePoint(code));

/** Return a decimal digit of any script as an ASCII digit. Unicode keeps the ten digits of a script in a row. @param {string} digit */
function asciiDigit(digit) {
  const code = digit.codePointAt(0) ?? 0;
  let place = 0;
  while (isDigit(code - place - 1)) place += 1;
  return String(place % 10);
}

/**
 * Return a typed text in NFKC, with ASCII digits, and without spaces, dashes, format characters and an opening `PIN:`.
 * The server does the same in `printable.py`.
 * @param {string} text
 */
export const normalized = (text) =>
  text
    .normalize("NFKC")
    .replace(/[\p{Z}\s\p{Pd}\p{Cf}\u2212]/gu, "")
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/^pin:?/i, "");
