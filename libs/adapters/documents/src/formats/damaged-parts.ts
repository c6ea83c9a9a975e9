import type { ZipContents } from '../detect/zip-contents.ts';
import { ParseRejection } from '../parse-rejection.ts';

/** Where the sheets or slides of a file are stored, and the part that lists them. */
export type Parts = Readonly<{ what: 'sheet' | 'slide'; folder: string; list: string; isPart: RegExp }>;

export const SLIDES: Parts = {
  what: 'slide',
  folder: 'ppt/',
  list: 'ppt/_rels/presentation.xml.rels',
  isPart: /^ppt\/slides\/[^/]+\.xml$/,
};
export const SHEETS: Parts = { what: 'sheet', folder: 'xl/', list: 'xl/_rels/workbook.xml.rels', isPart: /^xl\/worksheets\/[^/]+\.xml$/ };

const LONGEST_LIST = 5_000_000;

/** The parts that exist, and those that are listed. */
async function partsOf(zip: ZipContents, { folder, list, isPart }: Parts): Promise<readonly string[]> {
  const listed = (await zip.readText(list, LONGEST_LIST).catch(() => undefined)) ?? '';
  const targets = Array.from(listed.matchAll(/\bTarget\s*=\s*["']([^"'<>]{1,300})["']/g), ([, target = '']) =>
    target.startsWith('/') ? target.slice(1) : `${folder}${target}`,
  );
  return [...new Set([...zip.names(), ...targets])].filter((name) => isPart.test(name));
}

/**
 * Readers treat a sheet or slide that is missing, incomplete or not XML as empty, so its content would be lost silently. Returns a
 * warning if some parts are damaged. Rejects the file if all are.
 */
export async function damagedParts(zip: ZipContents | undefined, parts: Parts): Promise<readonly string[]> {
  if (zip === undefined) return [];
  const names = await partsOf(zip, parts);
  let damaged = 0;
  for (const name of names) if (!(await zip.isWhole(name))) damaged++;
  if (damaged === 0) return [];
  if (damaged === names.length) throw new ParseRejection('corrupt', `None of the ${parts.what}s can be read; the file is damaged.`);
  return [
    `${damaged} of ${names.length} ${parts.what}s ${damaged === 1 ? 'is' : 'are'} damaged; ${damaged === 1 ? 'its' : 'their'} content may be missing.`,
  ];
}
