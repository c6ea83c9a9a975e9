import type { z } from 'zod';
import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';

/** Embedding models that an operator selects by settings. The adapter package of a provider exports one. */
export type ModelSource<Settings extends z.ZodRawShape = z.ZodRawShape> = Readonly<{
  /** The setting that selects this source, for errors. */
  name: string;
  /** Variables of the environment. Their descriptions are the configuration reference. */
  settings: Settings;
  /** The function that opens the model; undefined if the settings do not select this source. It may import the provider's client only when it is called. */
  selected: (env: z.output<z.ZodObject<Settings>>) => (() => Promise<EmbeddingProvider>) | undefined;
}>;

/** Checks a source against its type, and keeps the names of its settings. */
export const modelSource = <Settings extends z.ZodRawShape>(source: ModelSource<Settings>): ModelSource<Settings> => source;
