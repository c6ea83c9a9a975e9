import { TooLarge, UnsupportedMediaType, type BodyKind } from '@palimpsest/runtime';

const KIB = 1024;
const MIB = 1024 * KIB;

export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'multipart/form-data';
export const LINES_TYPE = 'application/x-ndjson';

/** Of each media type that a route reads: how many bytes, or no limit where the body is worked on as it arrives. */
export type BodyRule = Readonly<Record<string, number | undefined>>;

/** `maxDocumentBytes`: of one document. JSON around it, and its escapes, may take a MiB. */
export const bodyRules = (maxDocumentBytes: number): Readonly<Record<BodyKind, BodyRule>> => ({
  command: { [JSON_TYPE]: 64 * KIB },
  'large-command': { [JSON_TYPE]: MIB },
  documents: { [JSON_TYPE]: maxDocumentBytes + MIB, [FORM_TYPE]: undefined },
  lines: { [LINES_TYPE]: undefined },
});

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export const hasBody = (headers: Headers): boolean => headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** What is wrong with a body can mostly be said before any of it is read. @throws UnsupportedMediaType, TooLarge */
export const checkBody = (headers: Headers, rule: BodyRule): void => {
  if (!hasBody(headers)) return;
  const coding = String(headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding !== 'identity') throw new UnsupportedMediaType(`the body has the Content-Encoding "${coding}", and only bodies without one are read`);
  const type = String(headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!(type in rule)) throw new UnsupportedMediaType(`the body has ${type === '' ? 'no Content-Type' : `the Content-Type "${type}"`}, and this route reads ${Object.keys(rule).join(' or ')}`);
  const most = rule[type];
  if (most !== undefined && Number(headers['content-length'] ?? 0) > most) throw new TooLarge('the body', most);
};

/** What a body counts for in the budget of those that are read at the same time: one of no stated length as much as it may be. */
export const countedBytes = (headers: Headers, rule: BodyRule, mostBytes: number): number => {
  if (!hasBody(headers)) return 0;
  const type = String(headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const most = Math.min(rule[type] ?? mostBytes, mostBytes);
  return headers['transfer-encoding'] === undefined ? Math.min(Number(headers['content-length']), most) : most;
};
