import type { Access } from '@palimpsest/knowledge/access';
import type { Fact } from '@palimpsest/knowledge/events';
import { planId, type SwapPlanned } from '@palimpsest/knowledge/plans';
import type { StreamName } from '@palimpsest/knowledge/ports';
import { embeddingVersion, position, recipeWith, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { openedData } from './opened-data.ts';

const tenant = tenantId('acme');
const scope = vectorScope('team:red');
const access = (role: Access['roles'][number]): Access => ({ tenant, teams: ['red'], roles: [role], actor: 'key-1' });
const planned: Fact<SwapPlanned> = {
  event: {
    type: 'SwapPlanned',
    data: {
      ...{ scope, plan: planId('p1'), recipe: recipeWith({ version: embeddingVersion('fake:large/8') }), cutover: 'manual' },
      ...{ limits: { tokensPerMinute: 100 }, pricePerMillionTokens: 2, cost: 0.1, documents: 1, chunks: 1, seed: 1, upTo: '9' },
      tokens: { texts: 5, embedded: 5, method: 'counted', tokenizer: 'w', read: 1 },
      ...{ reusable: { chunks: 0, exact: true }, bytes: { vectors: 32 }, by: { actor: 'key-1' }, knowledgeBases: [] },
      plannedAt: '2026-11-22T08:00:00.000Z',
    },
  },
  metadata: { tenant, scope, actor: 'key-1', correlationId: 'c' },
  id: '00000000-0000-4000-8000-000000000000',
  stream: 'scope-acme-team:red' as StreamName,
  revision: 3,
  position: position(9n),
  recordedAt: '2026-11-22T08:00:00.000Z',
};

describe('a plan in the list of events', () => {
  it('shows its figures to readers, without prices and limits of the model', () => {
    const shown = openedData(access('reader'), planned, undefined);
    expect(shown).toMatchObject({ plan: 'p1', chunks: 1, tokens: { embedded: 5 } });
    for (const field of ['limits', 'cost', 'pricePerMillionTokens']) expect(shown).not.toHaveProperty(field);
  });

  it('shows the cost to administrators', () => {
    const shown = openedData(access('admin'), planned, undefined);
    expect(shown).toMatchObject({ cost: 0.1, pricePerMillionTokens: 2 });
    expect(shown).not.toHaveProperty('limits');
  });
});
