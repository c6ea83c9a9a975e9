import type { BodyKind } from '@palimpsest/contracts/http';
import { TooLarge, UnsupportedMediaType } from '../problems/http-errors.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'multipart/form-data';
export const LINES_TYPE = 'application/x-ndjson';

/** Maximum number of bytes for each media type that a route reads; undefined if the body is streamed and has no limit. */
export type BodyRule = Readonly<Record<string, number | undefined>>;

/** `maxDocumentBytes`: limit of one document. Its JSON envelope and escapes may take one more MiB. */
export const bodyRules = (maxDocumentBytes: number): Readonly<Record<BodyKind, BodyRule>> => ({
  command: { [JSON_TYPE]: 64 * KIB },
  'large-command': { [JSON_TYPE]: MIB },
  documents: { [JSON_TYPE]: maxDocumentBytes + MIB, [FORM_TYPE]: undefined },
  lines: { [LINES_TYPE]: undefined },
});

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const hasBody = (headers: Headers): boolean => headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Checks the headers of a body before it is read. @throws UnsupportedMediaType, TooLarge */
export const checkBody = (headers: Headers, rule: BodyRule): void => {
  if (!hasBody(headers)) return;
  const coding = String(headers['content-encoding'] ?? 'identity')
    .trim()
    .toLowerCase();
  if (coding !== 'identity')
    throw new UnsupportedMediaType(`the body has the Content-Encoding "${coding}"; only bodies without a Content-Encoding are supported`);
  const type =
    String(headers['content-type'] ?? '')
      .split(';', 1)[0]
      ?.trim()
      .toLowerCase() ?? '';
  if (!(type in rule))
    throw new UnsupportedMediaType(
      `the body has ${type === '' ? 'no Content-Type' : `the Content-Type "${type}"`}, but this route reads ${Object.keys(rule).join(' or ')}`,
    );
  const max = rule[type];
  if (max !== undefined && Number(headers['content-length'] ?? 0) > max) throw new TooLarge('the body', max);
};

/** Bytes that a body takes from the budget of concurrently read bodies. A body without a stated length counts as its maximum. */
export const countedBytes = (headers: Headers, rule: BodyRule, maxBytes: number): number => {
  if (!hasBody(headers)) return 0;
  const type =
    String(headers['content-type'] ?? '')
      .split(';', 1)[0]
      ?.trim()
      .toLowerCase() ?? '';
  const max = Math.min(rule[type] ?? maxBytes, maxBytes);
  return headers['transfer-encoding'] === undefined ? Math.min(Number(headers['content-length']), max) : max;
};
