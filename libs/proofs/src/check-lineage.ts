import type { LineageReceipt } from '@palimpsest/contracts/http';
import { isSignedStatement } from './checkpoint.ts';
import { sha256Hex } from './digests.ts';
import { isProven, type ProvenRecord } from './proven-record.ts';

type Hit = LineageReceipt['hits'][number];
type Records = ReadonlyMap<string, ProvenRecord>;

/** What is wrong with a receipt whose own signature is valid. `source`: the file that a result is supposed to come from. */
export const lineageProblems = (receipt: LineageReceipt, source?: Uint8Array): readonly string[] => {
  const problems = [...checkpointProblems(receipt), ...recordProblems(receipt)];
  const records: Records = new Map(receipt.records.map((record) => [record.position, record]));
  const retrieval = records.get(receipt.retrieval);
  if (retrieval?.type !== 'KnowledgeRetrieved' || retrieval.data['traceId'] !== receipt.traceId)
    return [...problems, 'the receipt does not contain the record of the search'];
  problems.push(...receipt.hits.flatMap((hit) => hitProblems(hit, retrieval, records)));
  if (source !== undefined && !receipt.hits.some((hit) => hit.source?.sha256 === sha256Hex(source)))
    problems.push('no result comes from this file');
  return problems;
};

const checkpointProblems = ({ checkpoints, publicKey }: LineageReceipt): string[] =>
  checkpoints
    .filter((checkpoint) => !isSignedStatement(checkpoint, Buffer.from(publicKey, 'base64')))
    .map(({ number }) => `the signature of checkpoint ${number} is not valid`);

const recordProblems = ({ records, checkpoints }: LineageReceipt): string[] => {
  const statements = new Map(checkpoints.map((checkpoint) => [checkpoint.number, checkpoint]));
  return records.flatMap((record) => {
    const statement = statements.get(record.checkpoint);
    return statement && isProven(record, statement) ? [] : [`the record at position ${record.position} is not in its checkpoint`];
  });
};

/** The links from one to the next: the ids, the versions and the order that the events themselves name. */
const hitProblems = (hit: Hit, retrieval: ProvenRecord, records: Records): readonly string[] => {
  const { rank, chunkId, documentId, events, text } = hit;
  const listed = (retrieval.data['hits'] as readonly Partial<Hit>[] | undefined)?.[rank - 1];
  const links: readonly (readonly [boolean, string])[] = [
    [listed?.chunkId === chunkId && listed.documentId === documentId, 'the search does not have it at this rank'],
    ...documentLinks(hit, records),
    ...Object.values(events).map((at) => [isBefore(at, retrieval), `the event at position ${at} is later than the search`] as const),
    [text === undefined || text.sha256 === sha256Hex(text.content), 'its text is another one'],
  ];
  return links.flatMap(([holds, problem]) => (holds ? [] : [`result ${rank}: ${problem}`]));
};

/** What the search saw is on the log before its record. */
const isBefore = (at: string, retrieval: ProvenRecord): boolean => BigInt(at) < BigInt(retrieval.position);

const documentLinks = ({ chunkId, documentId, version, events }: Hit, records: Records): readonly (readonly [boolean, string])[] => {
  const [submitted, indexed] = [records.get(events.submitted), records.get(events.indexed)];
  const chunks = (indexed?.data['chunks'] ?? []) as readonly Readonly<{ chunkId?: string }>[];
  const is = (at: string, type: string, fields: Readonly<Record<string, unknown>>): boolean => {
    const record = records.get(at);
    const all = Object.entries({ documentId, ...fields });
    return record?.type === type && record.stream === submitted?.stream && all.every(([name, value]) => record.data[name] === value);
  };
  const { vector } = events;
  return [
    [is(events.chunk, 'KnowledgeChunkIndexed', { chunkId }), 'the event of the passage is another one'],
    [is(events.indexed, 'DocumentIndexed', { version }), 'the event that made it visible is another one'],
    [chunks.some((each) => each.chunkId === chunkId), 'this version of the document does not contain it'],
    [is(events.submitted, 'DocumentSubmitted', { version }), 'the event of the upload is another one'],
    [submitted?.data['checksum'] === indexed?.data['checksum'], 'this version was made from other bytes'],
    [vector === undefined || is(vector, 'KnowledgeChunkReembedded', { chunkId }), 'the event of its vector is another one'],
  ];
};
