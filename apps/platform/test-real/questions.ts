import { readFileSync } from 'node:fs';
import type { Hit } from '@palimpsest/client';

/** A question, the files that answer it (paths inside `documents`; several when they say the same), and words of the answer. */
export type Question = Readonly<{ id: string; question: string; sources: readonly string[]; phrase: string }>;

type Asked = Readonly<{
  /** Answered by one of the first three hits. */
  questions: readonly Question[];
  /** Not so yet, and why. They are asked and reported, so that whoever improves retrieval sees it; nothing is asserted of them. */
  notYetFound: readonly (Question & Readonly<{ why: string }>)[];
}>;

/** Written from the files, before any of them was searched; none was taken out because it was not answered. */
export const { questions: QUESTIONS, notYetFound: NOT_YET_FOUND } = JSON.parse(readFileSync(new URL('./questions.json', import.meta.url), 'utf8')) as Asked;

/** Whether a hit is of the right file and holds the words; where a parser breaks a line does not matter. */
export const answers = ({ source, text }: Hit, { sources, phrase }: Question): boolean =>
  sources.some((expected) => source === `documents/${expected}`) && squeezed(text).includes(squeezed(phrase));

const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ');
