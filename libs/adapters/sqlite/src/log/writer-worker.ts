import { EventRetention } from './event-retention.ts';
import { EventTruncation } from './event-truncation.ts';
import { EventWriter } from './event-writer.ts';
import type { WriterCalls } from './log-calls.ts';
import { openLogFile, type LogFile } from './log-file.ts';
import { damagedLog, serveCalls } from './serve-calls.ts';
import { WorkerFault } from './worker-protocol.ts';

type Opened = Readonly<{ file: LogFile; writer: EventWriter; retention: EventRetention; truncation: EventTruncation }>;
let current: Opened | undefined;

const opened = (): Opened => {
  if (current === undefined) throw new WorkerFault({ code: 'Unavailable', message: 'the event log is not open' });
  return current;
};

serveCalls<WriterCalls>(
  {
    open: ({ file: path }) => {
      const file = openLogFile(path);
      const { database } = file;
      current = {
        file,
        writer: new EventWriter(database),
        retention: new EventRetention(database),
        truncation: new EventTruncation(database),
      };
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
    truncate: ({ stream, before }) => {
      opened().truncation.truncate(stream, before);
      return null;
    },
    removeExpired: ({ now }) => {
      const { file, retention } = opened();
      const removed = retention.removeSome(now);
      if (removed > 0) file.removed.added();
      else file.removed.erase();
      return removed;
    },
    removeTruncated: () => {
      const { file, truncation } = opened();
      const removed = truncation.removeSome();
      if (removed) file.removed.added();
      else file.removed.erase();
      return removed;
    },
    close: () => {
      current?.file.close();
      current = undefined;
      return null;
    },
  },
  damagedLog,
);
