import { Conflict, Forbidden, InvalidValue, type KnowledgeError, type Position } from '@palimpsest/knowledge';
import { positionOf } from './positions.ts';
import { MaximumAppendSizeExceeded, WrongExpectedVersion, type BatchAppendResp } from './protocol.ts';
import { Timeout } from './timeout.ts';

export type AppendAnswer =
  | Readonly<{ outcome: 'appended'; revision: number; position: Position }>
  /** -1 for a stream without events. */
  | Readonly<{ outcome: 'conflict'; actual: number }>;

/** @throws KnowledgeError when the append was refused; Timeout when the server gave up and its outcome is unknown */
export const appendAnswer = (message: BatchAppendResp, stream: string): AppendAnswer => {
  const success = message.getSuccess();
  if (success === undefined) return refusal(message, stream);
  const position = success.getPosition();
  if (position === undefined) throw new Conflict(`EventStoreDB appended to ${stream} without a position: a server before 21.10?`);
  const pair = { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
  return { outcome: 'appended', revision: Number(success.getCurrentRevision()), position: positionOf(pair) };
};

const refusal = (message: BatchAppendResp, stream: string): AppendAnswer => {
  const error = message.getError();
  const details = error?.getDetails();
  const name = details?.getTypeName() ?? '';
  if (name === 'event_store.client.WrongExpectedVersion') {
    const wrong = details?.unpack(WrongExpectedVersion.deserializeBinary, name);
    return { outcome: 'conflict', actual: wrong?.hasCurrentStreamRevision() ? Number(wrong.getCurrentStreamRevision()) : -1 };
  }
  if (name === 'event_store.client.Timeout') throw new Timeout(0);
  if (name === 'event_store.client.MaximumAppendSizeExceeded') {
    const most = details?.unpack(MaximumAppendSizeExceeded.deserializeBinary, name)?.getMaxappendsize();
    throw new InvalidValue('events', `an append of at most ${most} bytes, as this server is set`, stream);
  }
  throw (
    refusals(name, stream) ?? new Conflict(`EventStoreDB refused an append to ${stream}: ${error?.getMessage() ?? 'it gives no reason'}`)
  );
};

const refusals = (name: string, stream: string): KnowledgeError | undefined => {
  if (name === 'event_store.client.StreamDeleted') return new Conflict(`${stream} was deleted for good`);
  if (name === 'event_store.client.AccessDenied') return new Forbidden(`EventStoreDB does not let this user append to ${stream}`);
  return undefined;
};
