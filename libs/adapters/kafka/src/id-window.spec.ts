import fc from 'fast-check';
import { IdWindow } from './id-window.ts';

describe('IdWindow', () => {
  it('keeps exactly the latest ids, also when some were forgotten in between', () => {
    const id = fc.integer({ min: 0, max: 12 }).map(String);
    const steps = fc.array(fc.record({ id, forget: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), steps, (max, all) => {
        const window = new IdWindow<string>(max);
        let latest: string[] = [];
        for (const step of all) {
          if (step.forget) window.forget(step.id);
          else if (window.get(step.id) === undefined) window.note(step.id, step.id);
          latest = latest.filter((one) => one !== step.id || !step.forget);
          if (!step.forget && !latest.includes(step.id)) latest = [...latest, step.id].slice(-max);
          expect(Array.from({ length: 13 }, (_, i) => String(i)).filter((one) => window.get(one) !== undefined)).toEqual(
            latest.toSorted((a, b) => Number(a) - Number(b)),
          );
        }
      }),
    );
  });
});
