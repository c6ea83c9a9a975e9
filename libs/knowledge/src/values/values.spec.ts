import { InvalidValue } from '../errors.ts';
import { chunkId, documentId, knowledgeBaseId, sha256, sourceId } from './ids.ts';
import { labels, origin } from './labels.ts';
import { earlierOf, laterOf, position, START } from './position.ts';
import { scopeKey, vectorScope } from './scope.ts';
import { tenantId } from './tenant.ts';
import {
  chunkingVersion,
  embeddingVersion,
  embeddingVersionOf,
  embeddingVersionParts,
  generationId,
  generationNumber,
} from './versions.ts';

/** Values that no parser of a string accepts. */
const NO_STRINGS = [undefined, null, 5, true, {}, [], ['a'], { toString: () => 'platform' }];

type Parser = Readonly<{ what: string; parse: (raw: unknown, field?: string) => unknown; good: readonly string[]; bad: readonly string[] }>;

const PARSERS: readonly Parser[] = [
  {
    what: 'tenantId',
    parse: tenantId,
    good: ['a', 'acme', 'a-b_c', '0', 'a'.repeat(63)],
    bad: ['', 'A', '-a', 'a-', 'a b', 'a/b', 'a.b', 'ä', 'a\n', 'a'.repeat(64)],
  },
  {
    what: 'vectorScope',
    parse: vectorScope,
    good: ['platform', 'deployment', 'team:red', 'team:R', 'user:ann@example.org', `user:${'x'.repeat(128)}`],
    bad: [
      '',
      'Platform',
      'team',
      'team:',
      'team:-a',
      'team:a-',
      'team:a/b',
      'team:a:b',
      'team: a',
      'user:../..',
      'user:.',
      'deployment ',
      'platform\n',
      'group:a',
      'team:ä',
      `user:${'x'.repeat(129)}`,
    ],
  },
  {
    what: 'documentId',
    parse: documentId,
    good: ['0123456789abcdef'.repeat(2)],
    bad: ['', 'a'.repeat(31), 'a'.repeat(33), 'A'.repeat(32), 'g'.repeat(32), `${'a'.repeat(32)}\n`],
  },
  { what: 'chunkId', parse: chunkId, good: ['f'.repeat(32)], bad: ['x', 'F'.repeat(32), `../${'a'.repeat(29)}`] },
  { what: 'sha256', parse: sha256, good: ['0'.repeat(64)], bad: ['0'.repeat(63), 'G'.repeat(64), `0x${'0'.repeat(62)}`] },
  {
    what: 'knowledgeBaseId',
    parse: knowledgeBaseId,
    good: ['default', 'a.b-c_d', '7', 'a'.repeat(64)],
    bad: ['', 'A', '.a', 'a.', 'a/b', 'a b', '..', 'a'.repeat(65)],
  },
  {
    what: 'sourceId',
    parse: sourceId,
    good: ['docs/guide.md', 'https://example.org/?q=1#x', 'C:\\x', 'Grüße 漢字 🙂', '🙂'.repeat(1024), '../x', '-'],
    bad: ['', 'a\u0000', 'a\nb', '\u007f', 'a\ud800b', '\udfff', 'a'.repeat(1025)],
  },
  {
    what: 'embeddingVersion',
    parse: embeddingVersion,
    good: ['onnx:all-minilm-l6-v2-int8/384', 'openai:text-embedding-3-small/1536', 'openai:org/model/with/slashes/8', 'a:b/4096'],
    bad: [
      '',
      'onnx',
      'onnx:m',
      'onnx:m/0',
      'onnx:m/0384',
      'onnx:m/384.5',
      'onnx:/384',
      'ONNX:m/384',
      'onnx:m m/384',
      'onnx:m/4097',
      'onnx:m/100000',
      'onnx:m/384\n',
      '-a:m/3',
    ],
  },
  {
    what: 'chunkingVersion',
    parse: chunkingVersion,
    good: ['markdown@1', 'markdown@1/1500', 'token-window@12/500,50,100', 'code@2/1500+cr'],
    bad: ['', 'markdown', 'Markdown@1', 'markdown@', 'markdown@1/', 'markdown@1/A', 'markdown@1 ', 'markdown@1+xx'],
  },
  {
    what: 'generationId',
    parse: generationId,
    good: ['g1', 'g10', 'g999999999'],
    bad: ['', 'g', 'g0', 'g01', 'G1', '1', 'g-1', 'g1.5', 'g1000000000'],
  },
  { what: 'origin', parse: origin, good: ['UserContent', 'Narrative', 'Note', 'Synthetic'], bad: ['', 'usercontent', 'Other'] },
];

describe.each(PARSERS)('$what', ({ parse, good, bad }) => {
  it('accepts valid values unchanged', () => {
    for (const raw of good) expect(parse(raw)).toBe(raw);
  });
  it('rejects everything else and names the field', () => {
    for (const raw of [...bad, ...NO_STRINGS]) {
      expect(() => parse(raw, 'the.field')).toThrow(InvalidValue);
      expect(() => parse(raw, 'the.field')).toThrow(/^the\.field: expected /);
    }
  });
});

describe('an embedding version', () => {
  it('is split into the parts that it was built from', () => {
    for (const parts of [
      { provider: 'onnx', model: 'mini', dimensions: 384 },
      { provider: 'openai', model: 'org/model:7/x', dimensions: 8 },
    ])
      expect(embeddingVersionParts(embeddingVersionOf(parts))).toEqual(parts);
  });
  it('cannot be built from invalid parts', () => {
    for (const parts of [
      { provider: '', model: 'm', dimensions: 3 },
      { provider: 'a', model: 'm', dimensions: 0 },
      { provider: 'a', model: 'm', dimensions: 1.5 },
      { provider: 'a', model: 'm', dimensions: NaN },
    ])
      expect(() => embeddingVersionOf(parts)).toThrow(InvalidValue);
  });
});

describe('a generation', () => it('has a number', () => expect(generationNumber(generationId('g12'))).toBe(12)));

describe('a scope’s key', () => {
  it('differs if the tenant or the scope differs', () => {
    const scopes = [
      ['a', 'team:b'],
      ['a', 'team:b_c'],
      ['a_b', 'team:c'],
      ['b', 'team:b'],
      ['a', 'user:b'],
      ['a', 'team:B'],
    ] as const;
    expect(new Set(scopes.map(([tenant, scope]) => scopeKey({ tenant: tenantId(tenant), scope: vectorScope(scope) }))).size).toBe(
      scopes.length,
    );
  });
});

describe('a position', () => {
  it('is a bigint in memory and a decimal string on the wire', () => {
    for (const raw of ['0', '7', '18446744073709551615']) expect(String(position(raw))).toBe(raw);
    expect(position(7n)).toBe(7n);
  });
  it('rejects everything else', () => {
    for (const raw of ['', '-1', '01', '1.0', '1e3', ' 1', '0x1', '1'.repeat(21), -1n, 5, null, undefined])
      expect(() => position(raw)).toThrow(InvalidValue);
  });
  it('can only be compared', () => {
    expect([
      laterOf(START, position(5n)),
      laterOf(position(5n), START),
      earlierOf(START, position(5n)),
      earlierOf(position(5n), START),
    ]).toEqual([5n, 5n, 0n, 0n]);
  });
});

describe('labels', () => {
  it('are sorted, so that equal labels have equal JSON', () =>
    expect(JSON.stringify(labels({ b: '1', a: '2', 'c.d_e-f': '' }))).toBe('{"a":"2","b":"1","c.d_e-f":""}'));
  it('are optional', () => expect([labels(undefined), labels(null), labels({})]).toEqual([{}, {}, {}]));
  it.each<[string, unknown, RegExp]>([
    ['a list', ['a'], /^labels: expected an object/],
    ['a string', 'a=b', /^labels: /],
    ['a value that is no string', { team: 5 }, /^labels\.team: expected a string/],
    ['a value that is too long', { team: 'x'.repeat(257) }, /^labels\.team: /],
    ['an empty name', { '': 'x' }, /^labels\.: expected a name/],
    ['a name that is no name', { '1a': 'x' }, /^labels\.1a: /],
    ['a name that objects have already', JSON.parse('{"__proto__": "x"}'), /^labels\.__proto__: /],
    ['too many', Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`l${i}`, ''])), /at most 32 labels, got "33 labels"/],
  ])('reject %s', (_, raw, message) => {
    expect(() => labels(raw)).toThrow(InvalidValue);
    expect(() => labels(raw)).toThrow(message);
  });
});
