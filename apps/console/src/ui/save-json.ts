/** Some browsers read a file only after the click, so it is released by the next one. */
let previous: string | undefined;

/** Without characters that a file system may refuse. */
export const fileNameOf = (...parts: readonly string[]): string => `${parts.join('-').replaceAll(/[^\w.-]+/g, '-')}.json`;

/** Saves a value as a file, as a download of the browser. */
export const saveJson = (name: string, value: unknown): void => {
  if (previous !== undefined) URL.revokeObjectURL(previous);
  previous = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2), '\n'], { type: 'application/json' }));
  Object.assign(document.createElement('a'), { href: previous, download: name }).click();
};
