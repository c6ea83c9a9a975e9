import { InvalidValue } from '../errors.ts';

type Rule = Readonly<{ min?: number; max: number; trim?: boolean; pattern?: RegExp; expected?: string }>;

/** Half a surrogate pair is no text: the stores would give another one back. */
const text =
  (kind: string, { min = 0, max, trim = false, pattern, expected = '' }: Rule) =>
  (raw: unknown, field = kind): string => {
    const value = typeof raw === 'string' && trim ? raw.trim() : raw;
    const size = min === 0 ? `at most ${max}` : `${min}-${max}`;
    if (typeof value !== 'string' || value.length < min || value.length > max) throw new InvalidValue(field, `a text of ${size} characters`, raw);
    if (!value.isWellFormed()) throw new InvalidValue(field, 'well-formed Unicode, without lone surrogates', raw);
    if (pattern && !pattern.test(value)) throw new InvalidValue(field, expected, raw);
    return value;
  };

/* eslint-disable no-control-regex -- control characters are exactly what must not get in */
const ONE_LINE = /^[^\u0000-\u001f\u007f]*$/;
const WITHOUT_CONTROLS = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f]*$/;
const FILE_NAME = /^[^/\u0000-\u001f\u007f]*$/;
/* eslint-enable no-control-regex */
const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** As its owner gives it: 1-500 characters, without blanks around them. @throws InvalidValue */
export const documentTitle = text('title', { min: 1, max: 500, trim: true });
/** As it is shown: given, found in the file, or else the name of the file or source. @throws InvalidValue */
export const shownTitle = text('title', { min: 1, max: 1_024 });
/** A name without folders, 1-1,024 characters. @throws InvalidValue */
export const fileName = text('fileName', { min: 1, max: 1_024, pattern: FILE_NAME, expected: 'a file name without "/" and control characters' });
/** At most 200 characters in one line; a hint until the file was read. @throws InvalidValue */
export const mediaType = text('mediaType', { max: 200, pattern: ONE_LINE, expected: 'a media type without control characters' });
/** A BCP 47 tag such as `en`, or `und`. @throws InvalidValue */
export const languageTag = text('language', { min: 2, max: 35, pattern: LANGUAGE, expected: 'a language such as "en", or "und"' });
/** @throws InvalidValue */
export const knowledgeBaseName = text('name', { min: 1, max: 200, trim: true });
/** @throws InvalidValue */
export const knowledgeBaseDescription = text('description', { max: 2_000 });

/** Of one chunk: more than any chunker makes of a text. */
export const MAX_CHUNK_CHARS = 500_000;
/** The text of a chunk: not blank, no control characters but tab and line feed. @throws InvalidValue */
export const chunkText = (raw: unknown, field = 'text'): string => {
  const value = text('text', { min: 1, max: MAX_CHUNK_CHARS, pattern: WITHOUT_CONTROLS, expected: 'text without control characters' })(raw, field);
  if (value.trim() === '') throw new InvalidValue(field, 'text that is not blank', raw);
  return value;
};
/** A line or a few that a parser or chunker wrote: a heading, a warning, a value of metadata. @throws InvalidValue */
export const remark = text('text', { max: 10_000, pattern: WITHOUT_CONTROLS, expected: 'text without control characters' });
