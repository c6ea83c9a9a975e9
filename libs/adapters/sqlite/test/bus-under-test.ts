import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import type { MessageBusUnderTest } from '@palimpsest/test-kit';
import { openKillableBus } from '../src/bus/open-sqlite-message-bus.ts';
import { FakeClock } from './fake-clock.ts';

/** A bus in a temporary folder, on a clock that only the kit advances. */
export const openBusUnderTest = async (): Promise<MessageBusUnderTest> => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-bus-'));
  const clock = new FakeClock();
  const open = () => openKillableBus({ file: join(folder, 'queues.db'), clock });
  let current = await open();
  const restarted = async (end: () => Promise<void>): Promise<MessageBus> => {
    await end();
    current = await open();
    return current.bus;
  };
  return {
    bus: current.bus,
    passTime: (ms) => clock.pass(ms, () => settle(current.bus)),
    reopen: () => restarted(() => current.bus.close()),
    crash: () => restarted(() => current.kill()),
    dispose: async () => {
      await current.kill();
      await rm(folder, { recursive: true });
    },
  };
};

/** The worker answers in order, so after a few answers all work in progress has ended or reached a handler. */
const settle = async (bus: MessageBus): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) {
    await bus.lag('any', 'any').catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
};
