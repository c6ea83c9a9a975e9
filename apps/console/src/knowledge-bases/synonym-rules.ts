import { ProblemError } from '@palimpsest/client';

/** A line each. */
export const rulesText = (synonyms: readonly string[] = []): string => synonyms.join('\n');

const isRule = (line: string): boolean => line.trim() !== '' && !line.trim().startsWith('#');

/** Empty lines and comments are left out, as in a synonym file of the command line. */
export const rulesIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter(isRule)
    .map((line) => line.trim());

const PLACE = /^synonyms(?:\[(\d+)\])?$/;

/** What the server refuses in these rules, with the number of the line. */
export const rulesProblem = (text: string, error: unknown): string | undefined => {
  if (!(error instanceof ProblemError)) return undefined;
  const place = PLACE.exec(error.field ?? '');
  if (place === null) return undefined;
  const expected = `be ${error.expected ?? 'valid'}.`;
  if (place[1] === undefined) return `Must ${expected}`;
  const lines = text.split('\n').flatMap((line, index) => (isRule(line) ? [index + 1] : []));
  return `Line ${lines[Number(place[1])] ?? '?'} must ${expected}`;
};
