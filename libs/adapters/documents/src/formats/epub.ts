import { joinPages } from '../clean-text.ts';
import type { ZipContents } from '../detect/zip-contents.ts';
import type { Draft } from '../draft.ts';
import { humanCount } from '../human-size.ts';
import { htmlToMarkdown } from '../markdown/html-to-markdown.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';
import { decodeXmlEntities } from './office-properties.ts';

const attribute = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return value === null ? undefined : decodeXmlEntities(value[1] ?? value[2] ?? '');
};

const tags = (xml: string, name: string): string[] => xml.match(new RegExp(`<(?:\\w+:)?${name}\\s[^>]*>`, 'g')) ?? [];

const element = (xml: string, name: string): string | undefined => {
  const text = new RegExp(`<dc:${name}(?:\\s[^>]*)?>([^<]*)<`).exec(xml)?.[1];
  return text === undefined ? undefined : decodeXmlEntities(text).trim();
};

/** A path in the book, relative to the folder of the package file. */
function resolvePath(base: string, href: string): string {
  try {
    return decodeURIComponent(new URL(href.split('#')[0] ?? '', `file:///${base}`).pathname).replace(/^\//, '');
  } catch {
    // Not a valid address. No part has this name, so the chapter counts as missing.
    return href;
  }
}

/** Fonts may be scrambled without harm; anything else that is encrypted is rights management. */
async function rejectIfProtected(zip: ZipContents): Promise<void> {
  const encryption = (await zip.readText('META-INF/encryption.xml', 5_000_000)) ?? '';
  const locked = tags(encryption, 'CipherReference').some((tag) => /\.(x?html?|xml)$/i.test(attribute(tag, 'URI') ?? ''));
  if (locked) throw new ParseRejection('password', 'The book is protected by digital rights management.');
}

/** The chapters in reading order (the spine), as paths. */
function spineOf(opf: string, opfPath: string): string[] {
  const byId = new Map(tags(opf, 'item').map((tag) => [attribute(tag, 'id'), attribute(tag, 'href')]));
  const navigation = tags(opf, 'item')
    .filter((tag) => /\bnav\b/.test(attribute(tag, 'properties') ?? ''))
    .map((tag) => attribute(tag, 'href'));
  const paths = tags(opf, 'itemref')
    .map((tag) => byId.get(attribute(tag, 'idref')))
    .filter((href): href is string => href !== undefined && !navigation.includes(href))
    .map((href) => resolvePath(opfPath, href));
  // The format allows each chapter only once; hostile books repeat one a hundred thousand times.
  return [...new Set(paths)];
}

/** Whether this is decoded binary data: too many control and replacement characters. */
function isNoise(text: string): boolean {
  const sample = text.slice(0, 10_000);
  // eslint-disable-next-line no-control-regex -- intended
  return (sample.match(/[\u0000-\u0008\uFFFD]/g) ?? []).length > sample.length * 0.02;
}

/** Converts each chapter from HTML; a chapter is a page. */
export async function readEpub(zip: ZipContents, limits: ParserLimits): Promise<Draft> {
  await rejectIfProtected(zip);
  const container = (await zip.readText('META-INF/container.xml', 1_000_000)) ?? '';
  const opfPath = attribute(tags(container, 'rootfile')[0] ?? '', 'full-path') ?? '';
  const opf = await zip.readText(opfPath, 20_000_000);
  if (opf === undefined) throw new ParseRejection('corrupt', 'The book has no package file; it is damaged.');
  const chapters: string[] = [];
  const warnings = new Set<string>();
  let missing = 0;
  let total = 0;
  const spine = spineOf(opf, opfPath);
  if (spine.length > limits.maxPages) {
    throw new ParseRejection(
      'too-large',
      `The book has ${humanCount(spine.length)} chapters; at most ${humanCount(limits.maxPages)} are allowed.`,
    );
  }
  for (const path of spine) {
    const html = await zip.readText(path);
    if (html === undefined || isNoise(html)) {
      missing++;
      continue;
    }
    const chapter = htmlToMarkdown(html, limits, 'whole');
    for (const warning of chapter.warnings) warnings.add(warning);
    chapters.push(chapter.markdown);
    total += chapter.markdown.length;
    if (total > limits.maxTextChars)
      throw new ParseRejection(
        'too-large',
        `The book contains more than ${humanCount(limits.maxTextChars)} characters of text, which is the maximum.`,
      );
  }
  if (missing > 0) warnings.add(`${missing} ${missing === 1 ? 'chapter of the book is' : 'chapters of the book are'} missing or damaged.`);
  const title = element(opf, 'title');
  const metadata = {
    title,
    author: element(opf, 'creator'),
    publisher: element(opf, 'publisher'),
    date: element(opf, 'date'),
    description: element(opf, 'description'),
  };
  return {
    kind: 'markdown',
    ...joinPages(chapters.filter((chapter) => chapter !== '')),
    mediaType: 'application/epub+zip',
    metadata,
    title,
    warnings: [...warnings],
    emptyDetail: 'The book has no text.',
  };
}
