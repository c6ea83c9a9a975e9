/** The JSON value that an answer consists of, also in a fence of Markdown; undefined if it is anything else. */
export const jsonAnswer = (answer: string): unknown => {
  const text = answer.trim();
  const fenced = /^```(?:json)?\n(?<inside>[^`]*)```$/.exec(text)?.groups?.['inside'];
  try {
    return JSON.parse(fenced ?? text) as unknown;
  } catch {
    return undefined;
  }
};

/** The fields of an untrusted value; none if it is not an object. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
