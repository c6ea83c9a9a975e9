import { Corrupt, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import type { EchoCalls } from '../../test/echo-worker.ts';
import { WorkerChannel } from './worker-channel.ts';

const channelTo = (open: { refuse?: boolean } = {}): WorkerChannel<EchoCalls> =>
  new WorkerChannel<EchoCalls>('the echo', new URL('../../test/echo-worker.ts', import.meta.url), open);

describe('WorkerChannel', () => {
  it('returns the result of each call, and of the opening', async () => {
    const channel = channelTo();
    expect(await channel.open()).toBe('open');
    expect(await Promise.all(['a', 'b'].map((text) => channel.call('echo', text)))).toEqual(['a', 'b']);
    await channel.close();
  });

  it('converts faults of the worker to domain errors, and continues to work', async () => {
    const channel = channelTo();
    await expect(channel.call('fail', 'Corrupt')).rejects.toThrow(new Corrupt('position 7'));
    await expect(channel.call('fail', 'InvalidValue')).rejects.toThrow(new InvalidValue('file', 'a log', 'a tree'));
    await expect(channel.call('fail', 'bug')).rejects.toThrow(Unavailable);
    // Damage is reported in the words of the store that the worker serves.
    await expect(channel.call('fail', 'malformed')).rejects.toThrow(new Corrupt('the echo is damaged (database disk image is malformed)'));
    expect(await channel.call('echo', 'still there')).toBe('still there');
    await channel.close();
  });

  it('fails every pending call with Unavailable when the worker dies, and starts a new worker for the next call', async () => {
    const channel = channelTo();
    await channel.open();
    const pending = [channel.call('die', null), channel.call('echo', 'lost')].map((call) => expect(call).rejects.toThrow(Unavailable));
    await Promise.all(pending);
    expect(await channel.call('echo', 'back')).toBe('back');
    await channel.close();
  });

  it('fails every call when the worker cannot open', async () => {
    const channel = channelTo({ refuse: true });
    await expect(channel.open()).rejects.toThrow('not today');
    await expect(channel.call('echo', 'a')).rejects.toThrow('not today');
    await channel.close();
  });

  it('completes the calls in progress before it closes, and refuses later ones', async () => {
    const channel = channelTo();
    await channel.open();
    const inProgress = channel.call('echo', 'last');
    await Promise.resolve();
    const closing = channel.close();
    expect(await inProgress).toBe('last');
    await closing;
    await channel.close();
    await expect(channel.call('echo', 'late')).rejects.toThrow('the echo is closed');
  });
});
