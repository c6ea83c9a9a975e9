import fc from 'fast-check';

export type Schema = Readonly<Record<string, unknown>>;

/** Longer values would test nothing new. */
const MAX = 40;
const MAX_DEPTH = 4;

/** Only positions that already exist or are invalid: for a later position, a request would wait 10 seconds. */
const POSITION = fc.constantFrom('0', '1', '00', '-1', 'x', '');

/** Values that a schema allows. Supports the subset of JSON Schema that we use; `schemas` are the targets of its references. */
export const fromSchema = (schema: Schema, schemas: Readonly<Record<string, Schema>>, depth = 0): fc.Arbitrary<unknown> => {
  const of = (inner: unknown): fc.Arbitrary<unknown> => fromSchema((inner ?? {}) as Schema, schemas, depth + 1);
  const { $ref, enum: choices, const: only, anyOf, type } = schema;
  if (typeof $ref === 'string') return of(schemas[$ref.split('/').at(-1) ?? '']);
  if (Array.isArray(choices)) return fc.constantFrom(...(choices as unknown[]));
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(anyOf))
    return depth > MAX_DEPTH ? of(anyOf.find((each) => !JSON.stringify(each).includes('$ref')) ?? anyOf[0]) : fc.oneof(...anyOf.map(of));
  if (Array.isArray(type)) return fc.oneof(...type.map((each) => of({ ...schema, type: each as unknown })));
  if (type === 'object') return objectOf(schema, of, depth);
  if (type === 'array')
    return fc.array(of(schema['items']), {
      minLength: Number(schema['minItems'] ?? 0),
      maxLength: Math.max(Number(schema['minItems'] ?? 0), 3),
    });
  return scalarOf(schema);
};

const objectOf = (
  { properties = {}, required = [], additionalProperties }: Schema,
  of: (inner: unknown) => fc.Arbitrary<unknown>,
  depth: number,
): fc.Arbitrary<unknown> => {
  const entries = Object.entries(properties as Readonly<Record<string, Schema>>).filter(
    ([name]) => depth <= MAX_DEPTH || (required as readonly string[]).includes(name),
  );
  const model = Object.fromEntries(entries.map(([name, each]) => [name, name === 'atLeast' ? POSITION : of(each)]));
  const named = fc.record(model, { requiredKeys: (required as string[]).filter((name) => name in model) });
  if (typeof additionalProperties !== 'object' || entries.length > 0) return named;
  return fc.dictionary(fc.string({ maxLength: 8 }), of(additionalProperties), { maxKeys: 3 });
};

const scalarOf = ({ type, pattern, minLength = 0, maxLength = MAX, minimum, maximum }: Schema): fc.Arbitrary<unknown> => {
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: Number(minimum ?? -1_000), max: Number(maximum ?? 1_000_000) });
  if (type === 'number') return fc.double({ min: Number(minimum ?? -1e9), max: Number(maximum ?? 1e9), noNaN: true });
  if (type !== 'string') return fc.jsonValue({ maxDepth: 2 });
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  return fc.string({
    unit: 'grapheme',
    minLength: Number(minLength),
    maxLength: Math.max(Number(minLength), Math.min(Number(maxLength), MAX)),
  });
};

/** The value, with one part that no schema allows there: another type, too long, null, or an unknown name. */
export const corrupted = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      value,
      fc.nat(),
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('\ud800', '\u0000', '../..', 'x'.repeat(5_000), 1e308, -0, [], {}, null)),
      fc.string({ maxLength: 12 }),
    )
    .map(([given, at, wrong, name]) => {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) return wrong;
      const names = Object.keys(given);
      const place = at % (names.length + 2);
      if (place === names.length) return { ...given, [name]: wrong };
      if (place === names.length + 1) return wrong;
      return { ...given, [names[place] ?? name]: wrong };
    });
