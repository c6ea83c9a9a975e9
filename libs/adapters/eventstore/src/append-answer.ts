import { Conflict, Forbidden, InvalidValue, type Position } from '@palimpsest/knowledge';
import { NotWritten, OutcomeUnknown } from './not-written.ts';
import { positionOf } from './positions.ts';
import { BadRequest, MaximumAppendSizeExceeded, WrongExpectedVersion, type BatchAppendResp } from './protocol.ts';
import { Refused } from './refused.ts';

export type AppendAnswer =
  | Readonly<{ outcome: 'appended'; revision: number; position: Position }>
  /** -1 for a stream without events. */
  | Readonly<{ outcome: 'conflict'; actual: number }>;

/**
 * What the server says of an append. The README has a table of all its answers.
 * @throws KnowledgeError when the append was refused for good; NotWritten; OutcomeUnknown
 */
export const appendAnswer = (message: BatchAppendResp): AppendAnswer => {
  const success = message.getSuccess();
  if (success === undefined) return errorAnswer(message);
  const position = success.getPosition();
  if (position === undefined) throw new Refused('EventStoreDB answered an append without a position: the version is older than 21.10');
  const pair = { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
  return { outcome: 'appended', revision: Number(success.getCurrentRevision()), position: positionOf(pair) };
};

type Details = NonNullable<ReturnType<NonNullable<ReturnType<BatchAppendResp['getError']>>['getDetails']>>;

/** By the name of the type of the details. */
const ANSWERS: Readonly<Record<string, (details: Details, name: string) => AppendAnswer>> = {
  'event_store.client.WrongExpectedVersion': (details, name) => {
    const wrong = details.unpack(WrongExpectedVersion.deserializeBinary, name);
    return { outcome: 'conflict', actual: wrong?.hasCurrentStreamRevision() ? Number(wrong.getCurrentStreamRevision()) : -1 };
  },
  'event_store.client.StreamDeleted': () => {
    throw new Conflict('the stream was deleted for good');
  },
  'event_store.client.AccessDenied': () => {
    throw new Forbidden('the event log does not let the user of this platform append');
  },
  'event_store.client.MaximumAppendSizeExceeded': (details, name) => {
    const most = details.unpack(MaximumAppendSizeExceeded.deserializeBinary, name)?.getMaxappendsize();
    throw new InvalidValue('events', `an append of at most ${most} bytes, as this server is set`, 'more');
  },
  'event_store.client.MaximumAppendEventSizeExceeded': () => {
    throw new InvalidValue('events', 'events no larger than this server is set to take', 'a larger one');
  },
  'event_store.client.BadRequest': (details, name) => {
    throw new Refused(`EventStoreDB took an append for a bad request: ${details.unpack(BadRequest.deserializeBinary, name)?.getMessage() ?? ''}`);
  },
  'event_store.client.InvalidTransaction': () => {
    throw new Refused('EventStoreDB took an append for an invalid transaction');
  },
};

/** An error with these details and no code was not handled; with a code, it is an internal error. */
const NO_DETAILS = 'google.protobuf.Empty';

const errorAnswer = (message: BatchAppendResp): AppendAnswer => {
  const error = message.getError();
  const details = error?.getDetails();
  const name = details?.getTypeName() ?? '';
  const text = error?.getMessage() ?? '';
  if (name === NO_DETAILS && error?.getCode() === 0) throw new NotWritten(text);
  const answer = ANSWERS[name];
  if (details === undefined || answer === undefined) throw new OutcomeUnknown(`EventStoreDB answered an append with ${text || name || 'nothing'}`);
  return answer(details, name);
};
