/**
 * A TEST TOOL, not for production: a real Redis on 127.0.0.1, without persistence and without a password.
 *
 *   node tools/redis/main.mjs --data <folder> [--port N]
 *
 * Prints `server-pid <pid>`, then `ready redis://127.0.0.1:<port>` when it listens. The server never outlives it.
 */
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { freePort, listening, onLeash } from '../s3/leash.mjs';
import { redisServer } from './redis-server.mjs';

const { values } = parseArgs({ options: { data: { type: 'string' }, port: { type: 'string', default: '0' } } });
if (values.data === undefined) {
  console.error('usage: node tools/redis/main.mjs --data <folder> [--port N]');
  process.exit(2);
}
try {
  await mkdir(values.data, { recursive: true });
  const port = Number(values.port) || (await freePort());
  const settings = { port, bind: '127.0.0.1', dir: values.data, save: '', appendonly: 'no' };
  const server = await onLeash(
    await redisServer(),
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
  );
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => server.stop().then(() => process.exit(0)));
  await listening(port, 20_000);
  console.log(`server-pid ${server.pid}\nready redis://127.0.0.1:${port}`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
