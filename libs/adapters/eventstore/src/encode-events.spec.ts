import { randomUUID } from 'node:crypto';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { NewEvent } from '@palimpsest/knowledge/ports';
import { encodeEvents } from './encode-events.ts';
import { Namespace } from './namespace.ts';

const namespace = new Namespace(undefined);
const anEvent = (part: Partial<NewEvent> = {}): NewEvent => ({ id: randomUUID(), type: 'Noted', data: {}, metadata: {}, ...part });

describe('encodeEvents', () => {
  it('names the field that is wrong', () => {
    const wrong: readonly [string, Partial<NewEvent>][] = [
      ['id', { id: 'x' }],
      ['id', { id: '00000000-0000-0000-0000-000000000000' }],
      ['type', { type: '' }],
      ['type', { type: '$x' }],
      ['type', { type: 'a\nb' }],
      ['data', { data: [] as never }],
      ['metadata', { metadata: null as never }],
      ['data', { data: { big: 1n as never } }],
    ];
    for (const [field, part] of wrong) expect(() => encodeEvents(namespace, [anEvent(part)])).toThrow(expect.objectContaining({ field }));
    const twice = anEvent();
    expect(() => encodeEvents(namespace, [twice, { ...twice, id: twice.id.toUpperCase() }])).toThrow(InvalidValue);
  });

  it('packs as few events as possible', () => {
    const [small, large] = [anEvent({ data: { text: 'x'.repeat(1000) } }), anEvent({ data: { text: 'x'.repeat(1_047_540) } })];
    expect(encodeEvents(namespace, [small]).map(({ json }) => json)).toEqual([true]);
    expect(encodeEvents(namespace, [small, large]).map(({ json }) => json)).toEqual([true, false]);
  });
});
