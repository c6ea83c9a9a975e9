import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = dirname(fileURLToPath(import.meta.url));

/** A folder for downloads of tools, which is lost with node_modules. */
export const CACHE = join(HERE, '../../node_modules/.cache/palimpsest/kafka');
const JARS = join(CACHE, 'jars-4.3.1');
const POM = join(HERE, 'pom.xml');

const exists = (path) =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Downloads Kafka's jars once. They are collected in a temporary folder and renamed at the end, so that an existing
 * folder is always complete, and two concurrent downloads do not disturb each other.
 */
const fetchJars = async () => {
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(join(CACHE, 'fetching-'));
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  await run('mvn', ['-B', '-q', '-ntp', '-f', POM, goal, '-DincludeScope=runtime', `-DoutputDirectory=${unfinished}`]);
  await rename(unfinished, JARS).catch(async (error) => {
    await rm(unfinished, { recursive: true, force: true });
    // another process was faster
    if (!(await exists(JARS))) throw error;
  });
};

/** @returns {Promise<string>} the class path of a broker */
export const classPath = async () => {
  if (!(await exists(JARS))) await fetchJars();
  const names = (await readdir(JARS)).filter((name) => name.endsWith('.jar')).sort();
  return names.map((name) => join(JARS, name)).join(':');
};
