/** Started by `worker-channel.spec.ts`: returns its input, and fails or dies on request. */
import { serveCalls } from '../src/log/serve-calls.ts';
import { WorkerFault } from '../src/log/worker-protocol.ts';

export type EchoCalls = {
  open: { request: { refuse?: boolean }; answer: string };
  echo: { request: string; answer: string };
  fail: { request: 'Corrupt' | 'InvalidValue' | 'malformed' | 'bug'; answer: null };
  die: { request: null; answer: null };
  close: { request: null; answer: null };
};

serveCalls<EchoCalls>(
  {
    open: ({ refuse }) => {
      if (refuse === true) throw new WorkerFault({ code: 'Unavailable', message: 'not today' });
      return 'open';
    },
    echo: (text) => text,
    fail: (code) => {
      if (code === 'Corrupt') throw new WorkerFault({ code, message: 'position 7' });
      if (code === 'InvalidValue') throw new WorkerFault({ code, field: 'file', expected: 'a log', got: 'a tree' });
      // SQLITE_CORRUPT, as `node:sqlite` reports it.
      if (code === 'malformed') throw Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
      throw new TypeError('undefined is not a function');
    },
    die: () => process.exit(3),
    close: () => null,
  },
  (message) => `the echo is damaged (${message})`,
);
