import type { Journal, Loaded, ProcessDocument as Command, Reembed } from '@palimpsest/contracts';
import { document as decider } from '@palimpsest/knowledge';
import type {
  Admission, BlobStore, Document, DocumentCommand, DocumentParser, EmbeddingProviders, EventMetadata, ScopeCipher, ScopeKeys, StreamName, Submission, TenantScope,
} from '@palimpsest/knowledge';
import type { MainLanguages } from './main-languages.ts';
import type { Turn } from './turns.ts';

export type ProcessingPorts = Readonly<{
  journal: Journal; blobs: BlobStore; keys: ScopeKeys; parser: DocumentParser; providers: EmbeddingProviders; admission: Admission; languages: Pick<MainLanguages, 'of'>; now: () => string;
  /** Asks for vectors that an indexed document lacks. */
  requestReembedding: (work: Reembed) => Promise<void>;
}>;

/** Someone submitted a newer version, or deleted the document: this work is of no use any more. */
export class Superseded extends Error {}

/** One piece of work under way: what is known of its document grows with each append. */
export type Work = {
  readonly command: Command; readonly scope: TenantScope; readonly stream: StreamName; readonly metadata: EventMetadata;
  readonly submission: Submission; readonly cipher: ScopeCipher; readonly signal: AbortSignal; readonly turn: Turn; loaded: Loaded<Document>;
};

/** Brings it onto the log, unless the work is over. @throws Superseded when the decider has nothing to do with this version any more */
export const execute = async (journal: Journal, work: Work, command: DocumentCommand): Promise<void> => {
  work.signal.throwIfAborted();
  const executed = await journal.execute(decider, work.stream, command, work.metadata, work.loaded);
  work.loaded = executed;
  const { version, status } = executed.state;
  if (version !== work.command.version || status === 'deleted') throw new Superseded();
};
