import type { Journal, Loaded, ProcessDocument as Command, Reembed } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { document as decider } from '@palimpsest/knowledge/deciders';
import type { Document, DocumentCommand, KnowledgeBase } from '@palimpsest/knowledge/deciders';
import type { EventMetadata, Submission } from '@palimpsest/knowledge/events';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { BlobStore, DocumentParser, EmbeddingProviders, ScopeCipher, ScopeKeys, StreamName } from '@palimpsest/knowledge/ports';
import type { ChunkingRecipe, ChunkListId, EmbeddingVersion, TenantScope } from '@palimpsest/knowledge/values';
import type { MainLanguages } from './main-languages.ts';
import type { Permit } from './semaphore.ts';

export type ProcessingPorts = Readonly<{
  journal: Journal;
  blobs: BlobStore;
  keys: ScopeKeys;
  parser: DocumentParser;
  providers: EmbeddingProviders;
  quotaPolicy: QuotaPolicy;
  languages: Pick<MainLanguages, 'of'>;
  now: () => string;
  system?: System;
  /** Requests the missing vectors of an indexed document. */
  requestReembedding: (work: Reembed) => Promise<void>;
}>;

/** A newer version was submitted, or the document was deleted: this work is obsolete. */
export class Superseded extends Error {}

/**
 * A chunk list that live generations have, and the models whose vectors its chunks need, as far as they are configured. `active`: the model
 * for whose window texts are chunked: in the list that searches see, that of the active generation.
 */
export type ListVersions = Readonly<{ chunking: ChunkingRecipe; active: EmbeddingVersion; others: readonly EmbeddingVersion[] }>;

/** The list of the active generation, and those of other live generations, if a configured model can make them. */
export type Versions = ListVersions & Readonly<{ further: readonly ListVersions[] }>;

/**
 * Work in progress. `versions` and `knowledgeBase`: as they were at its start; what has changed meanwhile is checked at its end.
 * `loaded` is updated with each append.
 */
export type Work = {
  readonly command: Command;
  readonly scope: TenantScope;
  readonly stream: StreamName;
  readonly metadata: EventMetadata;
  readonly submission: Submission;
  readonly versions: ListVersions;
  readonly knowledgeBase: KnowledgeBase;
  readonly chunkList: ChunkListId;
  /** The list is made for the version that this other list has: a swap makes it after the document was indexed. */
  readonly alongside?: ChunkListId;
  /** Called before each append; may throw to stop the work. */
  readonly gate?: () => Promise<void>;
  readonly cipher: ScopeCipher;
  readonly signal: AbortSignal;
  readonly permit: Permit;
  loaded: Loaded<Document>;
};

/**
 * Executes a command on the document's stream. @throws Superseded if this version is no longer the latest, or no longer that of the other
 * list; the signal's reason if aborted
 */
export const execute = async (journal: Journal, work: Work, command: DocumentCommand): Promise<void> => {
  work.signal.throwIfAborted();
  await work.gate?.();
  const executed = await journal.execute(decider, work.stream, command, work.metadata, work.loaded);
  work.loaded = executed;
  const { version, status, lists } = executed.state;
  const known = work.alongside === undefined ? version : lists.get(work.alongside)?.version;
  if (known !== work.command.version || status === 'deleted') throw new Superseded();
};
