import type { LineageReceipt } from '@palimpsest/contracts/http';
import type { JsonObject, RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { CheckpointStatement } from '@palimpsest/knowledge/proofs';
import { position } from '@palimpsest/knowledge/values';
import { decodeEntries, leafOf } from './checkpoint-entries.ts';
import { entryOf, type LogCheckpoints } from './log-checkpoints.ts';
import { pathOf, rootFromPath } from './merkle-tree.ts';

/** A record of the log as JSON, with the proof that it is in a checkpoint. `path`: hashes from its leaf to the root, Base64. */
export type ProvenRecord = LineageReceipt['records'][number];

export type SignedStatement = CheckpointStatement & Readonly<{ signature: string }>;

/** Undefined if the record is not signed yet. */
export const proveRecord = async (
  record: RecordedEvent,
  checkpoints: LogCheckpoints,
): Promise<Readonly<{ record: ProvenRecord; statement: SignedStatement }> | undefined> => {
  const checkpoint = await checkpoints.covering(record.position);
  if (checkpoint === undefined) return undefined;
  const { positions: _, contents: __, expiring: ___, ...statement } = checkpoint;
  const entries = decodeEntries(position(BigInt(checkpoint.after)), checkpoint);
  const index = entries.findIndex((entry) => entry.position === record.position);
  if (index < 0) return undefined;
  const path = pathOf(entries.map(leafOf), index).map((hash) => hash.toString('base64'));
  const { stream, revision, recordedAt, type, id, data, metadata } = record;
  const place = { position: String(record.position), stream, revision, recordedAt };
  return { statement, record: { ...place, type, id, data, metadata, checkpoint: checkpoint.number, index, path } };
};

/** Whether the record is in the tree of the statement. */
export const isProven = (record: ProvenRecord, statement: SignedStatement): boolean => {
  const { stream, data, metadata } = record;
  const stored = { ...record, stream: stream as StreamName, data: data as JsonObject, metadata: metadata as JsonObject };
  const leaf = leafOf(entryOf({ ...stored, position: position(record.position) }));
  const path = record.path.map((hash) => Buffer.from(hash, 'base64'));
  return rootFromPath(leaf, record.index, statement.records, path)?.toString('hex') === statement.root;
};
