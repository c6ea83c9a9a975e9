import type { Journal } from '@palimpsest/contracts';
import { Conflict, Corrupt } from '@palimpsest/knowledge/errors';
import type { JsonObject, RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { ChunkId, Position } from '@palimpsest/knowledge/values';

/** A stream that is longer than this is not read for a request. */
const MAX_EVENTS = 200_000;

/** The events, as they are stored, through which a passage came from an upload. `vector`: set if another model made its vector later. */
export type Chain = Readonly<{ submitted: RecordedEvent; chunk: RecordedEvent; indexed: RecordedEvent; vector?: RecordedEvent }>;

/**
 * The chain of each passage of a document, as of a position. `embeddingVersionOf`: of the generation that was searched.
 * @throws Conflict if there is too much to read, or the events are of a version before 0.2; Corrupt
 */
export const chainsOf = async (
  { log }: Journal,
  stream: StreamName,
  wanted: ReadonlySet<ChunkId>,
  { upTo, embeddingVersion }: Readonly<{ upTo: Position; embeddingVersion: string | undefined }>,
): Promise<ReadonlyMap<ChunkId, Chain>> => {
  const found = new Found(wanted, embeddingVersion);
  let read = 0;
  for await (const record of log.readStream(stream)) {
    if (record.position > upTo) break;
    if (++read > MAX_EVENTS) throw new Conflict(`the document has more than ${MAX_EVENTS} events, which are not read for one request`);
    found.note(record);
  }
  return new Map([...wanted].map((id) => [id, found.chainOf(id, stream)]));
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

  chainOf(id: ChunkId, stream: StreamName): Chain {
    const [chunk, indexed] = [this.#chunks.get(id), this.#indexed.get(id)];
    const submitted = indexed && this.#submitted.get(Number(indexed.data['version']));
    if (chunk === undefined || indexed === undefined || submitted === undefined)
      throw new Corrupt(`${stream}: the events of chunk ${id} are not on the log`);
    const vector = chunk.data['embeddingVersion'] === this.#embeddingVersion ? undefined : this.#vectors.get(id);
    return { submitted, chunk, indexed, ...(vector ? { vector } : {}) };
  }
}

const idsOf = ({ chunks }: JsonObject): readonly string[] =>
  Array.isArray(chunks) ? chunks.map((chunk) => String((chunk as JsonObject)['chunkId'])) : [];
