import type { Journal } from '@palimpsest/contracts';
import type { ErasureReceipt } from '@palimpsest/contracts/http';
import { timestamp, type System } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { RecordedEvent, Signer, StreamName } from '@palimpsest/knowledge/ports';
import { LogCheckpoints, proveRecord, signReceipt } from '@palimpsest/proofs';
import type { LogRecords } from './log-records.ts';

export type ReceiptPorts = Readonly<{ journal: Journal; signer: Signer; system: System }>;

/** What depends on what was erased. `notCovered`: in addition to what no receipt covers. */
type ReceiptParts = Pick<ErasureReceipt, 'erasure' | 'tenant' | 'scope' | 'subject' | 'scopes' | 'removed' | 'residueScan'> &
  Readonly<{ notCovered?: readonly string[] }>;

/** What no receipt covers, whatever the installation. */
const NOT_COVERED = [
  'backups of earlier dates, and copies of the disk: they contain the key',
  'exports, contexts and answers that callers received, and what they did with them',
  'what a provider of an embedding model keeps',
  'vectors in caches of embeddings, under keyed digests and without texts: in the memory of other processes until others take their place, and what a process was embedding when the key was destroyed',
  'names that are not sealed: of the tenant, the scope and its knowledge bases, and actors, sizes, media types, languages and times on the log',
];

/** Writes the receipts of erasures: of a scope, a data subject or a tenant. */
export class ErasureReceipts {
  readonly #ports: ReceiptPorts;
  readonly #checkpoints: LogCheckpoints;

  constructor(ports: ReceiptPorts) {
    this.#ports = ports;
    this.#checkpoints = new LogCheckpoints(ports);
  }

  /** The events of the request and of the erasure; undefined before both are on the stream. */
  async eventsOf(
    stream: StreamName,
    types: readonly [requested: string, erased: string],
  ): Promise<Readonly<{ requested: RecordedEvent; erased: RecordedEvent }> | undefined> {
    const [requested, erased] = [await this.#last(stream, types[0]), await this.#last(stream, types[1])];
    return requested && erased && { requested, erased };
  }

  /** The signed receipt, as JSON. @throws Unavailable while the event of the erasure is not signed */
  async write(
    { requested, erased }: Readonly<{ requested: RecordedEvent; erased: RecordedEvent }>,
    { records, documents, passages, first, last, root }: LogRecords,
    { notCovered = [], removed, residueScan, ...about }: ReceiptParts,
    signal: AbortSignal,
  ): Promise<string> {
    const { signer, system } = this.#ports;
    await this.#checkpoints.sign(signal);
    const proven = await proveRecord(erased, this.#checkpoints);
    if (proven === undefined) throw new Unavailable('the erasure is not signed yet');
    const receipt: Omit<ErasureReceipt, 'publicKey' | 'signature'> = {
      kind: 'palimpsest-erasure/1',
      ...about,
      requestedAt: requested.recordedAt,
      erasedAt: erased.recordedAt,
      completedAt: timestamp(system.clock),
      unreadable: { records, documents: documents.size, passages, first: String(first), last: String(last), root },
      removed,
      ...(residueScan === undefined ? {} : { residueScan }),
      notCovered: [...NOT_COVERED, ...notCovered],
      proof: { record: proven.record, checkpoint: proven.statement },
    };
    return JSON.stringify(await signReceipt<ErasureReceipt>(signer, receipt));
  }

  async #last(stream: StreamName, type: string): Promise<RecordedEvent | undefined> {
    for await (const record of this.#ports.journal.log.readStream(stream, { direction: 'backwards' }))
      if (record.type === type) return record;
    return undefined;
  }
}
