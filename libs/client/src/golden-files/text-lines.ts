import type { Place, TextFile } from './golden-file.ts';

/** The lines of a file that are not blank. */
export const linesOf = ({ name, text }: TextFile): readonly Readonly<{ at: Place; text: string }>[] =>
  text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .flatMap((line, index) => (line.trim() === '' ? [] : [{ at: { file: name, line: index + 1 }, text: line }]));

/** Undefined for text that is no JSON: the place of the line says more than the message of the parser. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
