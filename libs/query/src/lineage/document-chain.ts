import type { Journal } from '@palimpsest/contracts';
import { Conflict, Corrupt } from '@palimpsest/knowledge/errors';
import type { JsonObject, RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { ChunkId, Position } from '@palimpsest/knowledge/values';

/** A stream that is longer than this is not read for a request. */
const MAX_EVENTS = 200_000;

/** The events, as they are stored, through which a passage came from an upload. `vector`: set if another model made its vector later. */
export type Chain = Readonly<{ submitted: RecordedEvent; chunk: RecordedEvent; indexed: RecordedEvent; vector?: RecordedEvent }>;

/** `seen`: the position of the search. `recorded`: that of its record. `embeddingVersion`: of the generation that was searched. */
type Searched = Readonly<{ seen: Position; recorded: Position; embeddingVersion: string | undefined }>;

/**
 * The chain of each passage of a document, as the search saw it. A search that ran while events were projected may have seen some that are
 * later than its position, but before its record.
 * @throws Conflict if there is too much to read; Corrupt
 */
export const chainsOf = async (
  journal: Journal,
  stream: StreamName,
  wanted: ReadonlySet<ChunkId>,
  { seen, recorded, embeddingVersion }: Searched,
): Promise<ReadonlyMap<ChunkId, Chain>> => {
  const chains = await chainsUpTo(journal, stream, wanted, { upTo: seen, embeddingVersion });
  const later = new Set([...wanted].filter((id) => !chains.has(id)));
  if (later.size === 0) return chains;
  const rest = await chainsUpTo(journal, stream, later, { upTo: recorded, embeddingVersion });
  for (const id of later) if (!rest.has(id)) throw new Corrupt(`${stream}: the events of chunk ${id} are not on the log`);
  return new Map([...chains, ...rest]);
};

const chainsUpTo = async (
  { log }: Journal,
  stream: StreamName,
  wanted: ReadonlySet<ChunkId>,
  { upTo, embeddingVersion }: Readonly<{ upTo: Position; embeddingVersion: string | undefined }>,
): Promise<ReadonlyMap<ChunkId, Chain>> => {
  const found = new Found(wanted, embeddingVersion);
  let read = 0;
  let [isWhole, next] = [true, 0];
  for await (const record of log.readStream(stream)) {
    isWhole &&= record.revision === next;
    next = record.revision + 1;
    if (record.position > upTo && isWhole) break;
    // What was kept of a removed history was there before, too.
    if (record.position > upTo && record.data['keptFrom'] === undefined) continue;
    if (++read > MAX_EVENTS) throw new Conflict(`the document has more than ${MAX_EVENTS} events, which are not read for one request`);
    found.note(record);
  }
  const chains = new Map<ChunkId, Chain>();
  for (const id of wanted) {
    const chain = found.chainOf(id);
    if (chain) chains.set(id, chain);
  }
  return chains;
};

class Found {
  readonly #wanted: ReadonlySet<string>;
  readonly #embeddingVersion: string | undefined;
  readonly #submitted = new Map<number, RecordedEvent>();
  readonly #chunks = new Map<string, RecordedEvent>();
  readonly #vectors = new Map<string, RecordedEvent>();
  readonly #indexed = new Map<string, RecordedEvent>();

  constructor(wanted: ReadonlySet<string>, embeddingVersion: string | undefined) {
    this.#wanted = wanted;
    this.#embeddingVersion = embeddingVersion;
  }

  /** The fields that are read here are not sealed. */
  note(record: RecordedEvent): void {
    const { type, data } = record;
    const chunkId = String(data['chunkId']);
    if (type === 'DocumentSubmitted') this.#submitted.set(Number(data['version']), record);
    else if (type === 'DocumentIndexed') for (const id of idsOf(data)) if (this.#wanted.has(id)) this.#indexed.set(id, record);
    if (!this.#wanted.has(chunkId)) return;
    if (type === 'KnowledgeChunkIndexed') this.#chunks.set(chunkId, record);
    if (type === 'KnowledgeChunkReembedded' && data['embeddingVersion'] === this.#embeddingVersion) this.#vectors.set(chunkId, record);
  }

  /** Undefined if an event of it is missing. */
  chainOf(id: ChunkId): Chain | undefined {
    const [chunk, indexed] = [this.#chunks.get(id), this.#indexed.get(id)];
    const submitted = indexed && this.#submitted.get(Number(indexed.data['version']));
    if (chunk === undefined || indexed === undefined || submitted === undefined) return undefined;
    const vector = chunk.data['embeddingVersion'] === this.#embeddingVersion ? undefined : this.#vectors.get(id);
    return { submitted, chunk, indexed, ...(vector ? { vector } : {}) };
  }
}

const idsOf = ({ chunks }: JsonObject): readonly string[] =>
  Array.isArray(chunks) ? chunks.map((chunk) => String((chunk as JsonObject)['chunkId'])) : [];
