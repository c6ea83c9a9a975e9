import { Conflict, InvalidValue, NotFound } from '../errors.ts';
import type { GoldenSetEvent } from '../events/golden-events.ts';
import { sha256 } from '../values/ids.ts';
import { GOLDEN_LIMITS, goldenSetName, type GoldenSetName } from '../values/golden-set.ts';
import { vectorScope } from '../values/scope.ts';
import { specify } from '../../test/given-when-then.ts';
import { goldenSets, type GoldenSetsCommand } from './golden-sets.ts';

const now = '2026-11-26T08:00:00.000Z';
const scope = vectorScope('team:red');
const FAQ = goldenSetName('faq');
const COUNTS = { parts: 1, queries: 2, judgements: 3, synthetic: 1, bytes: 100 };
const { given } = specify(goldenSets);

type Options = Readonly<{ set?: GoldenSetName; bytes?: number }>;
const digest = (content: string) => sha256(Buffer.from(content).toString('hex').padStart(64, '0'));
const imported = (version: number, content: string, { set = FAQ, bytes = COUNTS.bytes }: Options = {}): GoldenSetEvent => ({
  type: 'GoldenSetImported',
  data: { scope, set, version, content: digest(content), ...COUNTS, bytes, importedAt: now },
});
const removed = (version: number): GoldenSetEvent => ({ type: 'GoldenSetRemoved', data: { scope, set: FAQ, version, removedAt: now } });
const known = (expected?: number) => (expected === undefined ? {} : { expected });
const importing = (
  content: string,
  { set = FAQ, bytes = COUNTS.bytes, expected }: Options & { expected?: number } = {},
): GoldenSetsCommand => ({
  type: 'ImportSet',
  scope,
  set,
  content: digest(content),
  counts: { ...COUNTS, bytes },
  ...known(expected),
  now,
});
const removing = (expected?: number): GoldenSetsCommand => ({ type: 'RemoveSet', scope, set: FAQ, ...known(expected), now });
const others = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, i) => imported(1, 'a', { set: goldenSetName(`set-${i}`), bytes }));

describe('a golden set', () => {
  it('gets a version with each import', () =>
    void given().when(importing('a')).then(imported(1, 'a')).when(importing('b')).then(imported(2, 'b')));
  it('does not change if the content is the same', () => void given(imported(1, 'a')).when(importing('a')).then());
  it('can get the content of an earlier version again', () =>
    void given(imported(1, 'a'), imported(2, 'b')).when(importing('a')).then(imported(3, 'a')));
  it('has the counts of its latest version', () =>
    given(imported(1, 'a'))
      .when(importing('b', { bytes: 7 }))
      .thenState(({ current }) => expect(current.get(FAQ)).toMatchObject({ version: 2, content: digest('b'), bytes: 7, importedAt: now })));
  it('can be removed, and continues its numbers afterwards', () =>
    void given(imported(1, 'a')).when(removing()).then(removed(1)).when(importing('a')).then(imported(2, 'a')));
  it('cannot be removed if there is none', () => {
    given().when(removing()).thenRefuses(NotFound);
    given(imported(1, 'a'), removed(1)).when(removing()).thenRefuses(NotFound);
  });
});

describe('the expected version', () => {
  it('is the current one', () => {
    given(imported(1, 'a'))
      .when(importing('b', { expected: 1 }))
      .then(imported(2, 'b'));
    given(imported(1, 'a')).when(removing(1)).then(removed(1));
  });
  it('is 0 if there is no set', () => {
    given()
      .when(importing('a', { expected: 0 }))
      .then(imported(1, 'a'));
    given(imported(1, 'a'), removed(1))
      .when(importing('a', { expected: 0 }))
      .then(imported(2, 'a'));
  });
  it('refuses the change of a person who does not know the latest version', () => {
    given(imported(1, 'a'), imported(2, 'b'))
      .when(importing('c', { expected: 1 }))
      .thenRefuses(Conflict, /"faq" is at version 2, not at version 1/);
    given(imported(1, 'a'))
      .when(importing('b', { expected: 0 }))
      .thenRefuses(Conflict);
    given()
      .when(importing('a', { expected: 1 }))
      .thenRefuses(Conflict, /"faq" does not exist/);
    given(imported(1, 'a'), imported(2, 'b')).when(removing(1)).thenRefuses(Conflict);
  });
  it('does not refuse a repeated request because of its own effect', () =>
    void given(imported(1, 'a'), imported(2, 'b'))
      .when(importing('b', { expected: 1 }))
      .then());
});

describe('a scope', () => {
  it('has a limited number of golden sets, and existing ones can still be replaced', () => {
    const all = others(GOLDEN_LIMITS.sets, 1);
    given(...all)
      .when(importing('a'))
      .thenRefuses(InvalidValue, /^set: expected at most 100 golden sets/);
    given(...all)
      .when(importing('b', { set: goldenSetName('set-3') }))
      .then(imported(2, 'b', { set: goldenSetName('set-3') }));
  });
  it('has a limited size of all golden sets, where a new version replaces the old one', () => {
    const full = others(4, GOLDEN_LIMITS.scopeBytes / 4);
    given(...full)
      .when(importing('a', { bytes: 1 }))
      .thenRefuses(InvalidValue, /67108865 bytes/);
    const same = { set: goldenSetName('set-0'), bytes: GOLDEN_LIMITS.scopeBytes / 4 };
    given(...full)
      .when(importing('b', same))
      .then(imported(2, 'b', same));
  });
});
