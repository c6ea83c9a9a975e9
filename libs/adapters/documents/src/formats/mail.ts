import PostalMime, { type Address, type Email } from 'postal-mime';
import type { Draft } from '../draft.ts';
import { humanCount } from '../human-size.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';
import { mailDraft } from './mail-draft.ts';

const DEEPEST_PART = 50;

const nameOf = (address: Address): string => {
  if (address.group !== undefined) return `${address.name}: ${address.group.map(nameOf).join(', ')}`;
  return address.name === '' ? address.address : `${address.name} <${address.address}>`;
};
const namesOf = (addresses: readonly Address[] | undefined): string | undefined => addresses?.map(nameOf).join(', ');

/** Lines that begin like a boundary, which is how often the reader would begin a part at most. */
function countBoundaries(bytes: Uint8Array, enough: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const boundary = /^content-type:[^\n]*(?:\r?\n[ \t][^\n]*)*?boundary\s*=\s*"?([^"\r\n;]{1,70})/im.exec(buffer.toString('latin1', 0, 200_000))?.[1];
  if (boundary === undefined) return 0;
  let count = 0;
  for (let at = buffer.indexOf(`\n--${boundary}`); at !== -1 && count <= enough; at = buffer.indexOf(`\n--${boundary}`, at + 1)) count++;
  return count;
}

/** An e-mail (RFC 5322, MIME). Attachments are named, not read. */
export async function readMail(bytes: Uint8Array, mediaType: string, limits: ParserLimits): Promise<Draft> {
  if (countBoundaries(bytes, limits.maxMailParts) > limits.maxMailParts) {
    throw new ParseRejection('too-large', `The message has more than ${humanCount(limits.maxMailParts)} parts, which is the most that is allowed.`);
  }
  let mail: Email;
  try {
    mail = await PostalMime.parse(bytes, { maxNestingDepth: DEEPEST_PART, forceRfc822Attachments: true });
  } catch (error) {
    if (/nesting|headers?\s*size|exceed/i.test((error as Error).message)) throw new ParseRejection('too-large', 'The message is nested too deeply, or its headers are too long.');
    throw error;
  }
  const attachments = mail.attachments.filter((part) => part.related !== true).map((part) => part.filename ?? part.mimeType);
  return mailDraft(
    { mediaType, subject: mail.subject, from: mail.from && nameOf(mail.from), to: namesOf(mail.to), cc: namesOf(mail.cc), date: mail.date, text: mail.text, html: mail.html, attachments },
    limits,
  );
}
