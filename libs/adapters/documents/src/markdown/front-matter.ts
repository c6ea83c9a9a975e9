import { parse } from 'yaml';

export type FrontMatter = Readonly<{ body: string; data: Readonly<Record<string, unknown>>; warnings: readonly string[] }>;

/** Longer front matter is ordinary text, or an attack on the YAML parser. */
const LONGEST = 64 * 1024;
/** No `(a|b)*` here: the closing line is searched separately, so that a file of dashes costs nothing. */
const OPENING = /^---[ \t]*\n/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*$/m;

/**
 * Removes YAML front matter from a Markdown text with `\n` line ends. It is parsed as plain data: no tags, no code (`gray-matter`
 * would run JavaScript from the document), few aliases.
 */
export function stripFrontMatter(text: string): FrontMatter {
  const none = { body: text, data: {}, warnings: [] };
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return none;
  const rest = text.slice(opening.length, opening.length + LONGEST);
  const closing = CLOSING.exec(rest);
  if (closing === null) return none;
  const body = text.slice(opening.length + closing.index + closing[0].length).replace(/^\n+/, '');
  try {
    const data: unknown = parse(rest.slice(0, closing.index), { maxAliasCount: 20, schema: 'core', logLevel: 'error' });
    if (typeof data === 'object' && data !== null && !Array.isArray(data))
      return { body, data: data as Record<string, unknown>, warnings: [] };
    // Ordinary text between two rules, or nothing.
    return data === null ? { ...none, body } : none;
  } catch {
    return { body, data: {}, warnings: ['The front matter is not valid YAML and was omitted.'] };
  }
}
