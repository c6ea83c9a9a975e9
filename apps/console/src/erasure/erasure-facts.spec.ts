import type { ScopeErasure } from '@palimpsest/client';
import { isUnderWay, ordered } from './erasure-facts.ts';

const view = (scope: string, state: ScopeErasure['state']): ScopeErasure => ({ scope, state });

describe('the scopes on the page Erasure', () => {
  it('are sorted by what is being erased, what can be and what is', () => {
    const scopes = [view('team:b', 'none'), view('team:a', 'completed'), view('team:c', 'erased'), view('deployment', 'none')];
    expect(ordered(scopes).map(({ scope }) => scope)).toEqual(['team:c', 'deployment', 'team:b', 'team:a']);
  });

  it('are looked at again soon until the receipt is signed', () => {
    const states = ['none', 'requested', 'erased', 'completed'] as const;
    expect(states.filter((state) => isUnderWay({ state }))).toEqual(['requested', 'erased']);
  });
});
