const LINES = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
];

/** Return "win", "draw" or, while the game is on, "". An empty cell is 0. */
export function outcome(cells) {
  for (const [a, b, c] of LINES) {
    if (cells[a] !== 0 && cells[a] === cells[b] && cells[a] === cells[c]) return "win";
  }
  return cells.every((cell) => cell !== 0) ? "draw" : "";
}
