import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = dirname(fileURLToPath(import.meta.url));

/** Survives `npm ci` of nothing else: a folder that tools may keep what they fetch in. */
export const CACHE = join(HERE, '../../node_modules/.cache/palimpsest/kafka');
const JARS = join(CACHE, 'jars-4.3.1');
const POM = join(HERE, 'pom.xml');

const exists = (path) =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Fetches Kafka's jars once. They are put together in a folder of its own and renamed at the end, so that whoever finds the
 * folder finds all of it, and two processes that fetch at the same time do not disturb each other.
 */
const fetchJars = async () => {
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(join(CACHE, 'fetching-'));
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  await run('mvn', ['-B', '-q', '-ntp', '-f', POM, goal, '-DincludeScope=runtime', `-DoutputDirectory=${unfinished}`]);
  await rename(unfinished, JARS).catch(async (error) => {
    await rm(unfinished, { recursive: true, force: true });
    // another process was quicker
    if (!(await exists(JARS))) throw error;
  });
};

/** @returns {Promise<string>} the class path of a broker */
export const classPath = async () => {
  if (!(await exists(JARS))) await fetchJars();
  const names = (await readdir(JARS)).filter((name) => name.endsWith('.jar')).sort();
  return names.map((name) => join(JARS, name)).join(':');
};
