import type { SwapPlanView } from '@palimpsest/client';
import { bytes, count, counted } from '../format/format.ts';
import { duration } from './swap-actions.ts';

type Figures = Pick<SwapPlanView, 'documents' | 'chunks' | 'tokens' | 'reusable' | 'rechunked' | 'cost' | 'time' | 'bytes'>;

/** What a plan says, as pairs of name and value. */
export const factsOf = ({
  documents,
  chunks,
  tokens,
  reusable,
  rechunked,
  cost,
  time,
  bytes: space,
}: Figures): readonly (readonly [string, string])[] => [
  [
    'Contents',
    `${counted(documents, 'document')}, ${counted(chunks, 'chunk')}, ${counted(tokens.texts, 'token')} (${precisionOf(tokens)})`,
  ],
  ...(rechunked ? [['Chunked again', rechunkedOf(rechunked)] as const] : []),
  [
    'To embed',
    `${counted(tokens.embedded, 'token')}; ${reusable.exact ? '' : 'about '}${counted(reusable.chunks, 'chunk')} with a vector of this model already`,
  ],
  ['Cost', cost === undefined ? 'unknown: the model has no price' : `$${cost.toFixed(4)}`],
  ['Time', timeOf(time)],
  ['Space', spaceOf(space)],
];

const precisionOf = ({ method, error, read }: SwapPlanView['tokens']): string => {
  if (method === 'counted') return 'counted';
  const within = error === undefined ? '' : `, ± ${(100 * error).toFixed(1)} %`;
  return method === 'sampled' ? `from ${count(read)} chunks${within}` : `estimated: the model has no tokenizer here${within}`;
};

const rechunkedOf = ({ read, kept, exact, error }: NonNullable<Figures['rechunked']>): string => {
  const within = error === undefined ? '' : `: chunks ± ${(100 * error).toFixed(1)} %`;
  const those = exact ? `all ${counted(read, 'document')}, to count this` : `${counted(read, 'document')}, to estimate this${within}`;
  return kept === 0 ? those : `${those}; ${count(kept)} would keep their chunks`;
};

const timeOf = (time: SwapPlanView['time']): string => {
  if (!time) return 'unknown: no sample was embedded';
  const rejected = time.refused === 0 ? '' : `; the model rejects ${time.refused} of the sample`;
  return `about ${duration(time.seconds)}, from ${counted(time.sampledChunks, 'chunk')}${rejected}`;
};

export const spaceOf = ({ vectors, memory, disk }: SwapPlanView['bytes']): string =>
  memory === undefined || disk === undefined
    ? `${bytes(vectors)} of vectors, and what the index server adds`
    : `${bytes(memory)} of memory and ${bytes(disk)} of disk, until the old generation is retired`;
