/**
 * Packages that stay in `node_modules`, each for a reason that a bundle cannot meet. A package must not be both bundled and loaded from
 * `node_modules` in one process, because it would then exist twice.
 */
const EXTERNAL = new Map([
  ['onnxruntime-node', 'loads a native library'],
  ['pino', 'starts worker threads from files of its own'],
  ['thread-stream', 'starts worker threads from files of its own'],
  ['kafkajs', 'libs/adapters/kafka corrects a class of it, which it loads by its path'],
  ['@eventstore/db-client', 'its generated code extends global objects'],
  ['@grpc/grpc-js', 'is also loaded by @eventstore/db-client'],
  ['google-protobuf', 'its generated code extends global objects'],
]);

/** The package's name in `@scope/name/file` or `name/file`. */
const packageOf = (id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/');

export const isExternal = (id) => id.startsWith('node:') || EXTERNAL.has(packageOf(id));
