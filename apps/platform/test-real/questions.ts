import { readFileSync } from 'node:fs';

/** A question, the files that answer it (paths inside `documents`; twins in several formats), and words of the answer. */
export type Question = Readonly<{ id: string; question: string; sources: readonly string[]; phrase: string }>;

/** Written from the files, before any of them was searched. Whoever changes one says why in the commit. */
export const QUESTIONS = JSON.parse(readFileSync(new URL('./questions.json', import.meta.url), 'utf8')) as readonly Question[];
