/**
 * Return a function that does nothing while its last run is under way: one press is one press.
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
