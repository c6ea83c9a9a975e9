import WordExtractor from 'word-extractor';
import { cleanText } from '../clean-text.ts';
import { openCompound } from '../detect/compound-format.ts';
import type { Draft } from '../draft.ts';
import { ParseRejection } from '../parse-rejection.ts';

/** The flags in the file information block ([MS-DOC] 2.5.2): fEncrypted is bit 8 of the 16 bits at offset 10. */
const FLAGS_AT = 10;
const ENCRYPTED = 0x0100;

/** Reads Word 97-2003: body, notes and text boxes as plain text, without headings. */
export async function readWord97(bytes: Uint8Array): Promise<Draft> {
  const main = openCompound(bytes).stream('WordDocument');
  if (main === undefined || main.length < 32) throw new ParseRejection('corrupt', 'The Word document is damaged or incomplete.');
  if ((new DataView(main.buffer, main.byteOffset).getUint16(FLAGS_AT, true) & ENCRYPTED) !== 0)
    throw new ParseRejection('password', 'The Word document is protected by a password.');
  const document = await new WordExtractor().extract(Buffer.from(bytes));
  const parts = [
    document.getBody(),
    document.getTextboxes({ includeHeadersAndFooters: false }),
    document.getFootnotes(),
    document.getEndnotes(),
  ];
  const text = parts
    .map((part) =>
      cleanText(part)
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
    )
    .filter((part) => part !== '')
    .join('\n\n');
  return { kind: 'text', text, mediaType: 'application/msword' };
}
