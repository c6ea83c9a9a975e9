import { appendFileSync } from 'node:fs';
import { Stores } from './stores.ts';

const HALF_A_NOTE = 'log wal\twrite\tok\t1\t585096\t585096\t0\t4096\tlog/events.db-wal\t\n';

describe('the notes of a disk under orders', () => {
  it('are those of every life, also when a kill has cut one off', async () => {
    const stores = new Stores();
    await stores.live(2, 'kill');
    // A kill from outside, in the middle of a note: its head is there, and 4,096 bytes are announced that never come.
    appendFileSync(stores.disk.journal, HALF_A_NOTE);
    const { refused } = await stores.live(3, 'kill');
    expect(refused).toEqual([]);
    expect(stores.disk.powerCut()).toBeGreaterThan(0);
    expect(await stores.wrong()).toEqual([]);
  });

  it('are refused when they cannot be read: a power cut by half of them would take what no disk takes', async () => {
    const stores = new Stores();
    await stores.live(1, 'stop');
    appendFileSync(stores.disk.journal, `${HALF_A_NOTE}${stores.disk.records().length} notes came before\n`.padEnd(8_192, '\n'));
    expect(() => stores.disk.powerCut()).toThrow(/notes of the disk cannot be read at byte \d+/);
  });
});
