/** The variables of Compose that docker/compose.yaml uses: `${A}`, `${A:-default}`, `${A:?message}`, `$$`. */
const VARIABLE = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([-?])([^}]*))?\}/g;

/** Shell variables of a container (`$${A:?…}`) are not Compose's: `$$` is matched first. */
export const variablesIn = (text) =>
  [...text.matchAll(VARIABLE)].filter(([, name]) => name !== undefined).map(([, name, kind]) => ({ name, needed: kind === '?' }));

/** @throws Error with the message of a required variable that is missing */
export const interpolate = (text, given) =>
  text.replaceAll(VARIABLE, (found, name, kind, rest) => {
    if (found === '$$') return '$';
    const value = given[name];
    if (value) return value;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return kind === '-' ? rest : '';
  });
