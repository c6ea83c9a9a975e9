import type { DocumentVersion } from '@palimpsest/client';
import { AS_OF } from '../past/as-of.ts';

/** What of the versions is shown, from the address of the page: the text of one, or the difference of two. */
export type VersionChoice = Readonly<{ text: number }> | Readonly<{ from: number; to: number }> | undefined;

const numberIn = (parameters: URLSearchParams, name: string): number | undefined => {
  const value = Number(parameters.get(name));
  return Number.isInteger(value) && value > 0 ? value : undefined;
};

export const versionChoiceIn = (parameters: URLSearchParams): VersionChoice => {
  const [text, from, to] = [numberIn(parameters, 'version'), numberIn(parameters, 'from'), numberIn(parameters, 'to')];
  if (text !== undefined) return { text };
  return from !== undefined && to !== undefined ? { from, to } : undefined;
};

/** The address of a choice. The moment of the page is kept, the marked chunk of another text is not. */
export const withVersionChoice = (before: URLSearchParams, choice: VersionChoice): URLSearchParams => {
  const after = new URLSearchParams();
  const asOf = before.get(AS_OF);
  if (asOf !== null) after.set(AS_OF, asOf);
  if (choice !== undefined)
    for (const [name, value] of Object.entries('text' in choice ? { version: choice.text } : choice)) after.set(name, String(value));
  return after;
};

/** Only versions that were indexed have a text. Newest first. */
export const readableVersions = (versions: readonly DocumentVersion[]): readonly number[] =>
  versions
    .filter(({ status }) => status === 'indexed')
    .map(({ version }) => version)
    .sort((one, other) => other - one);
