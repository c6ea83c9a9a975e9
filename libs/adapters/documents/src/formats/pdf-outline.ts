import type { Heading, Page } from '@palimpsest/knowledge/ports';
import type { PdfDocument } from './pdf-document.ts';

type OutlineItem = Readonly<{ title: string; dest: string | unknown[] | null; items: readonly OutlineItem[] }>;
type Target = Readonly<{ title: string; level: number; page: number }>;

const DEEPEST = 6;
const MAX_ITEMS = 20_000;

async function pageIndexOf(pdf: PdfDocument, dest: OutlineItem['dest']): Promise<number | undefined> {
  try {
    const explicit = typeof dest === 'string' ? await pdf.getDestination(dest) : dest;
    const target: unknown = explicit?.[0];
    if (typeof target === 'number') return target;
    return typeof target === 'object' && target !== null
      ? await pdf.getPageIndex(target as Parameters<PdfDocument['getPageIndex']>[0])
      : undefined;
  } catch {
    return undefined;
  }
}

async function targetsOf(pdf: PdfDocument): Promise<Target[]> {
  const targets: Target[] = [];
  const walk = async (items: readonly OutlineItem[], level: number): Promise<void> => {
    for (const item of items) {
      if (targets.length >= MAX_ITEMS) return;
      const page = await pageIndexOf(pdf, item.dest);
      const title = item.title.replace(/\s+/g, ' ').trim();
      if (page !== undefined && title !== '') targets.push({ title, level: Math.min(level, DEEPEST), page });
      if (level < DEEPEST) await walk(item.items, level + 1);
    }
  };
  await walk(((await pdf.getOutline().catch(() => null)) ?? []) as readonly OutlineItem[], 1);
  return targets;
}

/** Letters and digits only, so that `1.2 Results` in the outline matches `1.2Results` on the page. */
const key = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/**
 * The bookmarks whose titles are separate lines on the page that they point to (a title may take up to three lines). Others
 * are omitted: a heading must be part of the text.
 */
export async function outlineHeadings(pdf: PdfDocument, text: string, pages: readonly Page[], max: number): Promise<Heading[]> {
  const headings: Heading[] = [];
  let from = 0;
  for (const { title, level, page } of await targetsOf(pdf)) {
    const start = Math.max(from, pages[page]?.start ?? text.length);
    const found = findLines(text, key(title), start, pages[page + 1]?.start ?? text.length);
    if (found === undefined) continue;
    headings.push({ level, title, ...found });
    from = found.end;
    if (headings.length >= max) break;
  }
  return headings;
}

function findLines(text: string, wanted: string, from: number, to: number): { start: number; end: number } | undefined {
  if (wanted === '') return undefined;
  for (let start = from; start < to;) {
    let end = start;
    let collected = '';
    for (let lines = 0; lines < 3 && end < to; lines++) {
      const lineEnd = text.indexOf('\n', end) === -1 ? text.length : text.indexOf('\n', end);
      collected += key(text.slice(end, lineEnd));
      if (collected === wanted || collected.replace(/^\d+/, '') === wanted) return { start, end: lineEnd };
      if (collected.length > wanted.length + 12) break;
      end = lineEnd + 1;
    }
    const next = text.indexOf('\n', start);
    if (next === -1) return undefined;
    start = next + 1;
    while (text[start] === '\n') start++;
  }
  return undefined;
}
