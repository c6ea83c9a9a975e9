import { nextTurn, turnIsSpent } from './loop-turns.ts';

const work = (): void => {
  while (!turnIsSpent());
};

describe('a turn of the event loop', () => {
  it('resumes waiters sequentially, urgent ones first', async () => {
    const steps: string[] = [];
    const step = (name: string, urgency?: 'urgent') => nextTurn(urgency).then(() => steps.push(name));
    await Promise.all([step('a'), step('b'), step('c', 'urgent')]);
    expect(steps).toEqual(['c', 'a', 'b']);
  });

  it('lets timers run between two waiters that use up their time', async () => {
    const steps: string[] = [];
    const timer = setInterval(() => steps.push('timer'), 0);
    work();
    await Promise.all(['a', 'b', 'c'].map((name) => nextTurn().then(() => (work(), steps.push(name)))));
    clearInterval(timer);
    expect(steps.join(' ')).toMatch(/^(timer )*a( timer)+ b( timer)+ c$/);
  });
});
