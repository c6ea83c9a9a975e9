/** Compose's variables, as far as docker/compose.yaml uses them: `${A}`, `${A:-default}`, `${A:?message}`, `$$`. */
const VARIABLE = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([-?])([^}]*))?\}/g;

/** Shell variables of a container (`$${A:?…}`) are not compose's: `$$` is taken first. */
export const variablesIn = (text) => [...text.matchAll(VARIABLE)].filter(([, name]) => name !== undefined).map(([, name, kind]) => ({ name, needed: kind === '?' }));

/** @throws Error with the message of a variable that is needed and not given */
export const interpolate = (text, given) =>
  text.replaceAll(VARIABLE, (found, name, kind, rest) => {
    if (found === '$$') return '$';
    const value = given[name];
    if (value) return value;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return kind === '-' ? rest : '';
  });
