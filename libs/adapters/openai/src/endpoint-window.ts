import type { TextWindow } from '@palimpsest/knowledge/ports';
import { estimatedTokens } from './estimated-tokens.ts';
import type { OpenAiSettings } from './openai-options.ts';

/** The token limit of a passage without its prefix. The platform counts at most 16 characters per token. */
export const endpointWindow = ({ maxTokens, maxChars, passagePrefix }: OpenAiSettings): TextWindow => ({
  tokenizer: 'estimate',
  count: estimatedTokens,
  tokens: Math.max(1, Math.min(maxTokens - estimatedTokens(passagePrefix), Math.floor((maxChars - passagePrefix.length) / 16))),
});
