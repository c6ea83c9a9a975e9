import { projection } from './projection.ts';
import type { DomainEvent } from './events/domain-event.ts';
import type { Fact } from './events/event.ts';

const fact = (type: string, data: object) => ({ event: { type, data } }) as unknown as Fact<DomainEvent>;

describe('A projection', () => {
  it('handles the types that name it among their readers, and no others', () => {
    const generations = projection<'generations', string, string>('generations', {
      GenerationStarted: ({ event }, prefix) => `${prefix}${event.data.generation} started`,
      GenerationBuilt: ({ event }, prefix) => `${prefix}${event.data.generation} built`,
      GenerationActivated: ({ event }, prefix) => `${prefix}${event.data.generation} activated`,
      GenerationRetired: ({ event }, prefix) => `${prefix}${event.data.generation} retired`,
      ScopeErased: ({ event }, prefix) => `${prefix}${event.data.scope} erased`,
    });
    expect([generations.name, generations.handles]).toEqual([
      'generations',
      ['GenerationStarted', 'GenerationBuilt', 'GenerationActivated', 'GenerationRetired', 'ScopeErased'],
    ]);
    expect(generations.project(fact('GenerationRetired', { generation: 'g1' }), 'the ')).toBe('the g1 retired');
    expect(generations.project(fact('ScopeOpened', {}), 'the ')).toBeUndefined();
    expect(generations.project(fact('DocumentDeleted', {}), 'the ')).toBeUndefined();
  });

  it('does not compile without a handler for a type that names it, or with one for another type', () => {
    const [started, retired] = [() => undefined, () => undefined];
    // @ts-expect-error GenerationActivated is missing
    projection('generations', { GenerationStarted: started, GenerationBuilt: started, GenerationRetired: retired });
    const activated = (): void => undefined;
    const complete = {
      GenerationStarted: started,
      GenerationBuilt: started,
      GenerationActivated: activated,
      GenerationRetired: retired,
      ScopeErased: retired,
    };
    // @ts-expect-error ScopeOpened does not name this projection
    projection('generations', { ...complete, ScopeOpened: (): void => undefined });
    // @ts-expect-error no projection has this name
    projection('unknown', complete);
    expect(projection('generations', complete).handles).toHaveLength(5);
  });
});
