import { randomBytes } from 'node:crypto';
import type { ContextHit } from './context-hit.ts';

const DIGITS = 18;

/**
 * One of 10^18: whoever wrote a document cannot have known it, nor try often enough to guess it. Digits, since token counters take
 * them three at a time: every mark costs the same.
 */
const draw = (): string => String(randomBytes(8).readBigUInt64LE() % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0');

const holds = ({ title, contextPrefix, text }: ContextHit, fence: string): boolean => [title, contextPrefix, text].some((part) => part.includes(fence));

/**
 * The mark of one context: lines that hold it are the platform's own, everything else is quoted. New for each request, and in
 * none of the texts, so that no document can begin or end an excerpt.
 */
export const fenceFor = (hits: readonly ContextHit[], drawn: () => string = draw): string => {
  for (;;) {
    const fence = drawn();
    if (!hits.some((hit) => holds(hit, fence))) return fence;
  }
};

/** Begins the excerpt that it labels. */
export const opening = (fence: string, label: string): string => `=== ${fence} ${label}`;

/** Ends a passage. */
export const closing = (fence: string): string => `=== ${fence} end`;
