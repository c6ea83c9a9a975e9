import { setTimeout as sleep } from 'node:timers/promises';
import { describeEventLog, type EventLogUnderTest } from '@palimpsest/test-kit';
import { openEventStoreLog } from '../src/index.ts';
import { aNamespace, serverUnderTest } from '../test/a-server.ts';

let server: Awaited<ReturnType<typeof serverUnderTest>>;
beforeAll(async () => {
  server = await serverUnderTest();
});
afterAll(() => server.dispose());

/** Each test has its own namespace: a server cannot be emptied. */
const open = async (): Promise<EventLogUnderTest> => {
  const options = { connectionString: server.url, namespace: aNamespace() };
  let log = await openEventStoreLog(options);
  return {
    log,
    reopen: async () => {
      await log.close();
      return (log = await openEventStoreLog(options));
    },
    letTimePass: (seconds) => sleep(seconds * 1000),
    dispose: () => log.close(),
  };
};

describeEventLog('EventStoreLog', open);
