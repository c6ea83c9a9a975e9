import type { NewKnowledgeBase } from '@palimpsest/client';
import { UsageError } from '../failure.ts';

/** `default`: chunks of the size that follows from the embedding model. */
export type Size = number | 'default';

export const CHUNKER_NAMES = ['tokens', 'markdown'] as const;

export type ChunkingOptions = Readonly<{
  chunker: (typeof CHUNKER_NAMES)[number];
  size?: readonly Size[];
  overlap?: readonly number[];
  minTokens?: number;
}>;

/** One way to cut the texts. */
export type ChunkingToTry = Readonly<{
  /** For people. */
  label: string;
  /** The end of the ID of its knowledge base. */
  suffix: string;
  mediaType: string;
  /** As `POST /v1/knowledge-bases` takes them. */
  settings: NonNullable<NewKnowledgeBase['chunking']>;
}>;

/** Without options: the default, three sizes without overlap, and the middle one with the largest overlap that is accepted. */
const TOKENS: readonly (readonly [size: Size, overlap: number])[] = [
  ['default', 0],
  [200, 0],
  [400, 0],
  [400, 100],
  [800, 0],
];
const TOKEN_SIZES: readonly Size[] = [200, 400, 800];
const MARKDOWN_SIZES: readonly Size[] = ['default', 800, 1_600, 3_200];

/** @throws UsageError if an option does not belong to the chunker */
export const chunkingsFrom = ({ chunker, size, overlap, minTokens }: ChunkingOptions): readonly ChunkingToTry[] => {
  if (chunker === 'markdown') {
    if (overlap !== undefined || minTokens !== undefined) throw new UsageError('--overlap and --min-tokens belong to --chunker tokens');
    return unique((size ?? MARKDOWN_SIZES).map(markdown));
  }
  if (size === undefined && overlap === undefined) return unique(TOKENS.map(([each, shared]) => tokens(each, shared, minTokens)));
  const overlaps = overlap ?? [0];
  return unique((size ?? TOKEN_SIZES).flatMap((each) => overlaps.map((shared) => tokens(each, shared, minTokens))));
};

const tokens = (size: Size, overlap: number, minTokens: number | undefined): ChunkingToTry => {
  const [mediaType, name] = ['text/plain', 'tokens'];
  if (size === 'default') return { label: `${name} default`, suffix: `${name}-default`, mediaType, settings: {} };
  const isFormer = size === 500 && overlap === 50 && minTokens === 100;
  if (isFormer)
    throw new UsageError(
      '--size 500 --overlap 50 --min-tokens 100: expected other numbers, because the server takes these former defaults for "default"',
    );
  const [label, suffix] = [`${name} ${size}, overlap ${overlap}`, `${name}-${size}-${overlap}`];
  if (minTokens === undefined) return { label, suffix, mediaType, settings: { tokens: { maxTokens: size, overlap } } };
  const settings = { tokens: { maxTokens: size, overlap, minTokens } };
  return { label: `${label}, at least ${minTokens}`, suffix: `${suffix}-m${minTokens}`, mediaType, settings };
};

const markdown = (size: Size): ChunkingToTry => {
  const [mediaType, name] = ['text/markdown', 'markdown'];
  if (size === 1_500)
    throw new UsageError('--size 1500: expected another number, because the server takes this former default for "default"');
  const settings = size === 'default' ? {} : { markdown: { maxChars: size } };
  return { label: `${name} ${size}`, suffix: `${name}-${size}`, mediaType, settings };
};

const unique = (all: readonly ChunkingToTry[]): readonly ChunkingToTry[] => [...new Map(all.map((each) => [each.suffix, each])).values()];
