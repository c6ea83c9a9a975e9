import type { ReadModels } from '@palimpsest/knowledge';

/** Ports have no class to be injected by; the app binds them to these. */
export const ReadModelsToken = Symbol('ReadModels');
export type ReadModelsPort = ReadModels;
