import { cleanText } from '../clean-text.ts';
import type { Draft } from '../draft.ts';
import { htmlToMarkdown } from '../markdown/html-to-markdown.ts';
import type { ParserLimits } from '../parser-limits.ts';

export type MailParts = Readonly<{
  mediaType: string;
  subject?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cc?: string | undefined;
  /** ISO 8601 if it could be parsed. */
  date?: string | undefined;
  text?: string | undefined;
  html?: string | undefined;
  attachments: readonly string[];
}>;

/** Subject, header fields with the names of attachments, then the body. The subject is the only heading. */
export function mailDraft(mail: MailParts, limits: ParserLimits): Draft {
  const plain = cleanText(mail.text ?? '').trim();
  const page = plain === '' && mail.html !== undefined ? htmlToMarkdown(mail.html, limits, 'whole') : undefined;
  const body = plain === '' ? (page?.markdown ?? '') : plain;
  const oneLine = (value: string | undefined): string =>
    cleanText(value ?? '')
      .replace(/\s+/g, ' ')
      .trim();
  const subject = oneLine(mail.subject);
  const fields = [
    ['From', mail.from],
    ['To', mail.to],
    ['Cc', mail.cc],
    ['Date', mail.date],
    ['Attachments', mail.attachments.join(', ')],
  ] as const;
  const lines = fields
    .map(([name, value]) => [name, oneLine(value)] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`);
  const text = [subject, lines.join('\n'), body].filter((part) => part !== '').join('\n\n');
  const attached = mail.attachments.length;
  return {
    kind: 'text',
    text,
    mediaType: mail.mediaType,
    headings: subject === '' ? [] : [{ level: 1, title: subject, start: 0, end: subject.length }],
    metadata: { subject, from: mail.from, to: mail.to, cc: mail.cc, date: mail.date, attachments: mail.attachments },
    title: subject,
    warnings: [
      ...(page?.warnings ?? []),
      ...(attached > 0
        ? [
            `${attached} ${attached === 1 ? 'attachment was not read; only its name was kept' : 'attachments were not read; only their names were kept'}.`,
          ]
        : []),
      ...(body === '' ? ['The message has no body text.'] : []),
    ],
    emptyDetail: 'The message is empty.',
  };
}
