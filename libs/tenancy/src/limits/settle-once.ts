/** Of all calls of the returned functions, only the first one has an effect. */
export const settleOnce = <Committed>(commit: (value: Committed) => void, release: () => void) => {
  let settled = false;
  const first = (run: () => void): void => {
    if (settled) return;
    settled = true;
    run();
  };
  return { commit: (value: Committed) => first(() => commit(value)), release: () => first(release) };
};
