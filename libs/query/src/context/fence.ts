import { SYSTEM, type Random } from '@palimpsest/foundation';
import type { ContextHit } from './context-hit.ts';

const DIGITS = 18;

/**
 * One of 10^18 values: the author of a document cannot know it, nor guess it in any practical number of tries. Digits, because
 * tokenizers split them into groups of three, so every fence costs the same number of tokens.
 */
const draw = (random: Random): string => String(random.bytes(8).readBigUInt64LE() % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0');

const holds = ({ title, contextPrefix, text }: ContextHit, fence: string): boolean =>
  [title, contextPrefix, text].some((part) => part.includes(fence));

/**
 * The mark of one context: lines that contain it are the platform's own, everything else is quoted. It is new for each request and
 * does not occur in any of the texts, so a document can neither begin nor end an excerpt.
 */
export const fenceFor = (hits: readonly ContextHit[], drawn: () => string = () => draw(SYSTEM.random)): string => {
  for (;;) {
    const fence = drawn();
    if (!hits.some((hit) => holds(hit, fence))) return fence;
  }
};

/** Line that begins an excerpt and labels it. */
export const opening = (fence: string, label: string): string => `=== ${fence} ${label}`;

/** Line that ends a passage. */
export const closing = (fence: string): string => `=== ${fence} end`;
