import type { EncodedEvent } from './encode-events.ts';
import { BatchAppendRequest, Empty, streamIdentifier, uuid, type BatchAppendReq } from './protocol.ts';

const { Options, ProposedMessage } = BatchAppendRequest;

/** Bytes of events in one message. A larger append is sent as several messages, since servers limit messages to about 4 MB. */
const MESSAGE_BYTES = 1024 * 1024;
/** Generous estimate for an event's id, content type and framing. */
const EVENT_OVERHEAD = 200;

export type AppendRequest = Readonly<{
  /** The name of the stream on the server. */
  stream: string;
  events: readonly EncodedEvent[];
  /** -1 for a stream without events. */
  expected: number;
}>;

/** One append as the messages of BatchAppend. `deadline`: Unix ms until which the server may carry it out. */
export const appendMessages = (
  { stream, events, expected }: AppendRequest,
  correlationId: string,
  deadline: number,
): readonly BatchAppendReq[] => {
  const options = withDeadline(deadline);
  options.setStreamIdentifier(streamIdentifier(stream));
  if (expected < 0) options.setNoStream(new Empty() as never);
  else options.setStreamPosition(String(expected));
  let message = emptyMessage(correlationId);
  message.setOptions(options);
  const messages = [message];
  let bytes = 0;
  for (const event of events) {
    const size = event.data.length + event.metadata.length + event.type.length + EVENT_OVERHEAD;
    if (bytes > 0 && bytes + size > MESSAGE_BYTES) {
      message = emptyMessage(correlationId);
      messages.push(message);
      bytes = 0;
    }
    message.addProposedMessages(proposed(event));
    bytes += size;
  }
  message.setIsFinal(true);
  return messages;
};

const emptyMessage = (correlationId: string): BatchAppendReq => {
  const message = new BatchAppendRequest();
  message.setCorrelationId(uuid(correlationId));
  message.setIsFinal(false);
  return message;
};

const proposed = ({ id, type, json, data, metadata }: EncodedEvent): InstanceType<typeof ProposedMessage> => {
  const message = new ProposedMessage();
  message.setId(uuid(id));
  message
    .getMetadataMap()
    .set('type', type)
    .set('content-type', json ? 'application/json' : 'application/octet-stream');
  message.setData(data);
  if (metadata.length > 0) message.setCustomMetadata(metadata);
  return message;
};

/**
 * Options with field 6, a google.protobuf.Timestamp, written as bytes: the class of the timestamp belongs to a package that only
 * the client depends on.
 */
const withDeadline = (unixMs: number): InstanceType<typeof Options> => {
  const seconds = varint(Math.ceil(unixMs / 1000));
  return Options.deserializeBinary(Uint8Array.from([(6 << 3) | 2, seconds.length + 1, 1 << 3, ...seconds]));
};

const varint = (value: number): readonly number[] => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
};
