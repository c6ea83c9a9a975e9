import { appendFileSync } from 'node:fs';
import { Stores } from './stores.ts';

const HALF_A_RECORD = 'log wal\twrite\tok\t1\t585096\t585096\t0\t4096\tlog/events.db-wal\t\n';

describe('the journal of a faulty disk', () => {
  it('contains the records of every run, also if a kill truncated one', async () => {
    const stores = new Stores();
    await stores.run(2, 'kill');
    // As after a kill during a record: its head announces 4,096 bytes that are missing.
    appendFileSync(stores.disk.journal, HALF_A_RECORD);
    const { refused } = await stores.run(3, 'kill');
    expect(refused).toEqual([]);
    expect(stores.disk.powerCut()).toBeGreaterThan(0);
    expect(await stores.findProblems()).toEqual([]);
  });

  it('is refused if it cannot be read, because an incomplete journal would lose more than a power cut does', async () => {
    const stores = new Stores();
    await stores.run(1, 'stop');
    appendFileSync(stores.disk.journal, `${HALF_A_RECORD}${stores.disk.records().length} earlier records\n`.padEnd(8_192, '\n'));
    expect(() => stores.disk.powerCut()).toThrow(/disk journal cannot be read at byte \d+/);
  });
});
