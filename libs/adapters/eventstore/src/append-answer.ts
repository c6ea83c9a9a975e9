import { Conflict, InvalidValue, StoreRefused } from '@palimpsest/knowledge/errors';
import type { Position } from '@palimpsest/knowledge/values';
import { NotWritten, OutcomeUnknown } from './not-written.ts';
import { positionOf } from './positions.ts';
import { BadRequest, MaximumAppendSizeExceeded, WrongExpectedVersion, type BatchAppendResp } from './protocol.ts';

export type AppendAnswer =
  | Readonly<{ outcome: 'appended'; revision: number; position: Position }>
  /** -1 for a stream without events. */
  | Readonly<{ outcome: 'conflict'; actual: number }>;

/**
 * The meaning of the server's answer to an append. The README has a table of all answers.
 * @throws KnowledgeError when the append was refused permanently; NotWritten; OutcomeUnknown
 */
export const appendAnswer = (message: BatchAppendResp): AppendAnswer => {
  const success = message.getSuccess();
  if (success === undefined) return errorAnswer(message);
  const position = success.getPosition();
  if (position === undefined) throw new StoreRefused('EventStoreDB returned no position for an append: its version is older than 21.10');
  const pair = { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
  return { outcome: 'appended', revision: Number(success.getCurrentRevision()), position: positionOf(pair) };
};

type Details = NonNullable<ReturnType<NonNullable<ReturnType<BatchAppendResp['getError']>>['getDetails']>>;

/** Keyed by the name of the type of the details. */
const ANSWERS: Readonly<Record<string, (details: Details, name: string) => AppendAnswer>> = {
  'event_store.client.WrongExpectedVersion': (details, name) => {
    const wrong = details.unpack(WrongExpectedVersion.deserializeBinary, name);
    return { outcome: 'conflict', actual: wrong?.hasCurrentStreamRevision() ? Number(wrong.getCurrentStreamRevision()) : -1 };
  },
  'event_store.client.StreamDeleted': () => {
    throw new Conflict('the stream was deleted permanently');
  },
  'event_store.client.AccessDenied': () => {
    throw new StoreRefused('EventStoreDB: the user of this platform may not append');
  },
  'event_store.client.MaximumAppendSizeExceeded': (details, name) => {
    const max = details.unpack(MaximumAppendSizeExceeded.deserializeBinary, name)?.getMaxappendsize();
    throw new InvalidValue('events', `an append of at most ${max} bytes (limit of this server)`, 'more');
  },
  'event_store.client.MaximumAppendEventSizeExceeded': () => {
    throw new InvalidValue('events', 'events no larger than the limit of this server', 'a larger event');
  },
  'event_store.client.BadRequest': (details, name) => {
    throw new StoreRefused(
      `EventStoreDB refused an append as a bad request: ${details.unpack(BadRequest.deserializeBinary, name)?.getMessage() ?? ''}`,
    );
  },
  'event_store.client.InvalidTransaction': () => {
    throw new StoreRefused('EventStoreDB refused an append as an invalid transaction');
  },
};

/** An error with these details and no code was not handled. With a code, it is an internal error. */
const NO_DETAILS = 'google.protobuf.Empty';

const errorAnswer = (message: BatchAppendResp): AppendAnswer => {
  const error = message.getError();
  const details = error?.getDetails();
  const name = details?.getTypeName() ?? '';
  const text = error?.getMessage() ?? '';
  if (name === NO_DETAILS && error?.getCode() === 0) throw new NotWritten(text);
  const answer = ANSWERS[name];
  if (details === undefined || answer === undefined)
    throw new OutcomeUnknown(`EventStoreDB returned an unknown answer to an append: ${text || name || 'nothing'}`);
  return answer(details, name);
};
