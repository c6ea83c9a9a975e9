import { cleanText } from '../clean-text.ts';
import type { Draft } from '../draft.ts';

/** Text as it is: notes, logs, Org, reStructuredText, LaTeX. */
export const readText = (text: string, mediaType: string): Draft => ({ kind: 'text', text: cleanText(text), mediaType });

/** Source code and data files as they are. */
export const readCode = (text: string, mediaType: string, codeLanguage: string): Draft => ({ kind: 'code', text: cleanText(text), mediaType, codeLanguage });
