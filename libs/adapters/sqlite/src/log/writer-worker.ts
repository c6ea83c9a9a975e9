import { EventRetention } from './event-retention.ts';
import { EventWriter } from './event-writer.ts';
import type { WriterCalls } from './log-calls.ts';
import { openLogFile, type LogFile } from './log-file.ts';
import { damagedLog, serveCalls } from './serve-calls.ts';
import { WorkerFault } from './worker-protocol.ts';

type Opened = Readonly<{ file: LogFile; writer: EventWriter; retention: EventRetention }>;
let current: Opened | undefined;

const opened = (): Opened => {
  if (current === undefined) throw new WorkerFault({ code: 'Unavailable', message: 'the event log is not open' });
  return current;
};

serveCalls<WriterCalls>(
  {
    open: ({ file: path }) => {
      const file = openLogFile(path);
      current = { file, writer: new EventWriter(file.database), retention: new EventRetention(file.database) };
      return file.head;
    },
    append: ({ appends, now }) => {
      const { file, writer } = opened();
      const answers = writer.append(appends, now);
      // Written once for the whole group: each update is a system call.
      file.acknowledged.reached(Math.max(0, ...answers.map((answer) => (answer.outcome === 'appended' ? answer.position : 0))));
      return answers;
    },
    setRetention: ({ stream, maxAgeMs }) => {
      opened().retention.setLimit(stream, maxAgeMs);
      return null;
    },
    removeExpired: ({ now }) => opened().retention.removeSome(now),
    close: () => {
      current?.file.close();
      current = undefined;
      return null;
    },
  },
  damagedLog,
);
