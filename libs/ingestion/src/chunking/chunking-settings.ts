import type { ChunkingSettings } from '@palimpsest/knowledge/events';

/** Recorded by every knowledge base before settings became optional, unless its owner had chosen other values. */
const FORMER_DEFAULTS: ChunkingSettings = {
  markdown: { maxChars: 1_500 },
  tokens: { maxTokens: 500, overlap: 50, minTokens: 100 },
  sheets: { maxChars: 1_500 },
  code: { maxChars: 1_500, overlap: 200 },
};

/** The settings that an owner chose. The former defaults count as not chosen, since the two cannot be distinguished. */
export const chosenSettings = ({ markdown, tokens, sheets, code }: ChunkingSettings): ChunkingSettings => ({
  markdown: isFormerDefault('markdown', markdown) ? {} : markdown,
  tokens: isFormerDefault('tokens', tokens) ? {} : tokens,
  sheets: isFormerDefault('sheets', sheets) ? {} : sheets,
  code: isFormerDefault('code', code) ? {} : code,
});

const isFormerDefault = (kind: keyof ChunkingSettings, settings: Readonly<Record<string, number>>): boolean => {
  const former: Readonly<Record<string, number>> = FORMER_DEFAULTS[kind];
  return Object.keys(former).every((name) => settings[name] === former[name]);
};
