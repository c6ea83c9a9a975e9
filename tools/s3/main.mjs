/**
 * A TEST TOOL, not for production: a real S3 gateway (versitygw, files below a folder) behind a proxy with fault injection.
 *
 *   node tools/s3/main.mjs --data <folder> [--port N]
 *
 * Prints `ready <address>` when it listens, and before that `access-key`, `secret-key`, `region`, `bucket`, `control` (takes faults),
 * `gateway` (the server without the proxy) and `server-pid`. Its child processes never outlive it.
 */
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

import { controlServer } from './control.mjs';
import { Faults } from './faults.mjs';
import { freePort, listening, onLeash } from './leash.mjs';
import { faultyProxy } from './proxy.mjs';
import { versitygw } from './versitygw.mjs';

/** Public: the server listens on 127.0.0.1 only, and holds test data. */
const ACCESS = { accessKeyId: 'palimpsest-test', secretAccessKey: 'palimpsest-test-secret' };
const REGION = 'us-east-1';
const BUCKET = 'palimpsest';

const startGateway = async (folder) => {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const env = { ...process.env, ROOT_ACCESS_KEY: ACCESS.accessKeyId, ROOT_SECRET_KEY: ACCESS.secretAccessKey };
  const args = ['--quiet', '--keep-alive', '--region', REGION, '--port', `127.0.0.1:${port}`, 'posix', folder];
  const server = await onLeash(await versitygw(), args, env);
  await listening(port, 20_000);
  return { port, server };
};

const makeBucket = async (endpoint) => {
  const client = new S3Client({ endpoint, region: REGION, credentials: ACCESS, forcePathStyle: true });
  try {
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  } catch (error) {
    if (!/^BucketAlready/.test(error.name)) throw error;
  } finally {
    client.destroy();
  }
};

const listenOn = async (server, port) => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
};

const { values } = parseArgs({ options: { data: { type: 'string' }, port: { type: 'string', default: '0' } } });
if (values.data === undefined) {
  console.error('usage: node tools/s3/main.mjs --data <folder> [--port N]');
  process.exit(2);
}
const { port, server } = await startGateway(join(values.data, 's3')).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => server.stop().then(() => process.exit(0)));
const gateway = `http://127.0.0.1:${port}`;
await makeBucket(gateway);
const faults = new Faults();
console.log(`access-key ${ACCESS.accessKeyId}\nsecret-key ${ACCESS.secretAccessKey}\nregion ${REGION}\nbucket ${BUCKET}`);
console.log(`gateway ${gateway}\nserver-pid ${server.pid}\ncontrol ${await listenOn(controlServer(faults), 0)}`);
console.log(`ready ${await listenOn(faultyProxy(port, faults), Number(values.port))}`);
