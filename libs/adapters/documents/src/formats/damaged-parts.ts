import type { ZipContents } from '../detect/zip-contents.ts';
import { ParseRejection } from '../parse-rejection.ts';

/** Where the sheets or slides of a file lie, and what lists them. */
export type Parts = Readonly<{ what: 'sheet' | 'slide'; folder: string; list: string; isPart: RegExp }>;

export const SLIDES: Parts = { what: 'slide', folder: 'ppt/', list: 'ppt/_rels/presentation.xml.rels', isPart: /^ppt\/slides\/[^/]+\.xml$/ };
export const SHEETS: Parts = { what: 'sheet', folder: 'xl/', list: 'xl/_rels/workbook.xml.rels', isPart: /^xl\/worksheets\/[^/]+\.xml$/ };

const LONGEST_LIST = 5_000_000;

/** Those that are there, and those that should be. */
async function partsOf(zip: ZipContents, { folder, list, isPart }: Parts): Promise<readonly string[]> {
  const listed = (await zip.readText(list, LONGEST_LIST).catch(() => undefined)) ?? '';
  const targets = Array.from(listed.matchAll(/\bTarget\s*=\s*["']([^"'<>]{1,300})["']/g), ([, target = '']) => (target.startsWith('/') ? target.slice(1) : `${folder}${target}`));
  return [...new Set([...zip.names(), ...targets])].filter((name) => isPart.test(name));
}

/**
 * A sheet or slide that is missing, cut off or no XML reads as an empty one, and what it held would be missing without a word. Gives
 * the warnings for some that are damaged; when all are, there is nothing to read.
 */
export async function damagedParts(zip: ZipContents | undefined, parts: Parts): Promise<readonly string[]> {
  if (zip === undefined) return [];
  const names = await partsOf(zip, parts);
  let damaged = 0;
  for (const name of names) if (!(await zip.isWhole(name))) damaged++;
  if (damaged === 0) return [];
  if (damaged === names.length) throw new ParseRejection('corrupt', `None of the ${parts.what}s can be read; the file is damaged.`);
  return [`${damaged} of ${names.length} ${parts.what}s ${damaged === 1 ? 'is' : 'are'} damaged; what ${damaged === 1 ? 'it' : 'they'} held may be missing.`];
}
