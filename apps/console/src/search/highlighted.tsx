import type { ReactNode } from 'react';
import { marksOf } from './marks.ts';

type Props = Readonly<{ text: string; highlights: readonly (readonly [start: number, end: number])[] }>;

/** A snippet with its matches highlighted. */
export function Highlighted({ text, highlights }: Props): ReactNode {
  return marksOf(text, highlights).map(({ at, part, marked }) => (marked ? <mark key={at}>{part}</mark> : part));
}
