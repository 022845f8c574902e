/**
 * Return the only way of a state to change: a pure function of the state and a change. A change of an unknown type changes nothing.
 * @template S
 * @template {{type: string}} C
 * @param {{[T in C["type"]]: (state: S, change: Extract<C, {type: T}>) => Partial<S>}} changes what those of each type change
 * @returns {(state: S, change: C) => S}
 */
export const updateBy = (changes) => (state, change) => {
  const changed = /** @type {Record<string, (state: S, change: any) => Partial<S>>} */ (changes)[change.type];
  return changed ? { ...state, ...changed(state, change) } : state;
};
