import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE, classPath } from './jars.mjs';

const LOGGING = fileURLToPath(new URL('./log4j2.properties', import.meta.url));
/** Classes of a started broker, loaded and checked: halves the start time. */
export const ARCHIVE = join(CACHE, 'kafka-4.3.1.jsa');
const SMALL = ['-Xms48m', '-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xlog:cds=off', '-Xlog:cds+dynamic=off'];

/**
 * Runs Java under a shell that reads this process's pipe: when this process ends for any reason, the pipe closes and the
 * shell kills Java. It prints Java's process id first.
 */
const WATCHDOG = `
exec 3<&0
"$@" </dev/null 3<&- & java=$!
echo "$java"
(cat <&3 >/dev/null; kill -9 "$java") 2>/dev/null & watch=$!
wait "$java"; code=$?
kill "$watch" 2>/dev/null
exit $code`;

/** @returns {Promise<{ pid: number, ended: Promise<void>, errors: () => string }>} */
export const startJava = async (main, args, options = []) => {
  const archive = await access(ARCHIVE).then(
    () => [`-XX:SharedArchiveFile=${ARCHIVE}`],
    () => [],
  );
  const java = ['java', ...SMALL, ...(options.length > 0 ? options : archive), `-Dlog4j2.configurationFile=${LOGGING}`];
  const command = [...java, '-cp', await classPath(), main, ...args];
  const child = spawn('sh', ['-c', WATCHDOG, 'kafka', ...command], { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-4_000)));
  const ended = once(child, 'exit').then(() => undefined);
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  child.stdout.on('data', (text) => (errors = (errors + text).slice(-4_000)));
  return { pid: Number(line.split('\n')[0]), ended, errors: () => errors, code: () => child.exitCode };
};

/** Runs it to its end. @throws Error with its output if it failed */
export const runJava = async (main, args) => {
  const java = await startJava(main, args);
  await java.ended;
  if (java.code() !== 0) throw new Error(`${main} failed: ${java.errors()}`);
};

/** Options of a broker that writes the archive when it stops, and a function that publishes the archive. */
export const recordArchive = () => {
  const unfinished = `${ARCHIVE}.${process.pid}`;
  return { options: [`-XX:ArchiveClassesAtExit=${unfinished}`], publish: () => rename(unfinished, ARCHIVE).catch(() => undefined) };
};
