/** Shared parts of the wire protocol: the messages of the official client, ids, expected revisions, errors. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
// All CommonJS: the client's messages and google-protobuf must be one instance, otherwise messages of two copies mix.
const generated = (name) => require(`@eventstore/db-client/generated/${name}`);
export const grpc = require('@grpc/grpc-js');
export const { StreamsService } = generated('streams_grpc_pb.js');
export const { ServerFeaturesService } = generated('serverfeatures_grpc_pb.js');
export const { GossipService } = generated('gossip_grpc_pb.js');
export const S = generated('streams_pb.js');
export const shared = generated('shared_pb.js');
export const features = generated('serverfeatures_pb.js');
export const gossip = generated('gossip_pb.js');
export const { Status } = generated('status_pb.js');
export const { Any } = require('google-protobuf/google/protobuf/any_pb.js');
export const { Empty: GEmpty } = require('google-protobuf/google/protobuf/empty_pb.js');
export const { status } = grpc;

/** Expected revisions that are not revisions: the server's own numbers, visible in trailers. */
export const ANY = -2;
export const NO_STREAM = -1;
export const STREAM_EXISTS = -4;

/** The page and the live buffer of a subscription, as in the real server. */
export const PAGE = 32;
/** `$tb` of a soft-deleted stream, as a double. */
export const DELETED_TB = 2 ** 63;
export const EMPTY = Buffer.alloc(0);

export const empty = () => new shared.Empty();
export const str = (buf) => Buffer.from(buf).toString('utf8');
export const ident = (name) => {
  const i = new shared.StreamIdentifier();
  i.setStreamName(Buffer.from(name));
  return i;
};
export const parseId = (u) => {
  if (!u?.hasStructured()) return (u?.getString() ?? '').toLowerCase();
  const hex = (v) => BigInt.asUintN(64, BigInt(v)).toString(16).padStart(16, '0');
  const h = hex(u.getStructured().getMostSignificantBits()) + hex(u.getStructured().getLeastSignificantBits());
  return h.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
};
export const makeId = (id, asString) => {
  const u = new shared.UUID();
  if (asString) {
    u.setString(id);
    return u;
  }
  const h = id.replaceAll('-', ''),
    st = new shared.UUID.Structured();
  st.setMostSignificantBits(BigInt.asIntN(64, BigInt('0x' + h.slice(0, 16))).toString());
  st.setLeastSignificantBits(BigInt.asIntN(64, BigInt('0x' + h.slice(16))).toString());
  u.setStructured(st);
  return u;
};
export const fail = (code, details, trailers = {}) => {
  const metadata = new grpc.Metadata();
  for (const [k, v] of Object.entries(trailers)) metadata.set(k, v);
  return Object.assign(new Error(details), { code, details, metadata });
};
export const streamDeleted = (n) =>
  fail(status.FAILED_PRECONDITION, `Event stream '${n}' is deleted.`, { exception: 'stream-deleted', 'stream-name': n });
export const wrongVersion = (op, n, expected, actual) =>
  fail(
    status.FAILED_PRECONDITION,
    `${op} failed due to WrongExpectedVersion. Stream: ${n}, Expected version: ${expected}, Actual version: ${actual}`,
    { exception: 'wrong-expected-version', 'stream-name': n, 'expected-version': String(expected), 'actual-version': String(actual) },
  );
export const tooBig = (max) =>
  fail(status.INVALID_ARGUMENT, `Maximum Append Size of ${max} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(max),
  });
/** From version 24 on, the server names it; 23.10 names it only for a read without a filter. */
export const invalidPosition = (version, filtered) =>
  Number.parseInt(version, 10) >= 24
    ? fail(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.')
    : fail(status.UNKNOWN, `Unexpected ${filtered ? 'FilteredReadAllResult: Error' : 'ReadAllResult: InvalidPosition'}`);

export const expectedOf = (o, revision) =>
  o.hasAny()
    ? ANY
    : o.hasNoStream()
      ? NO_STREAM
      : o.hasStreamExists()
        ? STREAM_EXISTS
        : (revision(o) ??
          (() => {
            throw fail(status.INVALID_ARGUMENT, "'None' is not a valid expected revision");
          })());
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export function proposed(m) {
  const md = m.getMetadataMap();
  for (const k of ['type', 'content-type'])
    if (!md.has(k))
      throw fail(status.INVALID_ARGUMENT, `Required Metadata Property '${k}' is missing`, {
        exception: 'missing-required-metadata-property',
        'required-metadata-properties': 'type,content-type',
      });
  const e = {
    id: parseId(m.getId()),
    type: md.get('type'),
    json: md.get('content-type') === 'application/json' ? 1 : 0,
    data: m.getData_asU8(),
    meta: m.getCustomMetadata_asU8(),
  };
  if (!GUID.test(e.id)) throw fail(status.UNKNOWN, `Exception was thrown by handler. Unrecognized Guid format: ${e.id}`);
  if (/^[0-]+$/.test(e.id)) throw fail(status.UNKNOWN, 'Empty eventId provided.');
  if (!e.type) throw fail(status.UNKNOWN, 'Empty eventType provided.');
  return e;
}
export const sizeOf = (e) => e.data.length + e.meta.length + e.type.length * 2;
