import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/**
 * System calls with effects outside of a process: addresses, names of files, programs. Writes through io_uring are invisible to a
 * tracer, so io_uring is disabled in a traced program.
 */
const TRACED = [
  'connect',
  'sendto',
  'sendmsg',
  'sendmmsg',
  'execve',
  'execveat',
  'open',
  'openat',
  'openat2',
  'creat',
  'mkdir',
  'mkdirat',
  'mknod',
  'mknodat',
  'truncate',
  'rename',
  'renameat',
  'renameat2',
  'link',
  'linkat',
  'symlink',
  'symlinkat',
];

/** Arguments that make strace write the calls of a program and its child processes to a file. */
export const traceInto = (file: string): string[] => [
  ...['-f', '--seccomp-bpf', '-qq', '-yy', '-s', '4096', '-o', file],
  ...['-e', `trace=${TRACED.join(',')},io_uring_setup`, '-e', 'inject=io_uring_setup:error=ENOSYS', '-e', 'signal=none'],
];

const APT = ['apt-get', 'install', '--yes', '-qq', '--no-install-recommends', 'strace'] as const;

/** @throws an error that says what to install. In CI, as root on Debian or Ubuntu, it installs strace. */
export const ensureStrace = (): void => {
  const runs = (): boolean => spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;
  if (runs()) return;
  if (process.env['CI'] !== undefined && process.getuid?.() === 0)
    spawnSync(APT[0], APT.slice(1), { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (!runs()) throw new Error('this suite traces system calls and needs strace on Linux: install it (on Debian the package strace)');
};

/** The calls with all their arguments. The two halves of an interrupted call are joined. */
const wholeCalls = (trace: string): string[] => {
  const begun = new Map<string, string>();
  const calls: string[] = [];
  for (const line of trace.split('\n')) {
    const [, pid = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(call);
    if (call.endsWith('<unfinished ...>')) begun.set(pid, call.slice(0, -'<unfinished ...>'.length));
    else if (resumed) calls.push(`${begun.get(pid) ?? ''}${resumed[1] ?? ''}`);
    else if (call !== '') calls.push(call);
  }
  return calls;
};

const LOOPBACK = /sin_addr=inet_addr\("127\.|sin6_addr=inet_pton\(AF_INET6, "::1"\)|inet_pton\(AF_INET6, "::ffff:127\./;

/** Calls to an internet address outside of this machine. Port 53 always counts, because a resolver on loopback forwards to others. */
const isOutward = (call: string): boolean =>
  /^(?:connect|send\w+)\(/.test(call) && /sa_family=AF_INET6?/.test(call) && (!LOOPBACK.test(call) || /htons\(53\)/.test(call));

/** `getaddrinfo` reads this file before it sends a query, or asks a daemon on this machine instead. */
const isLookup = (call: string): boolean => /^open\w*\(.*"\/etc\/hosts"/.test(call) || /sun_path=.*(?:nscd|resolve)/.test(call);

const WRITES = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND/;

/** The paths that a call creates or opens for writing, absolute. */
const writtenBy = (call: string): string[] => {
  const [, name = '', given = ''] = /^(\w+)\((.*)\) +=/.exec(call) ?? [];
  if (/^(?:connect|send|exec|io_uring)/.test(name) || (name.startsWith('open') && !WRITES.test(given))) return [];
  // Each path is relative to the folder before it: `AT_FDCWD</work>, "file"`; without one, to the working folder, which is never used here.
  return [...given.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"/g)].map(([, folder = '/', path = '']) => resolve(folder, path));
};

/** What the calls of a trace did outside of a folder, one line per call. */
export const outsideOf = (
  folder: string,
  trace: string,
): { outward: string[]; lookups: string[]; written: string[]; programs: string[] } => {
  const calls = wholeCalls(trace);
  // `/dev/null` is for the standard streams of child processes that need none.
  const isInside = (path: string): boolean => path === folder || path.startsWith(`${folder}/`) || path === '/dev/null';
  return {
    outward: calls.filter(isOutward),
    lookups: calls.filter(isLookup),
    written: calls.flatMap(writtenBy).filter((path) => !isInside(path)),
    programs: [...new Set(calls.flatMap((call) => /^execve\w*\("([^"]+)"/.exec(call)?.[1] ?? []))],
  };
};
