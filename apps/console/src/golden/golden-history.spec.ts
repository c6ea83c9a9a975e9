import type { EventView } from '@palimpsest/client';
import { goldenStream, savesOf } from './golden-history.ts';

it.each([
  ['default', 'team:red', 'golden_set-default-team:red'],
  ['acme-x', 'user:a@b', 'golden_set-acme%2Dx-user:a%40b'],
])('the sets of %s, %s are in %s', (tenant, scope, stream) => expect(goldenStream({ tenant, scope })).toBe(stream));

it('shows who saved and removed a set, and leaves out other sets and withheld events', () => {
  const event = (type: string, data?: object) => ({ type, position: '7', recordedAt: 'now', actor: 'key:1', data }) as unknown as EventView;
  const events = [
    event('GoldenSetRemoved', { set: 'faq', version: 2 }),
    event('GoldenSetImported', { set: 'faq', version: 2 }),
    event('GoldenSetImported', { set: 'hr', version: 1 }),
    event('GoldenSetImported'),
  ];
  const saved = { position: '7', version: 2, recordedAt: 'now', actor: 'key:1' };
  expect(savesOf(events, 'faq')).toEqual([
    { ...saved, removed: true },
    { ...saved, removed: false },
  ]);
});
