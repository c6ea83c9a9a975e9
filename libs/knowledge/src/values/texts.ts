import { InvalidValue } from '../errors.ts';
import { LENGTHS } from './value-limits.ts';

/** `blank`: false rejects a text of white space. */
type Rule = Readonly<{ min?: number; max: number; trim?: boolean; blank?: false; pattern?: RegExp; expected?: string }>;

/** Lone surrogates are rejected: stores would replace them, so the text read back would differ. */
const text =
  (kind: string, { min = 0, max, trim = false, blank, pattern, expected = '' }: Rule) =>
  (raw: unknown, field = kind): string => {
    const value = typeof raw === 'string' && trim ? raw.trim() : raw;
    const size = min === 0 ? `at most ${max}` : `${min}-${max}`;
    if (typeof value !== 'string' || value.length < min || value.length > max)
      throw new InvalidValue(field, `a string of ${size} characters`, raw);
    if (blank === false && value.trim() === '') throw new InvalidValue(field, 'a text that is not blank', raw);
    if (!value.isWellFormed()) throw new InvalidValue(field, 'well-formed Unicode, without lone surrogates', raw);
    if (pattern && !pattern.test(value)) throw new InvalidValue(field, expected, raw);
    return value;
  };

/* eslint-disable no-control-regex -- the expressions exclude control characters */
const ONE_LINE = /^[^\u0000-\u001f\u007f]*$/;
const WITHOUT_CONTROLS = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f]*$/;
const FILE_NAME = /^[^/\u0000-\u001f\u007f]*$/;
/* eslint-enable no-control-regex */
const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** The title that the user gives, not empty after trimming. @throws InvalidValue */
export const documentTitle = text('title', { min: 1, max: LENGTHS.title, trim: true });
/** The displayed title: given by the user, found in the file, or the name of the file or source. @throws InvalidValue */
export const shownTitle = text('title', { min: 1, max: LENGTHS.shownTitle, blank: false });
/** A name without folders, not blank. @throws InvalidValue */
export const fileName = text('fileName', {
  min: 1,
  max: LENGTHS.fileName,
  blank: false,
  pattern: FILE_NAME,
  expected: 'a file name without "/" or control characters',
});
/** One line. Only a hint until the file has been parsed. @throws InvalidValue */
export const mediaType = text('mediaType', {
  max: LENGTHS.mediaType,
  pattern: ONE_LINE,
  expected: 'a media type without control characters',
});
/** A BCP 47 tag such as `en`, or `und`. @throws InvalidValue */
export const languageTag = text('language', {
  min: 2,
  max: LENGTHS.language,
  pattern: LANGUAGE,
  expected: 'a language tag such as "en", or "und"',
});
/** @throws InvalidValue */
export const knowledgeBaseName = text('name', { min: 1, max: LENGTHS.knowledgeBaseName, trim: true });
/** @throws InvalidValue */
export const knowledgeBaseDescription = text('description', { max: LENGTHS.knowledgeBaseDescription });

/** The text of a chunk: not blank, no control characters except tab and line feed. @throws InvalidValue */
export const chunkText = (raw: unknown, field = 'text'): string => {
  const value = text('text', { min: 1, max: LENGTHS.chunkText, pattern: WITHOUT_CONTROLS, expected: 'text without control characters' })(
    raw,
    field,
  );
  if (value.trim() === '') throw new InvalidValue(field, 'text that is not blank', raw);
  return value;
};
/** A short text from a parser or chunker: a heading, a warning, a metadata value. @throws InvalidValue */
export const remark = text('text', { max: LENGTHS.remark, pattern: WITHOUT_CONTROLS, expected: 'text without control characters' });
