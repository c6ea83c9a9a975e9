import { generationId, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';
import { aChunk } from '../../test/fixture.ts';
import { attributePayload, attributesIn, fieldToken, valueToken } from './attribute-payload.ts';
import { translate } from './filter-translation.ts';
import { partitionSeal, type PartitionSeal } from './partition-seal.ts';

const keys = new InMemoryScopeKeys();
const sealOf = (scope: string, generation = 'g1') =>
  partitionSeal(keys, { scope: { tenant: tenantId('acme'), scope: vectorScope(scope) }, generation: generationId(generation) });
let seal: PartitionSeal;
beforeAll(async () => void (seal = await sealOf('deployment')));

const held = (token: string) => ({ key: 'has', match: { value: token } });
const any = (field: string) => held(fieldToken(seal, field));

describe('translate', () => {
  it('expresses equality with tokens, which include the type of a value', () => {
    expect(translate({ eq: { field: 'a.b', value: 1 } }, seal)).toEqual({ condition: held(valueToken(seal, 'a.b', 1)), exact: true });
    const tokens = [...[1, '1', true, 'true'].map((value) => valueToken(seal, 'a', value)), fieldToken(seal, 'a')];
    expect(new Set(tokens).size).toBe(5);
    expect(valueToken(seal, 'a', -0)).toBe(valueToken(seal, 'a', 0));
  });

  it('matches nothing if no value can be between the bounds, and every chunk with the field without bounds', () => {
    expect(translate({ range: { field: 'page', gte: 1, lt: 'x' } }, seal)).toEqual({ condition: false, exact: true });
    expect(translate({ range: { field: 'page' } }, seal)).toEqual({ condition: any('page'), exact: true });
  });

  it('matches more than a prefix or a range, never less, also within a not', () => {
    const prefix = { prefix: { field: 'a', value: 'x' } };
    expect(translate(prefix, seal)).toEqual({ condition: any('a'), exact: false });
    expect(translate({ not: prefix }, seal)).toEqual({ condition: true, exact: false });
    expect(translate({ not: { not: prefix } }, seal)).toEqual({ condition: { must_not: [{ must_not: [any('a')] }] }, exact: false });
    for (const range of [
      { field: 'a', gt: 'x' },
      { field: 'a', gte: 1, lt: 3 },
    ]) {
      expect(translate({ range }, seal)).toEqual({ condition: any('a'), exact: false });
      expect(translate({ not: { range } }, seal)).toEqual({ condition: true, exact: false });
    }
    expect(translate({ and: [prefix, { eq: { field: 'b', value: 'y' } }] }, seal)).toEqual({
      condition: { must: [any('a'), held(valueToken(seal, 'b', 'y'))] },
      exact: false,
    });
    expect(translate({ or: [{ not: prefix }, { exists: { field: 'b' } }] }, seal)).toEqual({ condition: true, exact: false });
  });
});

describe('attributePayload', () => {
  const one = aChunk(1);

  it('shows nothing of names and values, of any length, in tokens that only the scope can make', async () => {
    // None of them is in the Base64 of random bytes by chance.
    const attributes = { title: 'Quarterly figures', 'label.team': 'crimson', 'label.long': 'x'.repeat(5_000) };
    const payload = attributePayload(seal, one, attributes);
    for (const [field, value] of Object.entries(attributes)) {
      expect(payload.has).toContain(valueToken(seal, field, value));
      for (const seen of [payload, Buffer.from(payload.attributes, 'base64').toString('latin1')])
        expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${field}|${value}`));
    }
    for (const token of payload.has) expect(token).toMatch(/^[\w-]{22}$/);
    const elsewhere = attributePayload(await sealOf('team:red'), one, attributes);
    expect(payload.has.filter((token) => elsewhere.has.includes(token))).toEqual([]);
  });

  it('opens for its chunk in its partition only', async () => {
    const attributes = { '\ud800': '\udfff', page: 2 };
    const payload = attributePayload(seal, one, attributes);
    expect(attributesIn(seal, { chunkId: one, payload })).toEqual(attributes);
    expect(attributesIn(seal, { chunkId: aChunk(2), payload })).toBeUndefined();
    for (const other of [await sealOf('team:red'), await sealOf('deployment', 'g2')])
      expect(attributesIn(other, { chunkId: one, payload })).toBeUndefined();
    for (const written of ['{"page":2}', '', undefined, 7])
      expect(attributesIn(seal, { chunkId: one, payload: { attributes: written } })).toBeUndefined();
  });

  it('refuses numbers that JSON cannot represent', () => {
    for (const value of [NaN, Infinity])
      expect(() => attributePayload(seal, one, { page: value })).toThrow('attributes.page: expected a finite number');
  });
});
