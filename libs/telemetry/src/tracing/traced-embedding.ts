import { SpanKind } from '@opentelemetry/api';
import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';
import { delegating } from '../delegating.ts';
import { inSpan } from './spans.ts';

/** A span for each call of the model, with the number and kind of texts, never their contents. */
export const tracedEmbedding = (provider: EmbeddingProvider): EmbeddingProvider =>
  delegating(provider, {
    embed: (texts, kind, signal) => {
      const attributes = {
        'palimpsest.embedding.version': provider.version,
        'palimpsest.embedding.kind': kind,
        'palimpsest.texts': texts.length,
      };
      return inSpan('embed', { kind: SpanKind.CLIENT, attributes }, () => provider.embed(texts, kind, signal));
    },
  });
