import { IGNORED, projection } from './projection.ts';
import type { DomainEvent } from './events/domain-event.ts';
import type { Fact } from './events/event.ts';

const REST = { documents: IGNORED, knowledgeBases: IGNORED, retrievals: IGNORED, tenants: IGNORED, audit: IGNORED } as const;
const SCOPES = { ScopeOpened: IGNORED, GenerationStarted: IGNORED, GenerationActivated: IGNORED, GenerationRetired: IGNORED } as const;
const fact = (type: string, data: object) => ({ event: { type, data } }) as unknown as Fact<DomainEvent>;

describe('A projection', () => {
  it('handles the types that have a handler, and no others', () => {
    const retired = projection<string, string>('retired', {
      ...REST,
      scopes: { ...SCOPES, GenerationRetired: ({ event }, prefix) => `${prefix}${event.data.generation}` },
    });
    expect([retired.name, retired.handles]).toEqual(['retired', ['GenerationRetired']]);
    expect(retired.project(fact('GenerationRetired', { generation: 'g1' }), 'the ')).toBe('the g1');
    expect(retired.project(fact('GenerationStarted', { generation: 'g1' }), 'the ')).toBeUndefined();
    expect(retired.project(fact('DocumentDeleted', {}), 'the ')).toBeUndefined();
  });

  it('does not compile if it neither handles nor ignores a type or a family', () => {
    const { ScopeOpened: _, ...withoutOne } = SCOPES;
    // @ts-expect-error a type of the family is missing
    projection('incomplete', { ...REST, scopes: withoutOne });
    // @ts-expect-error a family is missing
    projection('incomplete', REST);
    // @ts-expect-error an unknown type
    projection('unknown type', { ...REST, scopes: { ...SCOPES, GenerationLost: IGNORED } });
    expect(projection('complete', { ...REST, scopes: SCOPES }).handles).toEqual([]);
  });
});
