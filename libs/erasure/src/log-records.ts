import type { Journal } from '@palimpsest/contracts';
import { nextTurn, type Scheduler } from '@palimpsest/foundation';
import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import type { Sealing, SubjectKey } from '@palimpsest/knowledge/subjects';
import {
  documentId,
  START,
  vectorScope,
  type DocumentId,
  type Position,
  type TenantId,
  type VectorScope,
} from '@palimpsest/knowledge/values';
import { recordLeaf, GrowingTree } from '@palimpsest/proofs';

/** Records that are read before other work runs. */
const IN_ONE_TURN = 256;
const SUBMITTED = 'DocumentSubmitted';

type Turns = Readonly<{ signal: AbortSignal; scheduler: Scheduler }>;

/** `documents`: also those that were deleted, with their scope. `uploads`: keys. */
export type LogDocuments = Readonly<{ documents: ReadonlyMap<DocumentId, VectorScope>; uploads: readonly string[] }>;

/** What the log has of a scope, or of a data subject. `root`: of the Merkle tree of its records as they are stored. */
export type LogRecords = LogDocuments & Readonly<{ records: number; passages: number; first: Position; last: Position; root: string }>;

/** What is erased: a scope, a data subject in all scopes of a tenant, or all scopes of a tenant. */
export type Erased = Readonly<{ tenant: TenantId }> &
  (Pick<Sealing, 'scope'> | Readonly<{ subject: SubjectKey }> | Readonly<{ whole: true }>);

export const keyOf = (of: Erased): string => {
  if ('whole' in of) return `${of.tenant}/`;
  return `${of.tenant}/${'subject' in of ? of.subject : of.scope}`;
};

/** For operators. */
export const nameOf = (of: Erased): string => {
  if ('whole' in of) return `tenant ${of.tenant}`;
  return 'subject' in of ? `a data subject (${of.subject})` : `scope ${of.scope}`;
};

export const isOf = (of: Erased, { metadata: { tenant, scope, subject } }: RecordedEvent): boolean => {
  if (tenant !== of.tenant) return false;
  if ('whole' in of) return typeof scope === 'string';
  return 'subject' in of ? subject === of.subject : scope === of.scope;
};

/** Reads the whole log up to a position, without opening anything. */
export const readLogRecords = async ({ log }: Pick<Journal, 'log'>, of: Erased, upTo: Position, turns: Turns): Promise<LogRecords> => {
  const tree = new GrowingTree();
  const found = new FoundDocuments();
  let [passages, first, last]: [number, Position, Position] = [0, START, START];
  for await (const record of inTurns(log.readAll({ upTo }), turns)) {
    if (!isOf(of, record)) continue;
    tree.add(recordLeaf(record));
    [first, last] = [first === START ? record.position : first, record.position];
    if (record.type === 'KnowledgeChunkIndexed') passages += 1;
    else if (record.type === SUBMITTED) found.note(record);
  }
  const root = tree.root()?.toString('hex') ?? '';
  return { records: tree.size, passages, first, last, root, ...found.all() };
};

/** Reads only the submissions up to a position: a small part of the log. */
export const readLogDocuments = async ({ log }: Pick<Journal, 'log'>, of: Erased, upTo: Position, turns: Turns): Promise<LogDocuments> => {
  const found = new FoundDocuments();
  for await (const record of inTurns(log.readAll({ upTo, types: [SUBMITTED] }), turns)) if (isOf(of, record)) found.note(record);
  return found.all();
};

async function* inTurns(records: AsyncIterable<RecordedEvent>, { signal, scheduler }: Turns): AsyncGenerator<RecordedEvent> {
  let read = 0;
  for await (const record of records) {
    if (++read % IN_ONE_TURN === 0) {
      signal.throwIfAborted();
      await nextTurn(scheduler);
    }
    yield record;
  }
}

class FoundDocuments {
  readonly #documents = new Map<DocumentId, VectorScope>();
  readonly #uploads = new Set<string>();

  /** The fields that are read here are not sealed. */
  note({ data, metadata }: RecordedEvent): void {
    this.#documents.set(documentId(data['documentId']), vectorScope(metadata['scope']));
    this.#uploads.add(String(data['blob']));
  }

  all(): LogDocuments {
    return { documents: this.#documents, uploads: [...this.#uploads] };
  }
}
