import { CHUNKERS, type ChunkerName, type ChunkingSettings } from '@palimpsest/knowledge/values';

/** Settings with a part for each chunker. */
export type ChosenSettings = Required<ChunkingSettings>;

/** Recorded by every knowledge base before settings became optional, unless its owner had chosen other values. */
const FORMER_DEFAULTS: ChunkingSettings = {
  markdown: { maxChars: 1_500 },
  tokens: { maxTokens: 500, overlap: 50, minTokens: 100 },
  sheets: { maxChars: 1_500 },
  code: { maxChars: 1_500, overlap: 200 },
};

const NAMES = Object.keys(CHUNKERS) as ChunkerName[];

/** The settings that an owner chose. The former defaults count as not chosen, since the two cannot be distinguished. */
export const chosenSettings = (settings: ChunkingSettings): ChosenSettings =>
  Object.fromEntries(NAMES.map((name) => [name, isFormerDefault(name, settings) ? {} : (settings[name] ?? {})])) as ChosenSettings;

const isFormerDefault = (name: ChunkerName, settings: ChunkingSettings): boolean => {
  const [former, given] = [FORMER_DEFAULTS[name], settings[name]] as (Readonly<Record<string, number>> | undefined)[];
  return former !== undefined && given !== undefined && Object.keys(former).every((number) => given[number] === former[number]);
};
