/**
 * Creates the bucket PALIMPSEST_S3_BUCKET if it does not exist. Run it once before the services, which never create it themselves.
 * Repeating it is harmless. It waits up to a minute for the store.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const setting = (name) => {
  const value = process.env[name];
  if (value) return value;
  process.stderr.write(`${name} is not set\n`);
  return process.exit(2);
};

const Bucket = setting('PALIMPSEST_S3_BUCKET');
const client = new S3Client({
  endpoint: setting('PALIMPSEST_S3_ENDPOINT'),
  region: process.env.PALIMPSEST_S3_REGION || 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: setting('PALIMPSEST_S3_ACCESS_KEY_ID'), secretAccessKey: setting('PALIMPSEST_S3_SECRET_ACCESS_KEY') },
  maxAttempts: 1,
});

/** When two processes create the bucket at the same time, one gets such an error and can ignore it. */
const ALREADY_EXISTS = new Set(['BucketAlreadyOwnedByYou', 'BucketAlreadyExists']);

const ensure = async () => {
  try {
    await client.send(new HeadBucketCommand({ Bucket }));
    return 'exists';
  } catch (error) {
    if (error.$metadata?.httpStatusCode !== 404) throw error;
  }
  await client.send(new CreateBucketCommand({ Bucket })).catch((error) => {
    if (!ALREADY_EXISTS.has(error.name)) throw error;
  });
  return 'was created';
};

/** Errors that a retry cannot fix, such as wrong credentials. */
const isFinal = (error) => [400, 401, 403].includes(error.$metadata?.httpStatusCode);

const until = Date.now() + 60_000;
for (;;) {
  try {
    process.stdout.write(`bucket ${Bucket} ${await ensure()}\n`);
    break;
  } catch (error) {
    if (isFinal(error) || Date.now() > until) {
      process.stderr.write(`bucket ${Bucket}: ${error.name}: ${error.message}\n`);
      process.exitCode = 1;
      break;
    }
    await sleep(1_000);
  }
}
client.destroy();
