import { joinPages } from '../clean-text.ts';
import { openCompound } from '../detect/compound-format.ts';
import type { Draft } from '../draft.ts';
import { ParseRejection } from '../parse-rejection.ts';

/** Record types of [MS-PPT] 2.13.24. */
const TYPE = { slideList: 0x0ff0, slideBegins: 0x03f3, textKind: 0x0f9f, textUtf16: 0x0fa0, textLatin: 0x0fa8, directory: 0x1772 } as const;
/** `instance` of the list of slides, as opposed to masters (1) and notes (2). */
const LIST_OF_SLIDES = 0;
/** Kinds of text that are titles: title and centred title. */
const TITLE_KINDS = new Set([0, 6]);
const HEADER_BYTES = 8;
const DEEPEST = 30;
/** The token in the "Current User" stream of an encrypted file ([MS-PPT] 2.3.2). */
const ENCRYPTED_TOKEN = 0xf3d1c4df;

type PptRecord = Readonly<{ type: number; instance: number; isContainer: boolean; start: number; end: number }>;
type Slide = { persistId: number; texts: string[] };

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function* recordsIn(view: DataView, from: number, to: number): Generator<PptRecord> {
  for (let at = from; at + HEADER_BYTES <= to;) {
    const first = view.getUint16(at, true);
    const start = at + HEADER_BYTES;
    const end = Math.min(to, start + view.getUint32(at + 4, true));
    yield { type: view.getUint16(at + 2, true), instance: first >> 4, isContainer: (first & 0xf) === 0xf, start, end };
    at = end;
  }
}

/** The offset of each persistent object; later directories (later saves) override earlier ones ([MS-PPT] 2.3.4). */
function readDirectories(view: DataView): Map<number, number> {
  const offsets = new Map<number, number>();
  for (const record of recordsIn(view, 0, view.byteLength)) {
    if (record.type !== TYPE.directory) continue;
    for (let at = record.start; at + 4 <= record.end;) {
      const entry = view.getUint32(at, true);
      const [firstId, count] = [entry & 0xfffff, entry >>> 20];
      at += 4;
      for (let index = 0; index < count && at + 4 <= record.end; index++, at += 4) offsets.set(firstId + index, view.getUint32(at, true));
    }
  }
  return offsets;
}

/** Reads a text record as Markdown: a title becomes a heading. */
function textIn(view: DataView, record: PptRecord, isTitle: boolean): string {
  const bytes = Buffer.from(view.buffer, view.byteOffset + record.start, record.end - record.start);
  // A vertical tab is a line break inside a paragraph, a carriage return ends a paragraph.
  const text = bytes
    .toString(record.type === TYPE.textUtf16 ? 'utf16le' : 'latin1')
    .replaceAll('\v', ' ')
    .trim();
  if (text === '') return '';
  return isTitle ? `# ${text.replace(/\s+/g, ' ')}` : text.replace(/(?:\s*\r)+\s*/g, '\n\n');
}

/** All texts within a container, at any depth (the text boxes of a slide). */
function textsWithin(view: DataView, from: number, to: number, depth: number): string[] {
  const texts: string[] = [];
  let isTitle = false;
  for (const record of recordsIn(view, from, to)) {
    if (record.isContainer && depth < DEEPEST) texts.push(...textsWithin(view, record.start, record.end, depth + 1));
    else if (record.type === TYPE.textKind && record.end - record.start >= 4) isTitle = TITLE_KINDS.has(view.getUint32(record.start, true));
    else if (record.type === TYPE.textUtf16 || record.type === TYPE.textLatin) texts.push(textIn(view, record, isTitle));
  }
  return texts.filter((text) => text !== '');
}

/** The slides in order with their outline text (placeholders). */
function outlineSlides(view: DataView): Slide[] {
  const slides: Slide[] = [];
  for (const outer of recordsIn(view, 0, view.byteLength)) {
    if (!outer.isContainer) continue;
    for (const list of recordsIn(view, outer.start, outer.end)) {
      if (list.type !== TYPE.slideList || list.instance !== LIST_OF_SLIDES) continue;
      let isTitle = false;
      for (const record of recordsIn(view, list.start, list.end)) {
        if (record.type === TYPE.slideBegins && record.end - record.start >= 4)
          slides.push({ persistId: view.getUint32(record.start, true), texts: [] });
        else if (record.type === TYPE.textKind && record.end - record.start >= 4)
          isTitle = TITLE_KINDS.has(view.getUint32(record.start, true));
        else if (record.type === TYPE.textUtf16 || record.type === TYPE.textLatin) slides.at(-1)?.texts.push(textIn(view, record, isTitle));
      }
    }
  }
  return slides;
}

function slideTexts(view: DataView): string[] {
  const offsets = readDirectories(view);
  return outlineSlides(view).map(({ persistId, texts }) => {
    const [slide] = recordsIn(view, offsets.get(persistId) ?? view.byteLength, view.byteLength);
    const inBoxes = slide === undefined ? [] : textsWithin(view, slide.start, slide.end, 0);
    return [...new Set([...texts, ...inBoxes])].filter((text) => text !== '').join('\n\n');
  });
}

/** Reads PowerPoint 97-2003: titles, placeholders and text boxes of slides. Tables lose their structure; charts and notes are omitted. */
export function readPowerPoint97(bytes: Uint8Array): Draft {
  const compound = openCompound(bytes);
  const user = compound.stream('Current User');
  if (user !== undefined && user.length >= 16 && viewOf(user).getUint32(12, true) === ENCRYPTED_TOKEN) {
    throw new ParseRejection('password', 'The presentation is protected by a password.');
  }
  const { text, pages } = joinPages(slideTexts(viewOf(compound.stream('PowerPoint Document') ?? new Uint8Array(0))));
  return {
    kind: 'markdown',
    text,
    mediaType: 'application/vnd.ms-powerpoint',
    pages,
    warnings: ['Only the text on the slides was read from this old PowerPoint file. Save it as .pptx to include notes and tables.'],
    emptyDetail: 'The presentation has no text; images and charts on its slides are not read.',
  };
}
