import { openAiSource } from '@palimpsest/adapters-openai';

/** The sources of embedding models besides the local one. The first one that the settings select replaces it. */
export const MODEL_SOURCES = [openAiSource] as const;
