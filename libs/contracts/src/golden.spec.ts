import { readdirSync, readFileSync } from 'node:fs';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { JsonObject, RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';
import { goldenCipher } from '../test/a-cipher.ts';
import { domainCodec } from './domain-codec.ts';

type Golden = Readonly<{ type: (typeof types)[number]; metadata: JsonObject; data: JsonObject; opened?: JsonObject }>;

const folder = new URL('../golden/', import.meta.url);
const types = domainCodec.types();
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const golden = (file: string): Golden => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Golden;

const recorded = ({ type, metadata, data }: Golden): RecordedEvent => ({
  type,
  metadata,
  data,
  id: '7d444840-9dc0-81d1-b245-5ffdce74fad2',
  stream: 'document-acme-a' as StreamName,
  revision: 3,
  position: 42n as Position,
  recordedAt: '2026-11-22T08:00:01.000Z',
});

describe('Golden events', () => {
  it('exist for every version of every type, and for nothing else', () => {
    const wanted = types.flatMap((type) => Array.from({ length: domainCodec.version(type) }, (_, i) => `${type}.v${i + 1}.json`));
    expect(
      files
        .map((name) => name.replace(/\+[a-z-]+(?=\.json$)/, ''))
        .filter((name, i, all) => all.indexOf(name) === i)
        .sort(),
    ).toEqual(wanted.sort());
  });

  it.each(files)('%s can be read', (file) => {
    const { event, metadata } = domainCodec.decode(recorded(golden(file)), goldenCipher);
    expect(event.type).toBe(golden(file).type);
    expect(metadata).toMatchObject({ tenant: 'acme', scope: 'team:red', actor: 'key:ci', correlationId: 'r-1' });
  });

  const current = files.filter((name) => name.includes(`.v${domainCodec.version(golden(name).type)}`));

  it.each(current)('%s, of the current version, is unchanged by decoding and encoding', (name) => {
    const file = golden(name);
    const { event, metadata, id } = domainCodec.decode(recorded(file), goldenCipher);
    expect(event.data).toEqual(file.opened ?? file.data);
    const { scope, causationId, traceparent, ...rest } = metadata;
    const encoded = domainCodec.encode(event, metadata, id, goldenCipher);
    // Sealing the same again gives other bytes.
    const sealed = file.opened === undefined ? {} : { sealed: expect.any(String) };
    expect(encoded).toEqual({
      id,
      type: file.type,
      data: { ...file.data, ...sealed },
      metadata: { ...rest, scope, causationId, traceparent, schemaVersion: domainCodec.version(file.type) },
    });
    expect(domainCodec.decode(recorded({ ...file, data: encoded.data }), goldenCipher).event.data).toEqual(event.data);
  });

  it.each(current)('%s contains its sealed fields only sealed', (name) => {
    const { data, opened = data } = golden(name);
    for (const [field, value] of Object.entries(opened))
      if (!Object.hasOwn(data, field)) expect(JSON.stringify(data)).not.toContain(JSON.stringify(value));
  });

  it.each(types)('%s without one of its fields is rejected with the field and the position', (type) => {
    const file = golden(`${type}.v${domainCodec.version(type)}.json`);
    const { sealed: _, ...open } = { ...file.data, ...file.opened };
    const optional = new Set([
      'title',
      'fileName',
      'mediaType',
      'page',
      'symbol',
      'minScore',
      'topScore',
      'user',
      'tier',
      'teams',
      'problem',
      'until',
      'from',
      'dropped',
      'keyScope',
      'sealedRequest',
      'knowledgeBases',
      'origins',
      'atLeast',
      'snippetChars',
      'spelling',
      'arrangement',
      'limits',
      'runtime',
      'cutover',
      'additionalQueries',
      'agreement',
      'latency',
      'canaryStrings',
      'past',
      'scoreFloors',
      'pastQueries',
      'forced',
      'forcedBecause',
      'pricePerMillionTokens',
      'cost',
      'time',
      'evidence',
    ]);
    const required = Object.keys(open).filter((field) => type === 'DocumentIndexed' || !optional.has(field));
    for (const field of required) {
      const { [field]: _left, ...data } = open;
      expect(() => domainCodec.decode(recorded({ ...file, data }))).toThrow(new RegExp(`${type} at position 42: ${field} `));
    }
  });

  it.each(current.filter((name) => golden(name).opened !== undefined))(
    '%s opens in no other event, and has placeholders once the key is destroyed',
    (name) => {
      const file = golden(name);
      expect(() => domainCodec.decode({ ...recorded(file), id: '00000000-9dc0-81d1-b245-5ffdce74fad2' }, goldenCipher)).toThrow(Corrupt);
      const erased = domainCodec.decode(recorded(file), 'destroyed').event.data as unknown as JsonObject;
      for (const [field, value] of Object.entries(file.opened ?? {})) {
        if (Object.hasOwn(file.data, field)) expect(erased[field]).toEqual(value);
        else if (erased[field] !== undefined) expect([JSON.stringify('erased'), '{}', '[]', '""']).toContain(JSON.stringify(erased[field]));
      }
    },
  );
});
