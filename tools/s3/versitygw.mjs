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
 * The path of a versitygw (Apache-2.0) of the pinned version. If it is missing, the Go toolchain builds it, which takes
 * minutes. Two concurrent builds do the work twice, and both end with a complete binary.
 * @returns {Promise<string>}
 */
export const versitygw = async () => {
  if (existsSync(BINARY)) return BINARY;
  await mkdir(CACHE, { recursive: true });
  const building = await mkdtemp(join(CACHE, 'building-'));
  try {
    await goInstall(building);
    // Only a finished build gets the name: an interrupted one never looks like a binary.
    await rename(join(building, 'versitygw'), BINARY);
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return BINARY;
};

const goInstall = async (into) => {
  const go = spawn('go', ['install', PACKAGE], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, GOBIN: into } });
  let output = '';
  go.stderr.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-2_000)));
  const [code] = await once(go, 'close').catch((error) => {
    const why = error.code === 'ENOENT' ? 'there is no "go" on the PATH' : error.message;
    throw new Error(
      `the S3 test server is ${PACKAGE}, built with Go 1.25 or newer, but ${why}: install Go, or set S3_ENDPOINT to the address of a server`,
    );
  });
  if (code !== 0) throw new Error(`go install ${PACKAGE} failed (${code}): ${output}`);
};
