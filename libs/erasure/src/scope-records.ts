import type { Journal } from '@palimpsest/contracts';
import { nextTurn, type Scheduler } from '@palimpsest/foundation';
import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import { START, type Position, type TenantScope } from '@palimpsest/knowledge/values';
import { recordLeaf, GrowingTree } from '@palimpsest/proofs';

/** Records that are read before other work runs. */
const IN_ONE_TURN = 256;

/** What the log has of a scope. `root`: of the Merkle tree of its records as they are stored. */
export type ScopeRecords = Readonly<{
  records: number;
  documents: number;
  passages: number;
  first: Position;
  last: Position;
  root: string;
  /** Keys of its uploads. */
  uploads: readonly string[];
}>;

/** Reads the whole log up to a position, without opening anything. */
export const readScopeRecords = async (
  { log }: Pick<Journal, 'log'>,
  { tenant, scope }: TenantScope,
  upTo: Position,
  { signal, scheduler }: Readonly<{ signal: AbortSignal; scheduler: Scheduler }>,
): Promise<ScopeRecords> => {
  const tree = new GrowingTree();
  const [documents, uploads] = [new Set<string>(), new Set<string>()];
  let [read, passages, first, last]: [number, number, Position, Position] = [0, 0, START, START];
  for await (const record of log.readAll({ upTo })) {
    if (++read % IN_ONE_TURN === 0) {
      signal.throwIfAborted();
      await nextTurn(scheduler);
    }
    if (record.metadata['tenant'] !== tenant || record.metadata['scope'] !== scope) continue;
    tree.add(recordLeaf(record));
    [first, last] = [first === START ? record.position : first, record.position];
    if (record.type === 'KnowledgeChunkIndexed') passages += 1;
    else noteDocument(record, documents, uploads);
  }
  const root = tree.root()?.toString('hex') ?? '';
  return { records: tree.size, documents: documents.size, passages, first, last, root, uploads: [...uploads] };
};

/** The fields that are read here are not sealed. */
const noteDocument = ({ type, data }: RecordedEvent, documents: Set<string>, uploads: Set<string>): void => {
  if (type !== 'DocumentSubmitted') return;
  documents.add(String(data['documentId']));
  uploads.add(String(data['blob']));
};
