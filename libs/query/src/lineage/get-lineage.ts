import { cipherIfAny, fromBase64, openBlob, openText, refuseRemovedHistory, sealedForRecord, type Journal } from '@palimpsest/contracts';
import type { LineageReceipt } from '@palimpsest/contracts/http';
import { getLineage } from '@palimpsest/contracts/routes/proofs';
import { assertVisible, authorise, type Access } from '@palimpsest/knowledge/access';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { NotFound, Unavailable } from '@palimpsest/knowledge/errors';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import { on, query, type UseCase } from '@palimpsest/knowledge/messages';
import { blobKey, type BlobStore, type RecordedEvent, type ScopeCipher, type ScopeKeys, type Signer } from '@palimpsest/knowledge/ports';
import type { Sealing } from '@palimpsest/knowledge/subjects';
import { position, vectorScope, type ChunkId, type DocumentId, type Position, type VectorScope } from '@palimpsest/knowledge/values';
import { Mutex, timestamp, type System } from '@palimpsest/foundation';
import { proveRecord, sha256Hex, signReceipt, LogCheckpoints, type ProvenRecord, type SignedStatement } from '@palimpsest/proofs';
import { findRetrievalEvent } from '../replay/find-retrieval.ts';
import { chainsOf, type Chain } from './document-chain.ts';

/** Results of one receipt. */
const MAX_HITS = 20;
/** How long a request waits for its records to be signed. */
const SIGN_MS = 10_000;

export type LineagePorts = Readonly<{
  journal: Journal;
  keys: ScopeKeys;
  blobs: BlobStore;
  signer: Signer;
  system: Pick<System, 'clock' | 'scheduler'>;
}>;

type Asked = Readonly<{ traceId: string; chunk?: ChunkId }>;
type Hit = RetrievalRecordData['hits'][number] & Readonly<{ rank: number }>;
/** `scope`: of the document. */
export type Lineage = Readonly<{ receipt: LineageReceipt; scopes: readonly Readonly<{ scope: VectorScope }>[] }>;

/** A signed receipt of where the results of a search came from. */
export class GetLineage extends query<Asked, Lineage>(getLineage, { shows: ({ scopes }) => scopes }) {}

export class GetLineageHandler implements UseCase {
  readonly handlers = [on(GetLineage, ({ access, input }) => this.#run(access, input))];
  readonly #ports: LineagePorts;
  readonly #checkpoints: LogCheckpoints;
  /** An upload is read as a whole: of all requests, one at a time does. */
  readonly #reading = new Mutex();

  constructor(ports: LineagePorts) {
    this.#ports = ports;
    this.#checkpoints = new LogCheckpoints(ports);
  }

  /** @throws NotFound; Unavailable while the records are not signed; Conflict; Corrupt */
  async #run(access: Access, { traceId, chunk }: Asked): Promise<Lineage> {
    const { journal, signer, system } = this.#ports;
    const retrieval = await findRetrievalEvent(journal, access, traceId);
    const { hits, position: at, generations } = retrieval.data as unknown as RetrievalRecordData;
    const ranked = hits.map((hit, index): Hit => ({ ...hit, rank: index + 1 }));
    const asked = chunk === undefined ? ranked.slice(0, MAX_HITS) : ranked.filter(({ chunkId }) => chunkId === chunk);
    if (chunk !== undefined && asked.length === 0) throw new NotFound('result', chunk);
    const proofs = new Proofs(this.#checkpoints);
    await this.#signed(retrieval.position);
    await proofs.add(retrieval);
    const [found, scopes]: [LineageReceipt['hits'][number][], Readonly<{ scope: VectorScope }>[]] = [[], []];
    for (const [documentId, of] of Map.groupBy(asked, (hit) => hit.documentId)) {
      const place = await this.#placeOf(access, documentId);
      scopes.push(place);
      const embeddingVersion = generations.find(({ scope }) => scope === place.scope)?.embeddingVersion;
      const wanted = new Set(of.map(({ chunkId }) => chunkId));
      const searched = { seen: position(at), recorded: retrieval.position, embeddingVersion };
      const chains = await chainsOf(journal, documentStream(access.tenant, documentId), wanted, searched).catch(async (error: unknown) => {
        await refuseRemovedHistory(journal.log, [{ tenant: access.tenant, scope: place.scope }], searched.seen);
        throw error;
      });
      const sources = new Sources(this.#ports, this.#reading, await cipherIfAny(this.#ports.keys, place));
      for (const hit of of) {
        const chain = chains.get(hit.chunkId);
        if (chain === undefined) continue;
        for (const record of Object.values(chain)) await proofs.add(record);
        found.push(await hitOf(hit, chain, sources));
      }
    }
    const receipt = await signReceipt<LineageReceipt>(signer, {
      kind: 'palimpsest-lineage/1',
      issuedAt: timestamp(system.clock),
      traceId,
      retrieval: String(retrieval.position),
      hits: found.sort((a, b) => a.rank - b.rank),
      ...proofs.all(),
    });
    return { receipt, scopes };
  }

  /** The record of the search is the latest of all records of the receipt. */
  async #signed(at: Position): Promise<void> {
    const { scheduler } = this.#ports.system;
    if ((await this.#checkpoints.covering(at)) !== undefined) return;
    const late = new AbortController();
    const cancel = scheduler.after(SIGN_MS, () => late.abort(), { background: true });
    await this.#checkpoints.sign(late.signal).finally(() => cancel());
    if ((await this.#checkpoints.covering(at)) === undefined)
      throw new Unavailable('the records of this search are not signed yet; try again in a minute', { forCallers: true });
  }

  /** A document belongs to one scope permanently, so its first event decides. @throws NotFound */
  async #placeOf(access: Access, id: DocumentId): Promise<Sealing> {
    for await (const first of this.#ports.journal.log.readStream(documentStream(access.tenant, id), { limit: 1 })) {
      const { tenant, scope } = first.metadata;
      const [permitted] = tenant === access.tenant ? authorise(access, [vectorScope(scope)]) : [];
      if (permitted) return assertVisible(access, sealedForRecord(first) ?? permitted);
    }
    throw new NotFound('document', id);
  }
}

const hitOf = async ({ rank, chunkId, documentId }: Hit, chain: Chain, sources: Sources): Promise<LineageReceipt['hits'][number]> => {
  const { submitted, chunk, indexed, vector } = chain;
  const [source, text] = [await sources.uploadOf(submitted), sources.textOf(chunkId, chunk)];
  return {
    rank,
    chunkId,
    documentId,
    version: Number(indexed.data['version']),
    events: {
      submitted: String(submitted.position),
      chunk: String(chunk.position),
      ...(vector ? { vector: String(vector.position) } : {}),
      indexed: String(indexed.position),
    },
    ...(source ? { source } : {}),
    ...(text ? { text } : {}),
  };
};

/** What the records seal, and the uploads, of one document. */
class Sources {
  readonly #ports: LineagePorts;
  readonly #reading: Mutex;
  readonly #cipher: ScopeCipher | undefined;
  readonly #uploads = new Map<Position, Promise<LineageReceipt['hits'][number]['source']>>();

  constructor(ports: LineagePorts, reading: Mutex, cipher: ScopeCipher | undefined) {
    this.#ports = ports;
    this.#reading = reading;
    this.#cipher = cipher;
  }

  uploadOf(submitted: RecordedEvent): Promise<LineageReceipt['hits'][number]['source']> {
    const known = this.#uploads.get(submitted.position) ?? this.#reading.run(() => this.#read(submitted));
    this.#uploads.set(submitted.position, known);
    return known;
  }

  async #read({ data }: RecordedEvent): Promise<LineageReceipt['hits'][number]['source']> {
    const key = blobKey(String(data['blob']));
    const sealed = this.#cipher && (await this.#ports.blobs.get(key));
    if (this.#cipher === undefined || sealed === undefined) return undefined;
    const bytes = openBlob(this.#cipher, key, sealed);
    return { sha256: sha256Hex(bytes), bytes: bytes.length };
  }

  textOf(id: ChunkId, { data }: RecordedEvent): LineageReceipt['hits'][number]['text'] {
    if (this.#cipher === undefined) return undefined;
    const content = openText(this.#cipher, id, fromBase64(String(data['sealedText']))).text;
    return { sha256: sha256Hex(content), content };
  }
}

/** The records of a receipt, each once, and their checkpoints. */
class Proofs {
  readonly #checkpoints: LogCheckpoints;
  readonly #records = new Map<Position, ProvenRecord>();
  readonly #statements = new Map<number, SignedStatement>();

  constructor(checkpoints: LogCheckpoints) {
    this.#checkpoints = checkpoints;
  }

  /** @throws Unavailable if the record is not signed */
  async add(record: RecordedEvent): Promise<void> {
    if (this.#records.has(record.position)) return;
    const proven = await proveRecord(record, this.#checkpoints);
    if (proven === undefined) throw new Unavailable(`the record at position ${record.position} is not signed yet`);
    this.#records.set(record.position, proven.record);
    this.#statements.set(proven.statement.number, proven.statement);
  }

  all(): Pick<LineageReceipt, 'records' | 'checkpoints'> {
    const byPlace = [...this.#records].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      records: byPlace.map(([, record]) => record),
      checkpoints: [...this.#statements.values()].sort((a, b) => a.number - b.number),
    };
  }
}
