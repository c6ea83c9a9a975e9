import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = 'v1.8.0';
const PACKAGE = `github.com/versity/versitygw/cmd/versitygw@${VERSION}`;
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/palimpsest/versitygw', import.meta.url));
const BINARY = join(CACHE, `versitygw-${VERSION}`);

/**
 * The path of a versitygw (Apache-2.0) of the pinned version; built by the Go toolchain when it is not there yet, which takes
 * minutes. Two who build at once do the work twice and both end with a whole binary.
 * @returns {Promise<string>}
 */
export const versitygw = async () => {
  if (existsSync(BINARY)) return BINARY;
  await mkdir(CACHE, { recursive: true });
  const building = await mkdtemp(join(CACHE, 'building-'));
  try {
    await goInstall(building);
    // Only a finished build gets the name: one that was broken off is never taken for a binary.
    await rename(join(building, 'versitygw'), BINARY);
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return BINARY;
};

const goInstall = async (into) => {
  const go = spawn('go', ['install', PACKAGE], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, GOBIN: into } });
  let told = '';
  go.stderr.setEncoding('utf8').on('data', (text) => (told = (told + text).slice(-2_000)));
  const [code] = await once(go, 'close').catch((error) => {
    const why = error.code === 'ENOENT' ? 'there is no "go" on the PATH' : error.message;
    throw new Error(`the S3 test server is ${PACKAGE}, built by Go 1.25 or newer, and ${why}: install Go, or name a server by S3_ENDPOINT`);
  });
  if (code !== 0) throw new Error(`go install ${PACKAGE} failed (${code}): ${told}`);
};
