import PostalMime, { type Address, type Email } from 'postal-mime';
import type { Draft } from '../draft.ts';
import { humanCount } from '../human-size.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';
import { mailDraft } from './mail-draft.ts';

const DEEPEST_PART = 50;
/** Maximum size of the headers of one part. Parsing address lists takes quadratic time; 250 kB hold some six thousand addresses. */
const LONGEST_HEADERS = 250_000;

const nameOf = (address: Address): string => {
  if (address.group !== undefined) return `${address.name}: ${address.group.map(nameOf).join(', ')}`;
  return address.name === '' ? address.address : `${address.name} <${address.address}>`;
};
const namesOf = (addresses: readonly Address[] | undefined): string | undefined => addresses?.map(nameOf).join(', ');

const DECLARED = /boundary\s{0,20}=\s{0,20}"?([^"\r\n;]{1,200})/gi;
const LONGEST_BOUNDARY = 210;

/** Counts lines that start with a boundary declared anywhere in the file: the maximum number of parts that the reader would find. */
function countBoundaries(bytes: Uint8Array, enough: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const declared = new Set<string>();
  for (const [, boundary = ''] of text.matchAll(DECLARED)) declared.add(boundary.trimEnd());
  let count = 0;
  for (let at = text.indexOf('\n--'); at !== -1 && count <= enough; at = text.indexOf('\n--', at + 1)) {
    const line =
      text
        .slice(at + 3, at + 3 + LONGEST_BOUNDARY)
        .split(/[\r\n]/, 1)[0]
        ?.trimEnd() ?? '';
    if (declared.has(line) || declared.has(line.replace(/--$/, ''))) count++;
  }
  return count;
}

/** Reads an e-mail (RFC 5322, MIME). Only the names of attachments are kept. */
export async function readMail(bytes: Uint8Array, mediaType: string, limits: ParserLimits): Promise<Draft> {
  if (countBoundaries(bytes, limits.maxMailParts) > limits.maxMailParts) {
    throw new ParseRejection('too-large', `The message has more than ${humanCount(limits.maxMailParts)} parts, which is the maximum.`);
  }
  let mail: Email;
  try {
    mail = await PostalMime.parse(bytes, { maxNestingDepth: DEEPEST_PART, maxHeadersSize: LONGEST_HEADERS, forceRfc822Attachments: true });
  } catch (error) {
    if (/nesting|headers?\s*size|exceed/i.test((error as Error).message))
      throw new ParseRejection('too-large', 'The message is nested too deeply, or its headers are too long.');
    throw error;
  }
  const attachments = mail.attachments.filter((part) => part.related !== true).map((part) => part.filename ?? part.mimeType);
  return mailDraft(
    {
      mediaType,
      subject: mail.subject,
      from: mail.from && nameOf(mail.from),
      to: namesOf(mail.to),
      cc: namesOf(mail.cc),
      date: mail.date,
      text: mail.text,
      html: mail.html,
      attachments,
    },
    limits,
  );
}
