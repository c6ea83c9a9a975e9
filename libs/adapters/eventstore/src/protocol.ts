// The client's own messages. They are CommonJS modules whose export names Node cannot detect, so default imports are needed.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';

export const { BatchAppendReq: BatchAppendRequest, ReadReq: ReadRequest } = streams;
export const { Empty, StreamIdentifier, UUID, WrongExpectedVersion, MaximumAppendSizeExceeded, BadRequest } = shared;

export type ReadCall = ClientReadableStream<ReadResp>;
export type BatchCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;
export type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp };

export const streamIdentifier = (name: string): InstanceType<typeof StreamIdentifier> => {
  const identifier = new StreamIdentifier();
  identifier.setStreamName(Buffer.from(name));
  return identifier;
};

export const uuid = (id: string): InstanceType<typeof UUID> => {
  const message = new UUID();
  message.setString(id);
  return message;
};
