import type { LineageReceipt } from '@palimpsest/contracts/http';
import { getLineage } from '@palimpsest/contracts/routes/proofs';
import { isSignedStatement } from './checkpoint.ts';
import { sha256Hex } from './digests.ts';
import { isSignedLineage } from './lineage-receipt.ts';
import { isProven, type ProvenRecord } from './proven-record.ts';

type Hit = LineageReceipt['hits'][number];
type Records = ReadonlyMap<string, ProvenRecord>;

/** A right receipt, or what is wrong with it, a sentence for each. */
export type CheckedLineage = Readonly<{ receipt: LineageReceipt }> | Readonly<{ problems: readonly string[] }>;

/**
 * Checks a receipt, as it was parsed from its file, without a server. `source`: the file that a result is supposed to come from. The caller
 * compares the public key of the receipt with the one of the installation.
 */
export const checkLineage = (raw: unknown, source?: Uint8Array): CheckedLineage => {
  const parsed = getLineage.response.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problems: [`this is no receipt: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`] };
  }
  // The signature also covers what the schema does not know.
  if (!isSignedLineage(raw as LineageReceipt))
    return { problems: ['the signature of the receipt is not valid: it was changed, or is signed with another key'] };
  const problems = problemsOf(parsed.data, source);
  return problems.length === 0 ? { receipt: parsed.data } : { problems };
};

const problemsOf = (receipt: LineageReceipt, source?: Uint8Array): readonly string[] => {
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

/** What the search saw is up to its `position`. */
const isBefore = (at: string, { data }: ProvenRecord): boolean => BigInt(at) <= BigInt(String(data['position']));

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
