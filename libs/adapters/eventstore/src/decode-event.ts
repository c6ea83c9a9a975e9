import { gunzipSync } from 'node:zlib';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { MAX_APPEND_BYTES, type JsonObject, type RecordedEvent } from '@palimpsest/knowledge/ports';
import type { Namespace } from './namespace.ts';
import { positionOf } from './positions.ts';
import type { ReadResp } from './protocol.ts';

/** More than any append holds: data that unpacks to more was not packed by this adapter. */
const MAX_UNPACKED_BYTES = 2 * MAX_APPEND_BYTES;

type Recorded = NonNullable<ReturnType<ReadResp.ReadEvent['getEvent']>>;

/** @throws Corrupt when the event was not written by an adapter of this kind */
export const decodeEvent = (namespace: Namespace, message: ReadResp.ReadEvent): RecordedEvent => {
  const recorded = message.getEvent();
  if (recorded === undefined) throw new Corrupt('EventStoreDB sent an event without a record');
  const names = recorded.getMetadataMap();
  const commit = BigInt(recorded.getCommitPosition());
  return {
    id: recorded.getId()?.getString() ?? '',
    type: namespace.typeOf(names.get('type') ?? ''),
    ...payloadOf(recorded, names.get('content-type') === 'application/json'),
    stream: namespace.streamOf(text(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array())),
    revision: Number(recorded.getStreamRevision()),
    position: positionOf({ commit, prepare: BigInt(recorded.getPreparePosition()) }),
    recordedAt: new Date(Number(BigInt(names.get('created') ?? '0') / 10_000n)).toISOString(), // in ticks of 100 ns
  };
};

/** Approximate size of the event in memory, in bytes. */
export const sizeOfEvent = (message: ReadResp.ReadEvent): number => {
  const recorded = message.getEvent();
  return recorded === undefined ? 0 : 500 + recorded.getData_asU8().length + recorded.getCustomMetadata_asU8().length;
};

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();

const payloadOf = (recorded: Recorded, json: boolean): { data: JsonObject; metadata: JsonObject } => {
  try {
    const data = recorded.getData_asU8();
    if (json) return { data: parsed(text(data)), metadata: parsed(text(recorded.getCustomMetadata_asU8()) || '{}') };
    const [first = '', second = ''] = gunzipSync(data, { maxOutputLength: MAX_UNPACKED_BYTES }).toString().split('\n');
    return { data: parsed(first), metadata: parsed(second) };
  } catch (error) {
    const { message } = error as Error;
    throw new Corrupt(`the event at ${recorded.getCommitPosition()} of EventStoreDB cannot be read: ${message}`);
  }
};

const parsed = (json: string): JsonObject => JSON.parse(json) as JsonObject;
