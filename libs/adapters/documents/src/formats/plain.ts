import { cleanText } from '../clean-text.ts';
import type { Draft } from '../draft.ts';

/** Keeps text unchanged: notes, logs, Org, reStructuredText, LaTeX. */
export const readText = (text: string, mediaType: string): Draft => ({ kind: 'text', text: cleanText(text), mediaType });

/** Keeps source code and data files unchanged. */
export const readCode = (text: string, mediaType: string, codeLanguage: string): Draft => ({
  kind: 'code',
  text: cleanText(text),
  mediaType,
  codeLanguage,
});
