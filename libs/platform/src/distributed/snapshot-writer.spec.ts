import { ServerAway } from '@palimpsest/knowledge/errors';
import { position } from '@palimpsest/knowledge/values';
import { singleNodeLeases } from '../embedded/single-node-leases.ts';
import { SnapshotWriter } from './snapshot-writer.ts';

type Ports = ConstructorParameters<typeof SnapshotWriter>[0];

/** A writer whose snapshots fail with these errors in turn, then succeed. */
const aWriter = (...failures: Error[]) => {
  const written: string[] = [];
  const faults: unknown[] = [];
  const head = position(7n);
  const ports = {
    snapshots: {
      write: async () => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        written.push(String(head));
        return head;
      },
    },
    runner: { serving: () => true },
    catalog: { position: async () => head },
    shares: singleNodeLeases((error) => void faults.push(error)),
    onFault: (error: unknown) => void faults.push(error),
  } as unknown as Ports;
  return { writer: new SnapshotWriter(ports, 1), written, faults, failures };
};

describe('the snapshot writer', () => {
  it('reports that the store is away, tries again, and then writes once, since nothing changed after that', async () => {
    const { writer, written, faults, failures } = aWriter(
      new ServerAway('no answer from the store'),
      new ServerAway('no answer from the store'),
    );
    await writer.start();
    while (written.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await writer.stop();
    expect([written, faults.length, failures]).toEqual([['7'], 2, []]);
  });
});
