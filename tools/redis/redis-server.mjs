import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Apache-2.0; it contains unmodified Redis 6.2 servers (BSD-3-Clause). */
const ARTIFACT = 'com.github.codemonstur:embedded-redis:1.4.4:jar';
const UNPACK = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack';
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/palimpsest/redis', import.meta.url));
const SERVERS = {
  'linux x64': {
    entry: 'redis-server-6.2.6-v5-linux-amd64',
    sha256: '1f716094e08a25faee2bc7626feb9e13464ed89018ac5c376c5e9cff06bdcf52',
  },
  'linux arm64': {
    entry: 'redis-server-6.2.7-linux-arm64',
    sha256: '036a23aa65bfb31d2a048aa96c170b38c2fbd4f1de68ef0f9c3133dd4b1474cd',
  },
};

/**
 * A Redis server: the one on the PATH, or one from a Maven artifact, checked against its pinned SHA-256.
 * @returns {Promise<string>}
 */
export const redisServer = async () => {
  if (runs('redis-server')) return 'redis-server';
  const server = SERVERS[`${process.platform} ${process.arch}`];
  if (server === undefined) throw new Error(`install redis-server: there is no bundled one for ${process.platform} ${process.arch}`);
  const path = join(CACHE, server.entry);
  if (!existsSync(path)) await fetchFromMaven(server, path);
  if (!runs(path)) throw new Error(`${server.entry} does not run here (it needs OpenSSL 3): install redis-server`);
  return path;
};

const runs = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

const fetchFromMaven = async ({ entry, sha256 }, path) => {
  await mkdir(CACHE, { recursive: true });
  const unpacked = await mkdtemp(join(CACHE, 'unpacking-'));
  try {
    const args = ['-q', '-B', UNPACK, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${unpacked}`, `-Dmdep.unpack.includes=${entry}`];
    const mvn = spawnSync('mvn', args, { cwd: unpacked, encoding: 'utf8' });
    if (mvn.error) throw new Error(`neither redis-server nor mvn is on the PATH (${mvn.error.code}): install one of them`);
    if (mvn.status !== 0) throw new Error(`mvn could not unpack ${ARTIFACT}: ${mvn.stdout.slice(-2_000)}`);
    const got = createHash('sha256')
      .update(readFileSync(join(unpacked, entry)))
      .digest('hex');
    if (got !== sha256) throw new Error(`${ARTIFACT}, ${entry}: expected SHA-256 ${sha256}, got ${got}`);
    await chmod(join(unpacked, entry), 0o755);
    // Last, and atomically: a file with this name is complete.
    await rename(join(unpacked, entry), path);
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
};
