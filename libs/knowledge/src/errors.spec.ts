import { Conflict, EmbeddingModelMismatch, InvalidValue, Overloaded, Unavailable, type KnowledgeError } from './errors.ts';

describe('InvalidValue', () => {
  it('reports the field and the expected value', () => {
    const error = new InvalidValue('filter.eq.value', 'a string', 5);
    expect(error).toMatchObject({
      name: 'InvalidValue',
      code: 'InvalidValue',
      retryable: false,
      field: 'filter.eq.value',
      expected: 'a string',
    });
    expect(error.message).toBe('filter.eq.value: expected a string, got 5');
  });

  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    ['x', '"x"'],
    [12n, '"12"'],
    [[1, 'a'], '[1,"a"]'],
    [{ a: 1n }, '{"a":"1"}'],
    [Symbol('s'), 'a symbol'],
    [() => 1, 'a function'],
    ['y'.repeat(200), `"${'y'.repeat(76)}...`],
  ])('describes any value: %p', (value, shown) => expect(new InvalidValue('x', 'y', value).message).toBe(`x: expected y, got ${shown}`));

  it('describes a value that JSON cannot represent, or that is nested too deeply', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(new InvalidValue('x', 'y', circular).message).toBe('x: expected y, got a object');
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown;
    expect(new InvalidValue('x', 'y', deep).message).toBe('x: expected y, got a list');
  });
});

describe('an error', () => {
  it('has a code, and says whether the same call may succeed later', () => {
    const faults: readonly KnowledgeError[] = [
      new Conflict('moved on'),
      new Overloaded('too much', 5),
      new Unavailable('away'),
      new EmbeddingModelMismatch('a:b/1', []),
    ];
    expect(faults.map(({ name, code, retryable }) => [name === code, retryable])).toEqual([
      [true, false],
      [true, true],
      [true, true],
      [true, false],
    ]);
    expect(faults[3]?.message).toBe('embedding version a:b/1 is required, but no model is configured');
  });
});
