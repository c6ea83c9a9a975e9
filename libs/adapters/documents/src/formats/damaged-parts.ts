import type { ZipContents } from '../detect/zip-contents.ts';
import { ParseRejection } from '../parse-rejection.ts';

/**
 * A sheet or slide that is cut off or no XML reads as an empty one, and what it held would be missing without a word. Gives the
 * warnings for some that are damaged; when all are, there is nothing to read.
 */
export async function damagedParts(zip: ZipContents | undefined, parts: RegExp, what: 'sheet' | 'slide'): Promise<readonly string[]> {
  const names = (zip?.names() ?? []).filter((name) => parts.test(name));
  let damaged = 0;
  for (const name of names) if (zip !== undefined && !(await zip.isWhole(name))) damaged++;
  if (damaged === 0) return [];
  if (damaged === names.length) throw new ParseRejection('corrupt', `None of the ${what}s can be read; the file is damaged.`);
  return [`${damaged} of ${names.length} ${what}s ${damaged === 1 ? 'is' : 'are'} damaged; what ${damaged === 1 ? 'it' : 'they'} held may be missing.`];
}
