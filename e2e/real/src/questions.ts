import { readFileSync } from 'node:fs';
import type { Hit } from '@palimpsest/client';

/** A question, the files that answer it (paths in `documents`; several if they have the same content), and words of the answer. */
export type Question = Readonly<{ id: string; question: string; sources: readonly string[]; phrase: string }>;

type QuestionFile = Readonly<{
  /** Answered by one of the first three results. */
  questions: readonly Question[];
  /** Not answered yet, with the reason. Their ranks are reported to show improvements of retrieval, but not asserted. */
  notYetFound: readonly (Question & Readonly<{ why: string }>)[];
}>;

/** The questions were written from the files before any search; none was removed because it was not answered. */
export const { questions: QUESTIONS, notYetFound: NOT_YET_FOUND } = JSON.parse(
  readFileSync(new URL('./questions.json', import.meta.url), 'utf8'),
) as QuestionFile;

/** Whether a result is from the right file and contains the words, ignoring line breaks. */
export const answers = ({ source, text }: Hit, { sources, phrase }: Question): boolean =>
  sources.some((expected) => source === `documents/${expected}`) && squeezed(text).includes(squeezed(phrase));

const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ');
