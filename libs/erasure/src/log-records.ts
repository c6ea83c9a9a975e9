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

type Turns = Readonly<{ signal: AbortSignal; scheduler: Scheduler }>;

/** What the log has of a scope, or of a data subject. `root`: of the Merkle tree of its records as they are stored. */
export type LogRecords = Readonly<{
  records: number;
  /** Also those that were deleted, with their scope. */
  documents: ReadonlyMap<DocumentId, VectorScope>;
  passages: number;
  first: Position;
  last: Position;
  root: string;
  /** Keys of its uploads. */
  uploads: readonly string[];
}>;

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
export const readLogRecords = async (
  { log }: Pick<Journal, 'log'>,
  of: Erased,
  upTo: Position,
  { signal, scheduler }: Turns,
): Promise<LogRecords> => {
  const tree = new GrowingTree();
  const [documents, uploads] = [new Map<DocumentId, VectorScope>(), new Set<string>()];
  let [read, passages, first, last]: [number, number, Position, Position] = [0, 0, START, START];
  for await (const record of log.readAll({ upTo })) {
    if (++read % IN_ONE_TURN === 0) {
      signal.throwIfAborted();
      await nextTurn(scheduler);
    }
    if (!isOf(of, record)) continue;
    tree.add(recordLeaf(record));
    [first, last] = [first === START ? record.position : first, record.position];
    if (record.type === 'KnowledgeChunkIndexed') passages += 1;
    else noteDocument(record, documents, uploads);
  }
  const root = tree.root()?.toString('hex') ?? '';
  return { records: tree.size, documents, passages, first, last, root, uploads: [...uploads] };
};

/** The fields that are read here are not sealed. */
const noteDocument = ({ type, data, metadata }: RecordedEvent, documents: Map<DocumentId, VectorScope>, uploads: Set<string>): void => {
  if (type !== 'DocumentSubmitted') return;
  documents.set(documentId(data['documentId']), vectorScope(metadata['scope']));
  uploads.add(String(data['blob']));
};
