import msgreader from '@kenjiuno/msgreader';
import type { Draft } from '../draft.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';
import { mailDraft } from './mail-draft.ts';

const person = (name: string | undefined, address: string | undefined): string =>
  name === undefined || name === address
    ? (address ?? '')
    : address === undefined || !address.includes('@')
      ? name
      : `${name} <${address}>`;

const isoDate = (date: string | undefined): string | undefined => {
  const time = Date.parse(date ?? '');
  return Number.isNaN(time) ? date : new Date(time).toISOString();
};

/** Reads a message saved by Outlook (.msg). */
export function readOutlook(bytes: Uint8Array, limits: ParserLimits): Draft {
  // A CommonJS module: the class is the `default` of Node's default export.
  const mail = new msgreader.default(bytes.slice().buffer).getFileData();
  if (mail.error !== undefined) throw new ParseRejection('corrupt', 'The Outlook message is damaged.');
  const recipients = (kind: string): string =>
    (mail.recipients ?? [])
      .filter((recipient) => (recipient.recipType ?? 'to') === kind)
      .map((recipient) => person(recipient.name, recipient.smtpAddress ?? recipient.email))
      .join(', ');
  return mailDraft(
    {
      mediaType: 'application/vnd.ms-outlook',
      subject: mail.subject,
      from: person(mail.senderName, mail.senderSmtpAddress ?? mail.senderEmail),
      to: recipients('to'),
      cc: recipients('cc'),
      date: isoDate(mail.messageDeliveryTime ?? mail.clientSubmitTime),
      text: mail.body,
      html: mail.bodyHtml ?? (mail.html === undefined ? undefined : new TextDecoder('utf-8').decode(mail.html)),
      attachments: (mail.attachments ?? []).map((attachment) => attachment.fileName ?? attachment.name ?? 'unnamed'),
    },
    limits,
  );
}
